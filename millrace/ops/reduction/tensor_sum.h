// Sums of two tensors inside kernels: of gradients that are added up.
#pragma once

#include "millrace/kernel/kernel_context.h"

namespace millrace::ops {

// Numbers add up; bool, strings, handles and quantized types do not.
bool AddsUp(DataType type);

// INVALID_ARGUMENT unless both have the same type and shape.
Status CheckSameForm(const Tensor& a, const Tensor& b);
// a + b in a tensor of its own. Where one of them has no value (no type), the
// other one. Variants: see compound_variant.h. INVALID_ARGUMENT if types or
// shapes differ or the type does not add up; RESOURCE_EXHAUSTED.
StatusOr<Tensor> SumTensors(KernelContext& ctx, const Tensor& a,
                            const Tensor& b);
// *sum += x, numbers of one type and shape, where nobody else sees *sum; else
// *sum becomes a tensor of its own.
Status AddInPlace(KernelContext& ctx, Tensor* sum, const Tensor& x);

}  // namespace millrace::ops
