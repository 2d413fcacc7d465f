// VariantTensor: a tensor as the value of a variant, as parts of serialized
// sparse tensors are.
#pragma once

#include <utility>

#include "millrace/tensor/tensor.h"

namespace millrace::ops {

// Immutable.
class VariantTensor final : public VariantValue {
 public:
  static constexpr absl::string_view kTypeName = "tensorflow::Tensor";
  explicit VariantTensor(Tensor tensor) : tensor_(std::move(tensor)) {}
  absl::string_view type_name() const override { return kTypeName; }
  const Tensor& tensor() const { return tensor_; }

 private:
  const Tensor tensor_;
};

}  // namespace millrace::ops
