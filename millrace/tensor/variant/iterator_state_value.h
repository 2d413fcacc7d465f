// IteratorStateValue: the place of an iterator in its data set, tensors by key,
// which is the value of a variant.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "millrace/base/memory/memory_charge.h"
#include "millrace/tensor/tensor.h"
#include "millrace/tensor/variant/variant_content.h"

namespace millrace {

// Immutable. What the keys mean is known to the iterators alone.
class IteratorStateValue final : public VariantValue {
 public:
  static constexpr absl::string_view kTypeName = "tensorflow::Iterator";

  // Returns RESOURCE_EXHAUSTED if there is no memory for the tables of keys and
  // tensors.
  static StatusOr<Ref<VariantValue>> Make(std::map<std::string, Tensor> state);
  // Returns the state that ToWire described. Returns INVALID_ARGUMENT for
  // malformed metadata, for those of another program or version, unless there
  // is one key for each tensor, and for keys that do not ascend;
  // RESOURCE_EXHAUSTED if there is no memory for the keys.
  static StatusOr<Ref<VariantValue>> FromWire(DecodedVariant in);

  absl::string_view type_name() const override { return kTypeName; }
  bool ToWire(VariantContent* content) const override;

  // In ascending order; each has the tensor of the same index.
  const std::vector<std::string>& keys() const { return keys_; }
  const std::vector<Tensor>& tensors() const { return tensors_; }
  // Returns the index of the first key that is not less than `key`.
  size_t LowerBound(absl::string_view key) const;
  // Returns the tensor of a key, null if there is none.
  const Tensor* Find(absl::string_view key) const;

 private:
  std::vector<std::string> keys_;
  std::vector<Tensor> tensors_;
  // The memory of the tables; a table of decoded tensors has a charge already.
  MemoryCharge charge_, tensors_charge_;
};

}  // namespace millrace
