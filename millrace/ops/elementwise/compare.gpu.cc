// Kernels of comparisons on GPUs.
#include <string>

#include "absl/strings/str_cat.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/elementwise/elementwise.gpu.h"
#include "millrace/ops/elementwise/float_text.gpu.h"

MR_GPU_SOURCE(elementwise_compare);

namespace millrace::ops {
namespace {

constexpr ElementwiseTextMaker kComparisonText =
    OpText<MR_GPU_SOURCE_OF(elementwise_compare)>;
constexpr KernelEntry kGpuComparison = GpuElementwise<kComparisonText>(
    "T: half, bfloat16, float, double, int8, int16, int64, uint8, uint16, "
    "uint32, uint64");

template <bool kIfIncompatible>
StatusOr<std::unique_ptr<Kernel>> MakeGpuEquality(const KernelInit& init) {
  MR_ASSIGN_OR_RETURN(const ElementwiseText text, kComparisonText(init));
  return MakeGpuEqualityKernel(init, text, kIfIncompatible);
}
constexpr char kGpuEqualityTypes[] =
    "T: half, bfloat16, float, double, int8, int16, int64, uint8, uint16, "
    "uint32, uint64, complex64, complex128, bool";

StatusOr<ElementwiseText> ApproximateText(const KernelInit& init) {
  MR_ASSIGN_OR_RETURN(ElementwiseText text, kComparisonText(init));
  MR_ASSIGN_OR_RETURN(const float tolerance, init.Attr<float>("tolerance"));
  text.expression = absl::StrCat("Apply<op::ApproximateEqual>($0, $1, ",
                                 FloatText(tolerance), ")");
  text.shapes = ElementwiseText::Shapes::kSame;
  return text;
}
// Says what is wrong with the shapes in its own words.
StatusOr<std::unique_ptr<Kernel>> MakeApproximate(const KernelInit& init) {
  MR_ASSIGN_OR_RETURN(const ElementwiseText text, ApproximateText(init));
  return MakeGpuElementwiseKernel(init, text, GpuOperands::kSameShape);
}

}  // namespace

MR_KERNELS(Equal, Gpu){{.types = kGpuEqualityTypes,
                        .make = MakeGpuEquality<false>,
                        .elementwise = ElementwiseOfText<kComparisonText>},
                       kInt32OnHost};
MR_KERNELS(NotEqual, Gpu){{.types = kGpuEqualityTypes,
                           .make = MakeGpuEquality<true>,
                           .elementwise = ElementwiseOfText<kComparisonText>},
                          kInt32OnHost};
MR_KERNELS(Less, Gpu){kGpuComparison, kInt32OnHost};
MR_KERNELS(LessEqual, Gpu){kGpuComparison, kInt32OnHost};
MR_KERNELS(Greater, Gpu){kGpuComparison, kInt32OnHost};
MR_KERNELS(GreaterEqual, Gpu){kGpuComparison, kInt32OnHost};
MR_KERNELS(ApproximateEqual,
           Gpu){{.types = "T: float, double",
                 .make = MakeApproximate,
                 .elementwise = ElementwiseOfText<ApproximateText>}};

}  // namespace millrace::ops
