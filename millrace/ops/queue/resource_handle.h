// Resources behind handles: a string reference [container, name] (first
// generation ops) or a resource tensor (V2 ops).
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "millrace/kernel/kernel.h"
#include "millrace/kernel/resource.h"

namespace millrace::ops {

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

// For messages: "float, int32" and "[[2], []]".
std::string TypesText(absl::Span<const DataType> types);
std::string ShapesText(const std::vector<PartialShape>& shapes);

// Whoever shares a resource must want tuples of the same components:
// INVALID_ARGUMENT "Shared queue 'NAME' has component types ...", where `what`
// is "queue".
Status ExpectSameComponents(absl::string_view what, const std::string& name,
                            const std::vector<DataType>& types,
                            const std::vector<PartialShape>& shapes,
                            const std::vector<DataType>& wanted_types,
                            const std::vector<PartialShape>& wanted_shapes);

// INVALID_ARGUMENT: the node has other types than the resource.
Status SignatureMismatch(const NodeInfo& node,
                         absl::Span<const DataType> inputs,
                         absl::Span<const DataType> outputs);

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

// The kernel of a node that makes a T, one of the kind kWhat if there are
// several. It has
//   struct Options;                                    copyable
//   static StatusOr<Options> OptionsFrom(const KernelInit&, kWhat...);
//   T(Options, std::string name);
//   Status CheckOptions(const Options&) const;         of who shares it
template <class T, auto... kWhat>
class HandleKernel {
 public:
  static StatusOr<std::unique_ptr<HandleKernel>> Make(const KernelInit& init) {
    MR_ASSIGN_OR_RETURN(auto options, T::OptionsFrom(init, kWhat...));
    MR_ASSIGN_OR_RETURN(ResourcePlace place, PlaceOf(init));
    ResourceStore& store = init.device().resources();
    if (place.is_private) {
      place.name = PrivateName(init.node().name, store.NextNumber());
      MR_RETURN_IF_ERROR(store.Create(place.container, place.name,
                                      MakeRef<T>(options, place.name)));
    }
    return std::unique_ptr<HandleKernel>(
        new HandleKernel(init, std::move(options), std::move(place)));
  }
  ~HandleKernel() {
    if (!place_.is_private) return;
    // Not there any more after a reset.
    (void)store_.Delete(place_.container, place_.name, T::kTypeName);
  }

  Status Run(KernelContext& ctx) const {
    MR_RETURN_IF_ERROR(FindOrMake(ctx).status());
    output_.Set(ctx);
    return OkStatus();
  }

  // A container may have been reset since the last run.
  StatusOr<Ref<T>> FindOrMake(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(
        Ref<T> resource,
        ctx.resources().LookupOrCreate<T>(
            place_.container, place_.name, [&]() -> StatusOr<Ref<T>> {
              return MakeRef<T>(options_, place_.name);
            }));
    MR_RETURN_IF_ERROR(resource->CheckOptions(options_));
    return resource;
  }

 private:
  HandleKernel(const KernelInit& init, typename T::Options options,
               ResourcePlace place)
      : store_(init.device().resources()),
        options_(std::move(options)),
        place_(std::move(place)),
        output_(init, place_, T::kTypeName) {}

  ResourceStore& store_;
  const typename T::Options options_;
  const ResourcePlace place_;
  const HandleOutput output_;
};

}  // namespace millrace::ops
