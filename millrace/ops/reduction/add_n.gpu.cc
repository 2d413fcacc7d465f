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
#include "millrace/ops/reduction/accumulate.h"

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

// Returns the type of sums that are not yet complete.
DataType SumTypeOf(DataType type) {
  return type == DataType::kHalf || type == DataType::kBfloat16
             ? DataType::kFloat
             : type;
}

// The sum of `first`, a type, and of num_inputs - 1 inputs, as a `result`.
StatusOr<ElementwiseProgram> SumProgram(const KernelInit& init, DataType first,
                                        int num_inputs, DataType result) {
  const DataType type = RemoveRef(init.output_type(0));
  ElementwiseProgramBuilder builder;
  std::vector<int> values;
  for (int i = 0; i < num_inputs; ++i) {
    values.push_back(builder.AddInput(i == 0 ? first : type));
  }
  builder.AddOutput(builder.AddOp(SumText(num_inputs), values, result));
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
    const DataType type = RemoveRef(init.output_type(0));
    if (n <= kAtOnce) {
      MR_ASSIGN_OR_RETURN(k.first_, SumProgram(init, type, n, type));
      return k;
    }
    k.sum_type_ = SumTypeOf(type);
    k.has_own_sum_ = k.sum_type_ != type;
    MR_ASSIGN_OR_RETURN(k.first_, SumProgram(init, type, kAtOnce, k.sum_type_));
    const int behind = n - kAtOnce;
    const int at_last = (behind - 1) % (kAtOnce - 1) + 1;
    if (behind > at_last) {
      MR_ASSIGN_OR_RETURN(k.next_,
                          SumProgram(init, k.sum_type_, kAtOnce, k.sum_type_));
    }
    MR_ASSIGN_OR_RETURN(k.last_,
                        SumProgram(init, k.sum_type_, at_last + 1, type));
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
    Tensor own_sum;
    Tensor* sum = z;
    if (has_own_sum_) {
      MR_ASSIGN_OR_RETURN(own_sum, ctx.AllocateTemp(sum_type_, shape));
      sum = &own_sum;
    }
    std::vector<const Tensor*> terms;
    for (int i = 0; i < std::min(n, kAtOnce); ++i) {
      terms.push_back(&ctx.input(i));
    }
    MR_RETURN_IF_ERROR(first_.Run(ctx, terms, absl::MakeConstSpan(&sum, 1)));
    for (int at = kAtOnce; at < n; at += kAtOnce - 1) {
      const int end = std::min(n, at + kAtOnce - 1);
      terms.assign(1, sum);
      for (int i = at; i < end; ++i) terms.push_back(&ctx.input(i));
      MR_RETURN_IF_ERROR(
          end < n ? next_.Run(ctx, terms, absl::MakeConstSpan(&sum, 1))
                  : last_.Run(ctx, terms, absl::MakeConstSpan(&z, 1)));
    }
    return OkStatus();
  }

 private:
  static constexpr int kAtOnce = ElementwiseProgram::kMaxInputs;

  ElementwiseProgram first_, next_, last_;
  // The type of sums between programs, and whether they need a tensor that is
  // not the output.
  DataType sum_type_ = DataType::kInvalid;
  bool has_own_sum_ = false;
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
    {.types = kGpuAddNTypes,
     .make = MakeKernel<AccumulateKernel<GpuAddNKernel>>},
    kInt32OnHost};

}  // namespace millrace::ops
