// TensorListValue: a list of tensors, which is the value of a variant.
#pragma once

#include <utility>
#include <vector>

#include "millrace/base/memory/memory_charge.h"
#include "millrace/tensor/variant/compound_variant.h"
#include "millrace/tensor/variant/variant_content.h"

namespace millrace {

// Immutable once a second reference exists.
class TensorListValue final : public CompoundVariant {
 public:
  static constexpr absl::string_view kTypeName = "tensorflow::TensorList";

  TensorListValue(DataType dtype, PartialShape shape)
      : element_dtype(dtype), element_shape(std::move(shape)) {}

  // Returns the list that ToWire described. Returns INVALID_ARGUMENT for
  // malformed metadata and for elements of another type than the list's, and
  // RESOURCE_EXHAUSTED if memory runs out.
  static StatusOr<Ref<VariantValue>> FromWire(DecodedVariant in);

  absl::string_view type_name() const override { return kTypeName; }
  bool ToWire(VariantContent* content) const override;
  absl::Span<const Tensor> parts() const override { return tensors_; }
  Status CheckSum(const VariantValue& other) const override;
  StatusOr<Ref<VariantValue>> With(std::vector<Tensor> parts,
                                   const CompoundVariant* other) const override;

  const std::vector<Tensor>& tensors() const { return tensors_; }
  int64_t size() const { return static_cast<int64_t>(tensors_.size()); }

  // These require the only reference. They return RESOURCE_EXHAUSTED if memory
  // runs out.
  Status Resize(int64_t size);  // new elements are not set
  Status Push(Tensor value);
  Tensor Pop();
  void Set(int64_t i, Tensor value) {
    tensors_[static_cast<size_t>(i)] = std::move(value);
  }
  StatusOr<Ref<TensorListValue>> Copy() const;

  const DataType element_dtype;
  const PartialShape element_shape;
  int32_t max_num_elements = -1;  // -1: any

 private:
  // Sets all elements: those at the next `unset` numbers of `indices` are not
  // set, the others are `values` in their order.
  Status Spread(ChunkReader indices, uint64_t unset,
                std::vector<Tensor> values);

  std::vector<Tensor> tensors_;  // no type: not set
  MemoryCharge charge_;
};

}  // namespace millrace
