// OptionalValue: a tuple of tensors or nothing, which is the value of a
// variant.
#pragma once

#include <vector>

#include "millrace/base/memory/memory_charge.h"
#include "millrace/tensor/variant/compound_variant.h"
#include "millrace/tensor/variant/variant_content.h"

namespace millrace {

// Has no components if it is empty. Immutable.
class OptionalValue final : public CompoundVariant {
 public:
  static constexpr absl::string_view kTypeName = "tensorflow::data::Optional";

  // Returns RESOURCE_EXHAUSTED if there is no memory for the table of
  // components.
  static StatusOr<Ref<VariantValue>> Make(std::vector<Tensor> components);
  // Returns the optional that ToWire described, or INVALID_ARGUMENT for
  // malformed metadata.
  static StatusOr<Ref<VariantValue>> FromWire(DecodedVariant in);

  absl::string_view type_name() const override { return kTypeName; }
  const std::vector<Tensor>& components() const { return components_; }
  bool has_value() const { return !components_.empty(); }

  bool ToWire(VariantContent* content) const override;
  absl::Span<const Tensor> parts() const override { return components_; }
  Status CheckSum(const VariantValue& other) const override;
  StatusOr<Ref<VariantValue>> With(std::vector<Tensor> parts,
                                   const CompoundVariant*) const override {
    return Make(std::move(parts));
  }

 private:
  std::vector<Tensor> components_;
  MemoryCharge charge_;
};

}  // namespace millrace
