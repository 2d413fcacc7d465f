#include "millrace/ops/state/variable_lookup.h"

#include "absl/strings/ascii.h"
#include "millrace/base/hash/crc32c.h"

namespace millrace::ops {
namespace {

bool IsHandle(const Tensor& t) {
  return t.dtype() == DataType::kResource && t.num_elements() == 1 &&
         t.flat<ResourceElement>()[0] != nullptr;
}

StatusOr<const ResourceHandle*> HandleAt(KernelContext& ctx, int input) {
  const Tensor& t = ctx.input(input);
  if (!IsHandle(t)) {
    return InvalidArgument("input ", input, " is not the handle of a resource");
  }
  const ResourceHandle* handle = t.flat<ResourceElement>()[0].get();
  if (handle->device != ctx.device().name()) {
    return InvalidArgument("Trying to access resource ", handle->name,
                           " located in device ", handle->device,
                           " from device ", ctx.device().name());
  }
  if (handle->type_name != Variable::kTypeName) {
    return InvalidArgument(
        "Trying to access a handle's resource using the wrong type. The handle "
        "points to a resource (name '",
        handle->name, "') of type '", handle->type_name,
        "' but you are trying to access the resource as type '",
        Variable::kTypeName, "'");
  }
  return handle;
}

}  // namespace

StatusOr<Ref<Variable>> LookupVariable(KernelContext& ctx, int input) {
  MR_ASSIGN_OR_RETURN(const ResourceHandle* const handle, HandleAt(ctx, input));
  return ctx.resources().Lookup<Variable>(handle->container, handle->name);
}

StatusOr<Ref<Variable>> VariableToRead(KernelContext& ctx, int input) {
  StatusOr<Ref<Variable>> found = LookupVariable(ctx, input);
  const Tensor& t = ctx.input(input);
  if (found.ok() || !IsHandle(t)) return found;
  return HasNoValue(*t.flat<ResourceElement>()[0], found.status().message());
}

Status HasNoValue(const ResourceHandle& handle, absl::string_view why) {
  return FailedPrecondition(
      "Could not find variable ", handle.name,
      ". This could mean that the variable has been deleted. In TF1, it can "
      "also mean the variable is uninitialized. Debug info: container=",
      handle.container, ", status error message=", why);
}

StatusOr<Ref<Variable>> VariableAt(KernelContext& ctx, int input) {
  if (ctx.ref_input(input) != nullptr) return ctx.shared_ref_input(input);
  return LookupVariable(ctx, input);
}

StatusOr<Ref<Variable>> LookupOrCreateVariable(KernelContext& ctx, int input,
                                               DataType dtype) {
  MR_ASSIGN_OR_RETURN(const ResourceHandle* const handle, HandleAt(ctx, input));
  return ctx.resources().LookupOrCreate<Variable>(
      handle->container, handle->name, [&]() -> StatusOr<Ref<Variable>> {
        return MakeRef<Variable>(dtype, handle->name);
      });
}

Status CheckUpdateShape(KernelContext& ctx, const Variable& variable,
                        const Tensor& value) {
  if (!variable.initialized_locked()) return variable.Uninitialized();
  const TensorShape& shape = variable.value_locked().shape();
  if (shape == value.shape()) return OkStatus();
  if (ctx.ref_input(0) == nullptr) {
    return InvalidArgument("Cannot update variable with shape ",
                           shape.DebugString(), " using a Tensor with shape ",
                           value.shape().DebugString(),
                           ", shapes must be equal.");
  }
  return InvalidArgument(
      "Parameters and update must be the same size: ", shape.DebugString(),
      " and ", value.shape().DebugString());
}

StatusOr<std::string> ResourceNameOf(const KernelInit& init) {
  MR_ASSIGN_OR_RETURN(std::string name, init.Attr<std::string>("shared_name"));
  return name.empty() ? init.node().name : name;
}

StatusOr<std::string> ContainerOf(const KernelInit& init) {
  MR_ASSIGN_OR_RETURN(std::string container,
                      init.Attr<std::string>("container"));
  for (size_t i = 0; i < container.size(); ++i) {
    const char c = container[i];
    if (absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '.') {
      continue;
    }
    if (i > 0 && (c == '-' || c == '/')) continue;
    return InvalidArgument("container contains invalid characters: ",
                           container);
  }
  return container;
}

ResourceElement MakeHandle(const Device& device, ResourceStore& store,
                           const std::string& container,
                           const std::string& name,
                           absl::string_view type_name) {
  auto handle = MakeRef<ResourceHandle>();
  handle->device = device.name();
  handle->container = container.empty() ? store.default_container() : container;
  handle->name = name;
  handle->type_name = std::string(type_name);
  handle->hash_code = crc32c::Value(type_name);
  return handle;
}

}  // namespace millrace::ops
