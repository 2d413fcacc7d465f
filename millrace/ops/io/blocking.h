// Runs a kernel's body on the blocking pool.
#pragma once

#include <exception>
#include <memory>
#include <new>
#include <utility>

#include "millrace/base/memory/memory_budget.h"
#include "millrace/kernel/kernel.h"

namespace millrace::ops {

// Runs `body` as the executor runs kernels: libraries may throw. `ctx` must
// live until `done`.
template <class F>
Status RunGuarded(const KernelContext& ctx, F& body) {
  const ScopedMemoryLimit limit;
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return ResourceExhausted("OOM in op ", ctx.node().op->name);
  } catch (const std::exception& e) {
    return Internal("op ", ctx.node().op->name, " failed: ", e.what());
  }
}

// Runs `body` (returning Status) once on the device's blocking pool, then calls
// `done`. Passes RESOURCE_EXHAUSTED to `done` if too many operations wait there
// already.
template <class F>
void RunBlocking(KernelContext& ctx, Done done, F body) {
  auto shared = std::make_shared<Done>(std::move(done));
  const Status queued = ctx.device().lanes().blocking.TrySchedule(
      [&ctx, shared, body = std::move(body)]() mutable {
        std::move (*shared)(RunGuarded(ctx, body));
      });
  if (!queued.ok()) std::move (*shared)(queued);
}

}  // namespace millrace::ops
