// The TensorArray behind a kernel's handle: a resource or, in the first two
// generations of ops, two strings.
#pragma once

#include "absl/strings/str_cat.h"
#include "millrace/kernel/resource_handle.h"
#include "millrace/kernel/step_container.h"
#include "millrace/ops/tensor_array/tensor_array.h"

namespace millrace::ops {

// The first string of a handle: arrays, and arrays of gradients.
inline constexpr absl::string_view kArrays = "_tensor_arrays";
inline constexpr absl::string_view kGradientArrays = "_tensor_array_grads";

// Returns the strings in input 0, in which the container is one of the two
// above.
inline StatusOr<ResourcePlace> ArrayStrings(KernelContext& ctx) {
  return PlaceFromStrings(
      ctx, 0, "Tensor array handle must be 2-element vector, but had shape: ");
}

// Returns the place of the array that input 0 names in the step's container.
inline StatusOr<ResourcePlace> ArrayPlace(KernelContext& ctx) {
  if (ctx.node().op->inputs[0].type == DataType::kResource) {
    return PlaceFromInput(ctx, 0, TensorArray::kTypeName);
  }
  MR_ASSIGN_OR_RETURN(ResourcePlace place, ArrayStrings(ctx));
  place.name = absl::StrCat(place.container, place.name);
  place.container = StepContainer::NameOf(ctx.step().step_id);
  return place;
}

// Returns the array that input 0 names, in the step's container. Returns
// INVALID_ARGUMENT if it is not such a handle, NOT_FOUND for an array of
// another step.
inline StatusOr<Ref<TensorArray>> ArrayOfInput(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const ResourcePlace place, ArrayPlace(ctx));
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
