// Kernels of elementwise ops on GPUs, from the texts of what they make of one
// element.
//
//   MR_GPU_SOURCE(arithmetic_unary);  // has struct op::Neg
//   MR_KERNELS(Neg, Gpu){
//       GpuElementwise<OpText<MR_GPU_SOURCE_OF(arithmetic_unary)>>("T: half,
//       ..."), kInt32OnHost};
#pragma once

#include <memory>
#include <string>

#include "millrace/device/cuda/gpu_source.h"
#include "millrace/kernel/kernel.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/elementwise/elementwise_text.gpu.h"

namespace millrace::ops {

// How the shapes of the inputs of an op are related.
enum class GpuOperands {
  kBroadcast,
  kSameSize,  // as many elements, in the shape of the first
  kSameShape,
};

// Returns the text "Apply<op::NAME>($0, ...)", by the op's name and number of
// inputs.
ElementwiseText TextOfName(const KernelInit& init,
                           std::initializer_list<const GpuSource*> sources);

template <const GpuSource&... kSources>
StatusOr<ElementwiseText> OpText(const KernelInit& init) {
  return TextOfName(init, {&kSources...});
}
// Returns the text of an op that takes longer than reading its operands.
template <const GpuSource&... kSources>
StatusOr<ElementwiseText> SlowOpText(const KernelInit& init) {
  ElementwiseText text = TextOfName(init, {&kSources...});
  text.slow = true;
  return text;
}
// Returns the text of an op whose inputs have one shape.
template <const GpuSource&... kSources>
StatusOr<ElementwiseText> SameShapeText(const KernelInit& init) {
  ElementwiseText text = TextOfName(init, {&kSources...});
  text.shapes = ElementwiseText::Shapes::kSame;
  return text;
}

// Makes a kernel of one to three inputs. Returns errors of the compiler.
StatusOr<std::unique_ptr<Kernel>> MakeGpuElementwiseKernel(
    const KernelInit& init, const ElementwiseText& text, GpuOperands operands);
// Makes a kernel of Equal or NotEqual, as MakeEqualityKernel does for CPUs.
StatusOr<std::unique_ptr<Kernel>> MakeGpuEqualityKernel(
    const KernelInit& init, const ElementwiseText& text, bool if_incompatible);

template <ElementwiseTextMaker kText, GpuOperands kOperands>
StatusOr<std::unique_ptr<Kernel>> MakeGpuElementwise(const KernelInit& init) {
  MR_ASSIGN_OR_RETURN(const ElementwiseText text, kText(init));
  return MakeGpuElementwiseKernel(init, text, kOperands);
}

// Returns the entry of an op with a text.
template <ElementwiseTextMaker kText,
          GpuOperands kOperands = GpuOperands::kBroadcast>
constexpr KernelEntry GpuElementwise(const char* types) {
  return {.types = types,
          .make = MakeGpuElementwise<kText, kOperands>,
          .elementwise = ElementwiseOfText<kText>};
}

// The entry of int32, which as in TensorFlow lies on the host: sizes and
// indices are made of it.
inline constexpr KernelEntry kInt32OnHost = {
    .types = "T: int32", .make = OnHost, .host = "*"};

}  // namespace millrace::ops
