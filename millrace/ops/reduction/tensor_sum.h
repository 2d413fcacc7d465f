// Sums of two tensors inside kernels, for accumulating gradients.
#pragma once

#include "millrace/kernel/kernel_context.h"

namespace millrace::ops {

// Returns whether tensors of a type can be added: numbers can; bool, strings,
// handles and quantized types cannot.
bool IsSummable(DataType type);

// Returns INVALID_ARGUMENT unless both have the same type and shape.
Status CheckSameForm(const Tensor& a, const Tensor& b);
// Returns a + b in a new tensor, or one of them if the other has no value (no
// type). For variants see compound_variant.h. Returns INVALID_ARGUMENT if types
// or shapes differ or the type cannot be added; RESOURCE_EXHAUSTED if memory
// runs out.
StatusOr<Tensor> SumTensors(KernelContext& ctx, const Tensor& a,
                            const Tensor& b);
// Computes *sum += x, for numbers of one type and shape: in place if *sum has
// the only reference to its buffer, else in a new tensor.
Status AddInPlace(KernelContext& ctx, Tensor* sum, const Tensor& x);

}  // namespace millrace::ops
