// The lists of kernels' inputs and outputs, and the shapes of their elements.
#pragma once

#include "millrace/kernel/kernel_context.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/tensor/variant/tensor_list_value.h"

// The types that kernels of lists take.
#define MR_LIST_TYPES                                                 \
  "element_dtype: " MR_PLAIN_AND_STRING_TYPES ", " MR_QUANTIZED_TYPES \
  ", variant"

namespace millrace::ops {

// Returns the list in input `i`, a scalar, or INVALID_ARGUMENT for anything
// else.
StatusOr<const TensorListValue*> ListOfInput(KernelContext& ctx, int i);
// Does the same for a kernel that works on elements of type `dtype`.
StatusOr<const TensorListValue*> ListOfInput(KernelContext& ctx, int i,
                                             DataType dtype);
// Takes the input and returns its list for changes: the list itself if this
// kernel has the only reference, else a copy.
StatusOr<Ref<TensorListValue>> TakeList(KernelContext& ctx, int i);
void SetListOutput(KernelContext& ctx, int i, Ref<TensorListValue> list);

// Returns the shape that an int32 or int64 tensor holds: a vector with -1 for
// unknown sizes, or the scalar -1 for an unknown rank.
StatusOr<PartialShape> ShapeOfTensor(const Tensor& t);
// Merges the shape that input `i` holds with the list's element shape.
StatusOr<PartialShape> ElementShape(KernelContext& ctx, int i,
                                    const TensorListValue& list);

}  // namespace millrace::ops
