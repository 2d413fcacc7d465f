// Kernel of Cast between any two plain types, on GPUs. int32 lies on the device
// as all others.
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/elementwise/elementwise.gpu.h"
#include "millrace/ops/elementwise/program.gpu.h"
#include "millrace/tensor/dispatch.h"

MR_GPU_SOURCE(elementwise_cast);

namespace millrace::ops {
namespace {

// Returns how many bits of the mantissa `Truncate` clears before the
// conversion, as on the CPU.
int ClearedBits(DataType from, DataType to) {
  if (from == DataType::kFloat || from == DataType::kComplex64) {
    if (to == DataType::kHalf) return 13;
    if (to == DataType::kBfloat16 && from == DataType::kFloat) return 16;
  }
  if (from == DataType::kDouble || from == DataType::kComplex128) {
    if (to == DataType::kHalf) return 42;
    if (to == DataType::kFloat || to == DataType::kComplex64) return 29;
  }
  return 0;
}

StatusOr<ElementwiseText> CastText(const KernelInit& init) {
  const DataType from = RemoveRef(init.input_type(0));
  const DataType to = RemoveRef(init.output_type(0));
  ElementwiseText text;
  text.sources = {&MR_GPU_SOURCE_OF(elementwise_cast)};
  if (from == to) {
    text.expression = "$0";
    return text;
  }
  MR_ASSIGN_OR_RETURN(const bool truncate, init.Attr<bool>("Truncate"));
  const int bits = truncate ? ClearedBits(from, to) : 0;
  const std::string x =
      bits == 0 ? "$0" : absl::StrCat("WithoutLastBits<", bits, ">($0)");
  text.expression = absl::StrCat("Convert<", GpuTypeName(to), ">(", x, ")");
  return text;
}

class GpuCastKernel {
 public:
  static StatusOr<GpuCastKernel> Make(const KernelInit& init) {
    GpuCastKernel k;
    if (RemoveRef(init.input_type(0)) == RemoveRef(init.output_type(0))) {
      return k;
    }
    MR_ASSIGN_OR_RETURN(const ElementwiseText text, CastText(init));
    MR_ASSIGN_OR_RETURN(k.convert_, MakeGpuElementwiseKernel(
                                        init, text, GpuOperands::kBroadcast));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    if (convert_ == nullptr) {
      ctx.set_output(0, ctx.input(0));
      return OkStatus();
    }
    MR_RETURN_IF_ERROR(ctx.BindInput(0));
    return convert_->Run(ctx);
  }

 private:
  std::unique_ptr<Kernel> convert_;  // null: the types are equal
};

}  // namespace

MR_KERNELS(Cast,
           Gpu){{.types = "SrcT: " MR_PLAIN_TYPES "; DstT: " MR_PLAIN_TYPES,
                 .make = MakeKernel<GpuCastKernel>,
                 .elementwise = ElementwiseOfText<CastText>,
                 .views = "x"}};

}  // namespace millrace::ops
