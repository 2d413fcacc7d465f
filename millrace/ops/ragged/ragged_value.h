// RaggedValue: a ragged tensor, which is the value of a variant.
#pragma once

#include <vector>

#include "millrace/kernel/kernel_context.h"
#include "millrace/tensor/tensor.h"

namespace millrace::ops {

// Immutable.
class RaggedValue final : public VariantValue {
 public:
  static constexpr absl::string_view kTypeName = "RaggedTensorVariant";

  // Splits are vectors of one type, from the outermost dimension on.
  RaggedValue(std::vector<Tensor> splits, Tensor values)
      : splits_(std::move(splits)), values_(std::move(values)) {}

  absl::string_view type_name() const override { return kTypeName; }
  const std::vector<Tensor>& splits() const { return splits_; }
  const Tensor& values() const { return values_; }
  int64_t ragged_rank() const { return static_cast<int64_t>(splits_.size()); }

 private:
  const std::vector<Tensor> splits_;
  const Tensor values_;
};

}  // namespace millrace::ops
