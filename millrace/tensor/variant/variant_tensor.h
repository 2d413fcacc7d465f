// VariantTensor: a tensor as the value of a variant, as parts of serialized
// sparse tensors are.
#pragma once

#include <utility>

#include "millrace/tensor/tensor.h"
#include "millrace/tensor/variant/variant_content.h"

namespace millrace {

// Immutable.
class VariantTensor final : public VariantValue {
 public:
  static constexpr absl::string_view kTypeName = "tensorflow::Tensor";
  explicit VariantTensor(Tensor tensor) : tensor_(std::move(tensor)) {}
  // Returns the value that ToWire described, or INVALID_ARGUMENT unless there
  // is one tensor.
  static StatusOr<Ref<VariantValue>> FromWire(DecodedVariant in) {
    if (in.tensors.size() == 1) {
      return Ref<VariantValue>(
          MakeRef<VariantTensor>(std::move(in.tensors[0])));
    }
    return InvalidArgument("a variant of type ", kTypeName, " holds ",
                           in.tensors.size(), " tensors, expected 1");
  }

  absl::string_view type_name() const override { return kTypeName; }
  bool ToWire(VariantContent* content) const override {
    content->tensors = absl::MakeConstSpan(&tensor_, 1);
    return true;
  }
  const Tensor& tensor() const { return tensor_; }

 private:
  const Tensor tensor_;
};

}  // namespace millrace
