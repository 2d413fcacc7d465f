// The TensorArray behind a kernel's handle.
#pragma once

#include "millrace/kernel/resource_handle.h"
#include "millrace/kernel/step_container.h"
#include "millrace/ops/tensor_array/tensor_array.h"

namespace millrace::ops {

// Returns the array that input 0 names, in the step's container. Returns
// INVALID_ARGUMENT if it is not such a handle, NOT_FOUND for an array of
// another step.
inline StatusOr<Ref<TensorArray>> ArrayOfInput(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const ResourcePlace place,
                      PlaceFromInput(ctx, 0, TensorArray::kTypeName));
  if (ctx.step().container == nullptr) {
    return FailedPrecondition("the step has no container");
  }
  return ctx.step().container->store().Lookup<TensorArray>(place.container,
                                                           place.name);
}

// Does the same for a kernel that reads elements of type `type`.
inline StatusOr<Ref<TensorArray>> ArrayToRead(KernelContext& ctx,
                                              DataType type) {
  MR_ASSIGN_OR_RETURN(Ref<TensorArray> array, ArrayOfInput(ctx));
  if (array->dtype() != type) {
    return InvalidArgument("TensorArray dtype is ",
                           DataTypeName(array->dtype()),
                           " but Op requested dtype ", DataTypeName(type), ".");
  }
  return array;
}

// Does the same for a kernel that writes elements of type `type`.
inline StatusOr<Ref<TensorArray>> ArrayToWrite(KernelContext& ctx,
                                               DataType type) {
  MR_ASSIGN_OR_RETURN(Ref<TensorArray> array, ArrayOfInput(ctx));
  if (array->dtype() != type) {
    return InvalidArgument(
        "TensorArray dtype is ", DataTypeName(array->dtype()),
        " but Op is trying to write dtype ", DataTypeName(type), ".");
  }
  return array;
}

}  // namespace millrace::ops
