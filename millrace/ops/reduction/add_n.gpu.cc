// Kernels of AddN and AccumulateNV2 on GPUs.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/elementwise/elementwise.gpu.h"
#include "millrace/ops/elementwise/elementwise.h"
#include "millrace/ops/elementwise/program.gpu.h"

MR_GPU_SOURCE(reduction_add_n);

namespace millrace::ops {
namespace {

ElementwiseText SumText(int num_inputs) {
  ElementwiseText text;
  text.expression = "SumOfAll($0";
  for (int i = 1; i < num_inputs; ++i) {
    absl::StrAppend(&text.expression, ", $", i);
  }
  text.expression += ")";
  text.sources = {&MR_GPU_SOURCE_OF(reduction_add_n)};
  text.shapes = ElementwiseText::Shapes::kSame;
  return text;
}

StatusOr<ElementwiseText> AddNText(const KernelInit& init) {
  return SumText(init.num_inputs());
}

StatusOr<ElementwiseProgram> SumProgram(const KernelInit& init,
                                        int num_inputs) {
  const DataType type = RemoveRef(init.output_type(0));
  ElementwiseProgramBuilder builder;
  std::vector<int> values;
  for (int i = 0; i < num_inputs; ++i) values.push_back(builder.AddInput(type));
  builder.AddOutput(builder.AddOp(SumText(num_inputs), values, type));
  return builder.Build(init);
}

// Adds up as many inputs at once as a program takes, then the sum and further
// ones.
class GpuAddNKernel {
 public:
  static StatusOr<GpuAddNKernel> Make(const KernelInit& init) {
    GpuAddNKernel k;
    const int n = init.num_inputs();
    if (n == 1) return k;
    MR_ASSIGN_OR_RETURN(k.first_, SumProgram(init, std::min(n, kAtOnce)));
    if (n <= kAtOnce) return k;
    MR_ASSIGN_OR_RETURN(k.next_, SumProgram(init, kAtOnce));
    const int left = (n - kAtOnce) % (kAtOnce - 1);
    if (left > 0) {
      MR_ASSIGN_OR_RETURN(k.last_, SumProgram(init, left + 1));
    }
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const TensorShape shape = ctx.input(0).shape();
    const int n = ctx.num_inputs();
    for (int i = 1; i < n; ++i) {
      if (ctx.input(i).shape() != shape) return DifferentShapes(ctx, i);
    }
    if (n == 1) {
      ctx.set_output(0, ctx.input(0));
      return OkStatus();
    }
    for (int i = 0; i < n; ++i) MR_RETURN_IF_ERROR(ctx.BindInput(i));
    MR_ASSIGN_OR_RETURN(Tensor* const z,
                        ctx.ForwardOrAllocateOutput({0}, 0, shape));
    std::vector<const Tensor*> terms;
    for (int i = 0; i < std::min(n, kAtOnce); ++i) {
      terms.push_back(&ctx.input(i));
    }
    MR_RETURN_IF_ERROR(first_.Run(ctx, terms, absl::MakeConstSpan(&z, 1)));
    for (int at = kAtOnce; at < n; at += kAtOnce - 1) {
      terms.assign(1, z);
      for (int i = at; i < std::min(n, at + kAtOnce - 1); ++i) {
        terms.push_back(&ctx.input(i));
      }
      const ElementwiseProgram& program =
          static_cast<int>(terms.size()) == kAtOnce ? next_ : last_;
      MR_RETURN_IF_ERROR(program.Run(ctx, terms, absl::MakeConstSpan(&z, 1)));
    }
    return OkStatus();
  }

 private:
  static constexpr int kAtOnce = ElementwiseProgram::kMaxInputs;

  ElementwiseProgram first_, next_, last_;
};

constexpr char kGpuAddNTypes[] =
    "T: half, bfloat16, float, double, int8, int16, int64, uint8, uint16, "
    "uint32, uint64, complex64, complex128";

}  // namespace

MR_KERNELS(AddN, Gpu){{.types = kGpuAddNTypes,
                       .make = MakeKernel<GpuAddNKernel>,
                       .elementwise = ElementwiseOfText<AddNText>,
                       .views = "inputs"},
                      kInt32OnHost,
                      {.types = "T: variant", .make = OnHost, .host = "*"}};
MR_KERNELS(AccumulateNV2, Gpu){
    {.types = kGpuAddNTypes, .make = MakeKernel<GpuAddNKernel>}, kInt32OnHost};

}  // namespace millrace::ops
