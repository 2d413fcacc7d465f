// RaggedValue: a ragged tensor, which is the value of a variant.
#pragma once

#include <utility>
#include <vector>

#include "millrace/base/memory/memory_charge.h"
#include "millrace/tensor/tensor.h"
#include "millrace/tensor/variant/variant_content.h"

namespace millrace {

// Immutable.
class RaggedValue final : public VariantValue {
 public:
  static constexpr absl::string_view kTypeName = "RaggedTensorVariant";

  // Splits are vectors of one type, from the outermost dimension on.
  RaggedValue(std::vector<Tensor> splits, Tensor values)
      : parts_(std::move(splits)) {
    parts_.push_back(std::move(values));
  }
  // Returns the value that ToWire described. Returns INVALID_ARGUMENT for
  // splits that are no such vectors, and for scalar values that have splits;
  // whether splits fit each other and the values is not checked.
  static StatusOr<Ref<VariantValue>> FromWire(DecodedVariant in);

  absl::string_view type_name() const override { return kTypeName; }
  bool ToWire(VariantContent* content) const override {
    content->tensors = parts_;
    return true;
  }
  absl::Span<const Tensor> splits() const {
    return absl::MakeConstSpan(parts_).first(parts_.size() - 1);
  }
  const Tensor& values() const { return parts_.back(); }
  int64_t ragged_rank() const {
    return static_cast<int64_t>(parts_.size()) - 1;
  }

 private:
  std::vector<Tensor> parts_;  // the splits, and behind them the values
  MemoryCharge charge_;        // of the parts of a value that was decoded
};

}  // namespace millrace
