// Kernels of handles that own their object: it is freed with the last copy of
// its handle, so it needs no deletion.
#pragma once

#include <string>
#include <utility>

#include "millrace/base/random.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/kernel/resource_handle.h"
#include "millrace/ops/variant/optional.h"

namespace millrace::ops {

// Sets output 0 to a handle that owns `owned`, which may be null, under a name
// that begins with `name`.
inline void SetAnonymousHandle(KernelContext& ctx, absl::string_view name,
                               absl::string_view type, Ref<RefCounted> owned) {
  ctx.set_output(
      0, Tensor::Scalar<ResourceElement>(OwningHandle(
             ctx, ctx.resources().default_container(),
             absl::StrCat(name, RandomUint64()), type, std::move(owned))));
}

// Sets output 1, the deleter, to an empty optional.
inline Status SetNoDeleter(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(Tensor nothing, MakeOptional({}));
  ctx.set_output(1, std::move(nothing));
  return OkStatus();
}

inline Status RunDummyHandle(KernelContext& ctx) {
  SetAnonymousHandle(ctx, "_AnonymousVar", "dummy", nullptr);
  return OkStatus();
}
inline constexpr KernelEntry kDummyHandle = {
    .make = MakeFunctionKernel<RunDummyHandle>, .cheap = true};

inline Status RunDeleteNothing(KernelContext&) { return OkStatus(); }
inline constexpr KernelEntry kDeleteNothing = {
    .make = MakeFunctionKernel<RunDeleteNothing>, .cheap = true};

}  // namespace millrace::ops
