// Resources behind handles: a string reference [container, name]
// (first-generation ops) or a resource tensor (V2 ops).
#pragma once

#include <string>

#include "millrace/kernel/kernel.h"
#include "millrace/kernel/resource.h"
#include "millrace/kernel/variable.h"

namespace millrace {

// The place of a node's resource. Without `shared_name` it is private: it is
// destroyed with the kernel, and its name is unique.
struct ResourcePlace {
  std::string container;  // never empty
  std::string name;
  bool is_private = false;
};

// Returns INVALID_ARGUMENT for a `shared_name` that begins with '_' and for
// containers with characters other than letters, digits, '_', '.', '-' and '/'.
// A private name is completed by PrivateName.
StatusOr<ResourcePlace> PlaceOf(const KernelInit& init);
// Returns the name of a private resource of the node, with a number from the
// store.
std::string PrivateName(absl::string_view node, int64_t number);

// Output 0 of a node that creates a resource.
class HandleOutput {
 public:
  HandleOutput() = default;
  // Makes a reference or a resource tensor, as the node's schema requires.
  HandleOutput(const KernelInit& init, const ResourcePlace& place,
               absl::string_view type_name);
  void Set(KernelContext& ctx) const;

 private:
  Ref<Variable> reference_;
  Tensor handle_;
};

// Returns the container and name that input `i` holds as two strings, or refers
// to. Any other number of elements is INVALID_ARGUMENT, `complaint` followed by
// the shape.
StatusOr<ResourcePlace> PlaceFromStrings(KernelContext& ctx, int i,
                                         absl::string_view complaint);

// Returns the container and name in input `i`, of either kind. INVALID_ARGUMENT
// for an invalid handle, and for a handle to another device or another type.
StatusOr<ResourcePlace> PlaceFromInput(KernelContext& ctx, int i,
                                       absl::string_view type_name);

template <class T>
StatusOr<Ref<T>> LookupInput(KernelContext& ctx, int i) {
  MR_ASSIGN_OR_RETURN(const ResourcePlace place,
                      PlaceFromInput(ctx, i, T::kTypeName));
  return ctx.resources().Lookup<T>(place.container, place.name);
}

// Returns a handle that owns its resource: the resource is destroyed with the
// last copy of the handle.
Ref<ResourceHandle> OwningHandle(KernelContext& ctx, std::string container,
                                 std::string name, absl::string_view type_name,
                                 Ref<RefCounted> owned);
// Returns the T that the handle in input `i` owns; null if it owns none, or if
// the input is not a handle.
template <class T>
Ref<T> OwnedByInput(KernelContext& ctx, int i) {
  const Tensor& t = ctx.input(i);
  if (!t.valid() || t.dtype() != DataType::kResource || t.num_elements() != 1) {
    return {};
  }
  const ResourceElement& handle = t.flat<ResourceElement>()[0];
  T* const owned =
      handle == nullptr ? nullptr : dynamic_cast<T*>(handle->owned.get());
  return owned == nullptr ? Ref<T>() : Ref<T>::Share(owned);
}

}  // namespace millrace
