// CompoundVariant: what a variant may hold that is made of tensors.
#pragma once

#include <vector>

#include "millrace/kernel/kernel_context.h"

namespace millrace::ops {

// Lists and optionals. AddN and ZerosLike go through them part by part. Such
// values nest as deep as a client likes and one may be in many others, so that
// what goes through them does not call itself for what is inside, and makes one
// value of one (of two, where it adds).
class CompoundVariant : public VariantValue {
 public:
  // Those that are not set have no type.
  virtual absl::Span<const Tensor> parts() const = 0;
  // INVALID_ARGUMENT unless `other` is of the same class and has as many parts,
  // and whatever else the class asks of two values that are added.
  virtual Status CheckSum(const VariantValue& other) const = 0;
  // A value of this form (of both, where this and `other`, if there is one, are
  // added) with these parts, as many as it has. RESOURCE_EXHAUSTED.
  virtual StatusOr<Ref<VariantValue>> With(
      std::vector<Tensor> parts, const CompoundVariant* other) const = 0;

  StatusOr<Ref<VariantValue>> ZerosLike(Allocator* allocator) const final;
};

// The sum of two variants of one shape, element by element. UNIMPLEMENTED for
// elements that are no CompoundVariant, INVALID_ARGUMENT for two that do not
// add up, RESOURCE_EXHAUSTED, or why the step was cancelled.
StatusOr<Tensor> SumVariants(KernelContext& ctx, const Tensor& a,
                             const Tensor& b);

}  // namespace millrace::ops
