// WaitingResource: a resource with operations that wait for its state to
// change, none of which costs a thread.
#pragma once

#include <cstdint>
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

// Who asks for something that may have to wait. What it points to lives until
// the operation is done.
struct WaitCaller {
  CancelScope* cancel = nullptr;  // null: cannot be cancelled
  // When `cancel` ends by itself. What still waits then gets nothing any more,
  // also if `cancel` is late.
  Deadline deadline;
  // Where an operation that had to wait is completed; null: where it ended.
  TaskQueue* completions = nullptr;
  const std::string* node = nullptr;
  int64_t step_id = 0;

  static WaitCaller Of(KernelContext& ctx);
};

// For those who look on: how many of a unit an operation still waits for.
struct Lack {
  const char* unit = nullptr;  // a literal, "gradient"; null: not told
  // Called while the resource is locked. `is_first`: nothing that is served
  // before the operation waits.
  absl::AnyInvocable<int64_t(bool is_first)> count;
};

// Each class keeps its state under `mu_`. Operations stand in two lines, in the
// order of their arrival. Whenever the state may have changed they are tried
// again, the first line before the second, until none gets any further; one
// that is ordered holds up the ordered ones behind it in its line. Whose step's
// deadline has passed is not tried any more, also before the step's end is
// told, and holds up nobody.
//
// An operation ends once: it is complete, or its caller cancels it, or it is
// dropped with its line. Who takes it out of its line, under `mu_`, completes
// it after the lock: on the thread that started it if it has not waited, else
// on its caller's `completions`.
class WaitingResource : public Resource {
 public:
  enum class Progress { kNone, kSome, kComplete };
  class Operation;

  // Operations that wait, and those that would have to from now on, end with
  // CANCELLED.
  void OnRemoved() override;
  // Operations that wait, for tests and status pages.
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
  void Start(KernelContext& ctx, std::string what, bool ordered, Try attempt,
             Done done, Lack lack = {});
  // The same of an operation that has more to say. All that can go on after it
  // does so too.
  void Start(std::unique_ptr<Operation> operation);
  // The state changed outside of Start. Without mu_.
  void StateChanged();

  // The parts of a change, for classes that change more under the same lock:
  // with mu_ held what has ended is collected, without it Finish is called.
  using Finished = std::vector<std::unique_ptr<Operation>>;
  void Serve(Finished* finished);
  void DropAll(int line, const Status& status, Finished* finished);
  // Without mu_. `own`: the operation that the calling thread started, or null.
  void Finish(Finished finished, const Operation* own);

  // With mu_ held.
  size_t num_waiting(int line) const { return lines_[line].operations.size(); }
  // Null if there is none.
  const Operation* Oldest(int line) const;

  mutable Mutex mu_;

 private:
  struct Line {
    // By arrival.
    absl::btree_map<uint64_t, std::unique_ptr<Operation>> operations;
    size_t unordered = 0;  // of them
  };
  using Place = decltype(Line::operations)::iterator;

  // All but Cancel with mu_ held.
  bool ServeLine(Line& line, Finished* finished);
  // Takes the operation at `place` out; gives the place behind it.
  Place TakeOut(Line& line, Place place, Finished* finished);
  void Drop(Line& line, Place place, Status status, Finished* finished);
  Status Await(uint64_t id, Operation& operation, bool is_first);
  void Cancel(int line, uint64_t id, const CancelScope& scope);

  bool removed_ = false;
  uint64_t next_id_ = 1;
  Line lines_[2];
};

// What a class of resources does for a caller, step by step.
class WaitingResource::Operation {
 public:
  explicit Operation(const WaitCaller& by) : caller(by) {}
  virtual ~Operation() = default;

  const WaitCaller caller;
  int line = 0;         // 0 or 1
  bool ordered = true;  // behind the ordered ones that are there
  Status status;        // how it has ended

 protected:
  friend class WaitingResource;

  // All but Complete are called with the resource's lock held.

  // Goes on as far as it can. With kComplete it has set `status`.
  virtual Progress Try() = 0;
  // Whether the state refuses it for good: it is then tried even if its step's
  // deadline has passed.
  virtual bool refused() const { return false; }
  // It ends early: puts back what it has taken and sets `status`, to `why` or
  // in words of its own.
  virtual void Drop(Status why) { status = std::move(why); }
  // "dequeue of 3 from queue q", for those who look on.
  virtual std::string Describe() const = 0;
  // What it lacks; see Lack.
  virtual const char* unit() const { return nullptr; }
  virtual int64_t Missing(bool /*is_first*/) { return 0; }
  // It has to wait, from now on.
  virtual void OnWait() {}
  // Tells the caller. Once, the last of all calls.
  virtual void Complete() = 0;

 private:
  // Its step's time is over, though the timer that ends it may be late.
  bool GaveUp() const {
    return wait_.has_value() && caller.cancel != nullptr &&
           caller.deadline.expired();
  }

  CancelScope::Token token_ = 0;
  std::optional<WaitScope> wait_;
};

}  // namespace millrace::ops
