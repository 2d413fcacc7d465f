// Sums of two tensors inside kernels: of gradients that are added up.
#pragma once

#include "millrace/kernel/kernel_context.h"

namespace millrace::ops {

// What a variant may hold that adds up tensor by tensor, for AddN.
class SummableVariant : public VariantValue {
 public:
  // INVALID_ARGUMENT if `other` is of another form; RESOURCE_EXHAUSTED.
  virtual StatusOr<Ref<VariantValue>> Add(KernelContext& ctx,
                                          const VariantValue& other) const = 0;
};

// Numbers add up; bool, strings, handles and quantized types do not.
bool AddsUp(DataType type);

// a + b in a tensor of its own. Where one of them has no value (no type), the
// other one. Variants must be summable. INVALID_ARGUMENT if types or shapes
// differ or the type does not add up; RESOURCE_EXHAUSTED.
StatusOr<Tensor> SumTensors(KernelContext& ctx, const Tensor& a,
                            const Tensor& b);
// *sum += x, numbers of one type and shape, where nobody else sees *sum; else
// *sum becomes a tensor of its own.
Status AddInPlace(KernelContext& ctx, Tensor* sum, const Tensor& x);

}  // namespace millrace::ops
