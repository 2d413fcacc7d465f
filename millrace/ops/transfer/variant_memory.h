// The tensors inside variants (lists, optional values), moved between host
// memory and that of a device.
#pragma once

#include "absl/functional/any_invocable.h"
#include "millrace/kernel/kernel_context.h"

namespace millrace::ops {

enum class MoveTo { kHost, kDevice };

// Calls `done` with `variants`, in which the tensors of plain types, also those
// of variants inside, are in the other memory; to a device all move but int32,
// which lies on the host there, too. `ctx` must live until then. Values of
// classes that have no tensors stay. Returns INVALID_ARGUMENT for variants that
// nest deeper than kMaxVariantDepth; RESOURCE_EXHAUSTED.
inline constexpr int kMaxVariantDepth = 100;
void MoveVariants(KernelContext& ctx, Tensor variants, MoveTo to,
                  absl::AnyInvocable<void(StatusOr<Tensor>) &&> done);

}  // namespace millrace::ops
