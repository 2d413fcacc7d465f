#include "millrace/kernel/resource_handle.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "millrace/base/hash/crc32c.h"

namespace millrace {

Ref<ResourceHandle> OwningHandle(KernelContext& ctx, std::string container,
                                 std::string name, absl::string_view type_name,
                                 Ref<RefCounted> owned) {
  auto handle = MakeRef<ResourceHandle>();
  handle->device = ctx.device().name();
  handle->container = std::move(container);
  handle->name = std::move(name);
  handle->type_name = std::string(type_name);
  handle->owned = std::move(owned);
  return handle;
}

StatusOr<ResourcePlace> PlaceOf(const KernelInit& init) {
  ResourcePlace place;
  MR_ASSIGN_OR_RETURN(place.container, init.Attr<std::string>("container"));
  const bool fits =
      std::all_of(place.container.begin(), place.container.end(), [](char c) {
        return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' ||
               c == '.' || c == '-' || c == '/';
      });
  if (!fits) {
    return InvalidArgument("container contains invalid characters: ",
                           place.container);
  }
  if (place.container.empty()) {
    place.container = init.device().resources().default_container();
  }
  MR_ASSIGN_OR_RETURN(place.name, init.Attr<std::string>("shared_name"));
  if (!place.name.empty() && place.name[0] == '_') {
    return InvalidArgument("shared_name cannot start with '_':", place.name);
  }
  place.is_private = place.name.empty();
  return place;
}

std::string PrivateName(absl::string_view node, int64_t number) {
  return absl::StrCat("_", number, "_", node);
}

HandleOutput::HandleOutput(const KernelInit& init, const ResourcePlace& place,
                           absl::string_view type_name) {
  if (init.node().op->outputs[0].is_ref) {
    reference_ = MakeRef<Variable>(DataType::kString, init.node().name);
    reference_->Assign(
        Tensor::Vector<std::string>({place.container, place.name}));
    return;
  }
  auto handle = MakeRef<ResourceHandle>();
  handle->device = init.device().name();
  handle->container = place.container;
  handle->name = place.name;
  handle->type_name = std::string(type_name);
  handle->hash_code = crc32c::Value(type_name);
  handle_ = Tensor::Scalar<ResourceElement>(handle);
}

void HandleOutput::Set(KernelContext& ctx) const {
  if (reference_) {
    ctx.set_output_ref(0, reference_);
  } else {
    ctx.set_output(0, handle_);
  }
}

StatusOr<ResourcePlace> PlaceFromStrings(KernelContext& ctx, int i,
                                         absl::string_view complaint) {
  Tensor strings = ctx.input(i);
  if (Variable* const reference = ctx.ref_input(i)) {
    MR_ASSIGN_OR_RETURN(strings, reference->Read());
  }
  if (strings.dtype() != DataType::kString || strings.num_elements() != 2) {
    return InvalidArgument(complaint, strings.shape().DebugString());
  }
  ResourcePlace place;
  place.container = strings.flat<StringElement>()[0].str();
  place.name = strings.flat<StringElement>()[1].str();
  return place;
}

StatusOr<ResourcePlace> PlaceFromInput(KernelContext& ctx, int i,
                                       absl::string_view type_name) {
  if (ctx.ref_input(i) != nullptr) {
    return PlaceFromStrings(
        ctx, i,
        "Tensor holding handle must have two elements, but had shape: ");
  }
  ResourcePlace place;
  const Tensor& t = ctx.input(i);
  if (t.dtype() != DataType::kResource || t.num_elements() != 1 ||
      t.flat<ResourceElement>()[0] == nullptr) {
    return InvalidArgument("input ", i, " is not the handle of a resource");
  }
  const ResourceHandle& handle = *t.flat<ResourceElement>()[0];
  if (handle.device != ctx.device().name()) {
    return InvalidArgument("Trying to access resource ", handle.name,
                           " located in device ", handle.device,
                           " from device ", ctx.device().name());
  }
  if (handle.type_name != type_name) {
    return InvalidArgument(
        "Trying to access a handle's resource using the wrong type. The handle "
        "points to a resource (name '",
        handle.name, "') of type '", handle.type_name,
        "' but you are trying to access the resource as type '", type_name,
        "'");
  }
  place.container = handle.container;
  place.name = handle.name;
  return place;
}

}  // namespace millrace
