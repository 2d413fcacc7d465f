// ElementwiseText: an op as code of one element, for GPUs.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "millrace/base/check.h"
#include "millrace/device/cuda/gpu_source.h"
#include "millrace/kernel/elementwise_function.h"
#include "millrace/kernel/kernel.h"

namespace millrace::ops {

struct ElementwiseText {
  // How the shapes of the inputs are related.
  enum class Shapes {
    kBroadcast,  // are broadcast to one
    kSame,
    // The second is a vector along the last dimension of the first, or along
    // dimension 1.
    kBias,
    kBiasOfChannelsFirst,
  };
  static constexpr int kMaxInputs = 3;

  // An expression of the elements $0, $1, ... of the inputs, whose type is that
  // of the output: "Apply<op::Add>($0, $1)".
  std::string expression;
  // The texts that define the names in it, each behind those that it needs.
  std::vector<const GpuSource*> sources;
  Shapes shapes = Shapes::kBroadcast;
  // Whether computing takes longer than memory, so that threads take single
  // elements.
  bool slow = false;
};

using ElementwiseTextMaker = StatusOr<ElementwiseText> (*)(const KernelInit&);

// The text as what KernelEntry::elementwise makes. Its Run is never called: the
// host cannot read the elements.
class ElementwiseOnGpu final : public ElementwiseFunction {
 public:
  ElementwiseOnGpu(ElementwiseText text, int num_inputs)
      : ElementwiseFunction(num_inputs,
                            text.shapes == ElementwiseText::Shapes::kBroadcast,
                            0, ""),
        text_(std::move(text)) {}

  const ElementwiseText& text() const { return text_; }
  bool Run(const char* const*, uint32_t, char*, int64_t) const override {
    MR_CHECK(false, "elements of a GPU asked of the host");
    return false;
  }

 private:
  const ElementwiseText text_;
};

template <ElementwiseTextMaker kText>
StatusOr<std::unique_ptr<ElementwiseFunction>> ElementwiseOfText(
    const KernelInit& init) {
  MR_ASSIGN_OR_RETURN(ElementwiseText text, kText(init));
  return std::unique_ptr<ElementwiseFunction>(
      new ElementwiseOnGpu(std::move(text), init.num_inputs()));
}

}  // namespace millrace::ops
