// Sums and zeros of variants that are made of tensors.
#pragma once

#include "millrace/kernel/kernel_context.h"
#include "millrace/tensor/variant/compound_variant.h"

namespace millrace::ops {

// Returns a value of the same form with zeros inside, for ZerosLike. Returns
// UNIMPLEMENTED for a value, or one inside of it, that is not a
// CompoundVariant, and RESOURCE_EXHAUSTED if memory runs out.
StatusOr<Ref<VariantValue>> ZerosOfVariant(const VariantValue& value,
                                           Allocator* allocator);

// Returns the sum of two variants of one shape, element by element. Returns
// UNIMPLEMENTED for elements that are not a CompoundVariant, INVALID_ARGUMENT
// for two that cannot be added, RESOURCE_EXHAUSTED if memory runs out, or why
// the step was cancelled.
StatusOr<Tensor> SumVariants(KernelContext& ctx, const Tensor& a,
                             const Tensor& b);

}  // namespace millrace::ops
