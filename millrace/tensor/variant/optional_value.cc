#include "millrace/tensor/variant/optional_value.h"

#include <utility>

namespace millrace {

StatusOr<Ref<VariantValue>> OptionalValue::Make(
    std::vector<Tensor> components) {
  auto made = MakeRef<OptionalValue>();
  MR_RETURN_IF_ERROR(made->charge_.Set(
      static_cast<int64_t>(components.capacity() * sizeof(Tensor)),
      "the components of an optional"));
  made->components_ = std::move(components);
  return Ref<VariantValue>(std::move(made));
}

// The metadata is one byte: whether there is a value.
bool OptionalValue::ToWire(VariantContent* content) const {
  content->metadata.assign(1, has_value() ? '\1' : '\0');
  content->tensors = components_;
  return true;
}

StatusOr<Ref<VariantValue>> OptionalValue::FromWire(DecodedVariant in) {
  char has_value = 0;
  if (in.metadata.remaining() != 1)
    return InvalidArgument("malformed metadata of an optional");
  in.metadata.CopyTo(&has_value, 1);
  if ((has_value != 0) == in.tensors.empty()) {
    return InvalidArgument("an optional ", has_value != 0 ? "with" : "without",
                           " a value has ", in.tensors.size(), " components");
  }
  auto made = MakeRef<OptionalValue>();
  made->components_ = std::move(in.tensors);
  made->charge_ = std::move(in.charge);
  return Ref<VariantValue>(std::move(made));
}

Status OptionalValue::CheckSum(const VariantValue& other) const {
  if (other.type_name() != kTypeName) {
    return InvalidArgument("Cannot add an optional and a variant of type ",
                           other.type_name());
  }
  const auto& b = static_cast<const OptionalValue&>(other);
  if (has_value() != b.has_value()) {
    return InvalidArgument(
        "Cannot add optionals because one has a value and the other "
        "doesn't.");
  }
  if (components_.size() != b.components_.size()) {
    return InvalidArgument(
        "Cannot add optionals because they have different numbers of "
        "components (",
        components_.size(), " vs. ", b.components_.size(), ").");
  }
  return OkStatus();
}

}  // namespace millrace
