// ReadOnHost: continues a kernel of a GPU with values that the GPU computes.
#pragma once

#include <memory>
#include <utility>

#include "millrace/kernel/kernel_context.h"

namespace millrace::ops {

// Copies `from` to host memory behind the work that was enqueued before,
// without a wait of this thread. Then calls `next(host)`, which returns a
// Status, and completes `done` with it. Both may be called before this returns.
template <class F>
void ReadOnHost(KernelContext& ctx, Tensor from, F next, Done done) {
  StatusOr<Tensor> made = Tensor::Allocate(ctx.device().host_allocator(),
                                           from.dtype(), from.shape());
  if (!made.ok()) return std::move(done)(made.status());
  auto host = std::make_unique<Tensor>(*std::move(made));
  Tensor* const to = host.get();
  ctx.device().CopyToHost(std::move(from), to,
                          Done([host = std::move(host), next = std::move(next),
                                done = std::move(done)](Status status) mutable {
                            if (status.ok()) status = next(*host);
                            std::move(done)(std::move(status));
                          }));
}

}  // namespace millrace::ops
