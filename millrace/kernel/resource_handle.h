// Resources behind handles: a string reference [container, name] (first
// generation ops) or a resource tensor (V2 ops).
#pragma once

#include <string>

#include "millrace/kernel/kernel.h"
#include "millrace/kernel/resource.h"
#include "millrace/kernel/variable.h"

namespace millrace {

// Where a node's resource lies. Without `shared_name` it is private: gone with
// the kernel, under a name that no other node has.
struct ResourcePlace {
  std::string container;  // never empty
  std::string name;
  bool is_private = false;
};

// INVALID_ARGUMENT for a `shared_name` that begins with '_' and for containers
// with characters other than letters, digits, '_', '.', '-' and '/'. A private
// name is completed by PrivateName.
StatusOr<ResourcePlace> PlaceOf(const KernelInit& init);
// The name of a private resource of the node, with a number of the store's.
std::string PrivateName(absl::string_view node, int64_t number);

// Output 0 of a node that makes a resource.
class HandleOutput {
 public:
  HandleOutput() = default;
  // A reference or a resource tensor, as the node's schema says.
  HandleOutput(const KernelInit& init, const ResourcePlace& place,
               absl::string_view type_name);
  void Set(KernelContext& ctx) const;

 private:
  Ref<Variable> reference_;
  Tensor handle_;
};

// Container and name that input `i` says, of either kind. INVALID_ARGUMENT for
// what is no handle, for another device's and for another type's.
StatusOr<ResourcePlace> PlaceFromInput(KernelContext& ctx, int i,
                                       absl::string_view type_name);

template <class T>
StatusOr<Ref<T>> LookupInput(KernelContext& ctx, int i) {
  MR_ASSIGN_OR_RETURN(const ResourcePlace place,
                      PlaceFromInput(ctx, i, T::kTypeName));
  return ctx.resources().Lookup<T>(place.container, place.name);
}

// A handle that holds what it stands for: gone with the last copy of it.
Ref<ResourceHandle> OwningHandle(KernelContext& ctx, std::string container,
                                 std::string name, absl::string_view type_name,
                                 Ref<RefCounted> owned);
// The T that the handle in input `i` holds; null where it holds none, or is no
// handle.
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
