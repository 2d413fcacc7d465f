// HandleKernel: the kernel of a node that creates a resource.
#pragma once

#include <memory>
#include <utility>

#include "millrace/kernel/kernel.h"
#include "millrace/kernel/resource.h"
#include "millrace/kernel/resource_handle.h"

namespace millrace {

// The kernel of a node that creates a T, of the kind kWhat if there are
// several. T has
//   struct Options;                                    copyable
//   static StatusOr<Options> OptionsFrom(const KernelInit&, kWhat...);
//   T(Options, std::string name);
//   Status CheckOptions(const Options&) const;         called for each user
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
    // It may be missing after a reset.
    (void)store_.Delete(place_.container, place_.name, T::kTypeName);
  }

  Status Run(KernelContext& ctx) const {
    MR_RETURN_IF_ERROR(FindOrMake(ctx).status());
    output_.Set(ctx);
    return OkStatus();
  }

  // Creates the resource again if its container was reset since the last run.
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

}  // namespace millrace
