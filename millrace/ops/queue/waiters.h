// Waiters: operations that wait for the state of a resource to change.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/functional/any_invocable.h"
#include "millrace/base/threads/cancel.h"
#include "millrace/base/threads/done.h"
#include "millrace/base/threads/thread.h"
#include "millrace/base/threads/thread_pool.h"
#include "millrace/base/threads/wait.h"
#include "millrace/kernel/kernel.h"
#include "millrace/kernel/resource.h"

namespace millrace::ops {

// For those who look on: how many of a unit an operation still waits for.
struct Lack {
  const char* unit = nullptr;  // a literal, "gradient"; null: not told
  // Called while the resource is locked.
  absl::AnyInvocable<int64_t()> count;
};

// A resource with operations that wait, none of which costs a thread. Each
// class keeps its state under `mu_` and tries waiting operations again, in the
// order of their arrival, whenever the state changed; one whose step's deadline
// has passed is not tried any more, also before the step's end is told.
class WaitingResource : public Resource {
 public:
  // Operations that wait end with CANCELLED.
  void OnRemoved() override;
  int64_t waiting() const;

 protected:
  WaitingResource();
  ~WaitingResource() override;

  // Called with mu_ held. False: not yet. True: the operation is over, and
  // `*status` says how. What it gives to the kernel's context must not depend
  // on the lock.
  using Try = absl::AnyInvocable<bool(Status* status)>;

  // Runs `attempt` at once or, as long as it gives false, whenever the state
  // changes; then `done`. `what` names the wait, with the resource.
  // `ordered`: after those that wait already (with the same flag). The others
  // that could go on after it do so too.
  void Start(KernelContext& ctx, absl::string_view what, bool ordered,
             Try attempt, Done done, Lack lack = {});
  // The state changed outside of Start. Without mu_.
  void StateChanged();
  // Ends all that waits. Without mu_.
  void EndWaiting(const Status& status);

  mutable Mutex mu_;

 private:
  struct Waiter;
  using Finished = std::vector<std::unique_ptr<Waiter>>;
  void Flush(Finished* finished);
  void Finish(Finished finished, const Waiter* own);
  void Cancel(uint64_t id, const CancelScope& scope);

  bool removed_ = false;
  uint64_t next_id_ = 1;
  absl::btree_map<uint64_t, std::unique_ptr<Waiter>> waiters_;
};

}  // namespace millrace::ops
