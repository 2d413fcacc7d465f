// Kernels of activations with an exponential or a slope below zero on GPUs.
#include <string>

#include "absl/strings/str_cat.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/elementwise/elementwise.gpu.h"
#include "millrace/ops/elementwise/float_text.gpu.h"
#include "millrace/tensor/dispatch.h"

MR_GPU_SOURCE(arithmetic_unary);
MR_GPU_SOURCE(activation_rectifier);

namespace millrace::ops {
namespace {

constexpr char kGpuRectifierTypes[] = "T: half, bfloat16, float, double";
constexpr KernelEntry kGpuRectifier =
    GpuElementwise<OpText<MR_GPU_SOURCE_OF(arithmetic_unary),
                          MR_GPU_SOURCE_OF(activation_rectifier)>>(
        kGpuRectifierTypes);
constexpr KernelEntry kGpuRectifierGrad =
    GpuElementwise<SameShapeText<MR_GPU_SOURCE_OF(arithmetic_unary),
                                 MR_GPU_SOURCE_OF(activation_rectifier)>,
                   GpuOperands::kSameShape>(kGpuRectifierTypes);

// Alpha is rounded to the type, as on the CPU.
template <bool kGrad>
StatusOr<ElementwiseText> LeakyText(const KernelInit& init) {
  MR_ASSIGN_OR_RETURN(float alpha, init.Attr<float>("alpha"));
  MR_RETURN_IF_ERROR(Dispatch(
      FloatTypes{}, RemoveRef(init.input_type(0)), [&]<class T>() -> Status {
        alpha = static_cast<float>(static_cast<T>(alpha));
        return OkStatus();
      }));
  ElementwiseText text =
      TextOfName(init, {&MR_GPU_SOURCE_OF(arithmetic_unary),
                        &MR_GPU_SOURCE_OF(activation_rectifier)});
  text.expression =
      kGrad ? absl::StrCat("Apply<op::LeakyReluGrad>($0, $1, ",
                           FloatText(alpha), ")")
            : absl::StrCat("Apply<op::LeakyRelu>($0, ", FloatText(alpha), ")");
  if (kGrad) text.shapes = ElementwiseText::Shapes::kSame;
  return text;
}

}  // namespace

MR_KERNELS(Softplus, Gpu){kGpuRectifier};
MR_KERNELS(Softsign, Gpu){kGpuRectifier};
MR_KERNELS(Elu, Gpu){kGpuRectifier};
MR_KERNELS(Selu, Gpu){kGpuRectifier};
MR_KERNELS(SoftplusGrad, Gpu){kGpuRectifierGrad};
MR_KERNELS(SoftsignGrad, Gpu){kGpuRectifierGrad};
MR_KERNELS(EluGrad, Gpu){kGpuRectifierGrad};
MR_KERNELS(SeluGrad, Gpu){kGpuRectifierGrad};
MR_KERNELS(LeakyRelu,
           Gpu){GpuElementwise<LeakyText<false>>(kGpuRectifierTypes)};
MR_KERNELS(LeakyReluGrad,
           Gpu){GpuElementwise<LeakyText<true>, GpuOperands::kSameShape>(
    kGpuRectifierTypes)};

}  // namespace millrace::ops
