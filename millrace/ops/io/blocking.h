// Runs a kernel's body on the blocking pool.
#pragma once

#include <memory>
#include <utility>

#include "millrace/kernel/kernel.h"

namespace millrace::ops {

// `body` (Status()) runs once on the device's blocking pool, then `done`.
// RESOURCE_EXHAUSTED if too many operations wait there already.
template <class F>
void RunBlocking(KernelContext& ctx, Done done, F body) {
  auto shared = std::make_shared<Done>(std::move(done));
  const Status queued = ctx.device().lanes().blocking.TrySchedule(
      [shared, body = std::move(body)]() mutable {
        std::move (*shared)(body());
      });
  if (!queued.ok()) std::move (*shared)(queued);
}

}  // namespace millrace::ops
