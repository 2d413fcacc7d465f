// The kernel that closes a queue or a barrier.
#pragma once

#include <utility>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/kernel/resource_handle.h"
#include "millrace/ops/queue/queue.h"

namespace millrace::ops {

// T must have Close(QueueCaller, PendingEnqueues, Done).
template <class T>
class CloseKernel {
 public:
  static StatusOr<CloseKernel> Make(const KernelInit& init) {
    CloseKernel k;
    MR_ASSIGN_OR_RETURN(const bool cancels,
                        init.Attr<bool>("cancel_pending_enqueues"));
    if (cancels) k.pending_ = PendingEnqueues::kCancel;
    return k;
  }
  void RunAsync(KernelContext& ctx, Done done) const {
    const StatusOr<Ref<T>> resource = LookupInput<T>(ctx, 0);
    if (!resource.ok()) return std::move(done)(resource.status());
    (*resource)->Close(QueueCaller::Of(ctx), pending_, std::move(done));
  }

 private:
  PendingEnqueues pending_ = PendingEnqueues::kWaitFor;
};

}  // namespace millrace::ops
