// Finds the Variable of a handle or a node.
#pragma once

#include <string>

#include "millrace/kernel/kernel.h"
#include "millrace/kernel/variable.h"

namespace millrace::ops {

// Returns the variable behind a resource handle. Returns NOT_FOUND "Resource
// container/name/Variable does not exist." or the like if there is none,
// INVALID_ARGUMENT for a handle of another device or of another type.
StatusOr<Ref<Variable>> LookupVariable(KernelContext& ctx, int input);

// Returns the same variable. Returns HasNoValue if there is none.
StatusOr<Ref<Variable>> VariableToRead(KernelContext& ctx, int input);

// Returns FAILED_PRECONDITION "Could not find variable NAME. ..." of a variable
// without a value, for the reason `why`.
Status HasNoValue(const ResourceHandle& handle, absl::string_view why);

// Returns the same variable, and makes it without a value if it does not exist,
// for assignments.
StatusOr<Ref<Variable>> LookupOrCreateVariable(KernelContext& ctx, int input,
                                               DataType dtype);

// Returns the variable of an input that is a reference or a resource handle.
StatusOr<Ref<Variable>> VariableAt(KernelContext& ctx, int input);

// Returns an error unless `variable`, which is locked, has a value of the shape
// of `value`: FAILED_PRECONDITION "Attempting to use uninitialized value NAME",
// INVALID_ARGUMENT "Parameters and update must be the same size: [2] and [3]"
// for a reference, "Cannot update variable with shape ..." for a resource.
Status CheckUpdateShape(KernelContext& ctx, const Variable& variable,
                        const Tensor& value);

// Returns `shared_name`, or the node's name.
StatusOr<std::string> ResourceNameOf(const KernelInit& init);

// Returns the attribute `container`. Returns INVALID_ARGUMENT "container
// contains invalid characters: X" unless it consists of letters, digits and . -
// / (not beginning with - or /).
StatusOr<std::string> ContainerOf(const KernelInit& init);

// Returns a handle with the default container filled in.
ResourceElement MakeHandle(const Device& device, ResourceStore& store,
                           const std::string& container,
                           const std::string& name,
                           absl::string_view type_name);

}  // namespace millrace::ops
