// CompoundVariant: the value of a variant that is made of tensors.
#pragma once

#include <vector>

#include "absl/types/span.h"
#include "millrace/tensor/tensor.h"

namespace millrace {

// The base class of lists and optionals. Kernels that make sums and zeros
// process them part by part. Such values nest as deeply as a client likes, and
// one may be contained in many others; so processing must not recurse into the
// parts, and makes one value for each value (for each pair, in sums).
class CompoundVariant : public VariantValue {
 public:
  // Returns the parts; those that are not set have no type.
  virtual absl::Span<const Tensor> parts() const = 0;
  // Returns INVALID_ARGUMENT unless `other` is of the same class, has as many
  // parts, and meets any other condition of the class for a sum.
  virtual Status CheckSum(const VariantValue& other) const = 0;
  // Returns a value of this form (in a sum, of this form and that of `other`,
  // else null) with `parts`, as many as this has. Returns RESOURCE_EXHAUSTED if
  // memory runs out.
  virtual StatusOr<Ref<VariantValue>> With(
      std::vector<Tensor> parts, const CompoundVariant* other) const = 0;
};

}  // namespace millrace
