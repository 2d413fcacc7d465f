// WaitingResource: a resource with operations that wait for its state to
// change. A waiting operation costs no thread.
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

// The caller of an operation that may have to wait. What it points to must
// outlive the operation.
struct WaitCaller {
  CancelScope* cancel = nullptr;  // null: cannot be cancelled
  // When `cancel` ends by itself. An operation that still waits then gets
  // nothing any more, even if `cancel` is late.
  Deadline deadline;
  // Completes operations that had to wait; if null, the thread that ended one
  // completes it.
  TaskQueue* completions = nullptr;
  const std::string* node = nullptr;
  int64_t step_id = 0;

  static WaitCaller Of(KernelContext& ctx);
};

// Says how many of a unit an operation still waits for, for status pages.
struct MissingUnits {
  const char* unit = nullptr;  // a literal such as "gradient"; null: not shown
  // Called while the resource is locked. `is_first` says that no operation that
  // is served earlier waits.
  absl::AnyInvocable<int64_t(bool is_first)> count;
};

// A class derived from this keeps its state under `mu_`. Operations are in two
// lines, in the order of their arrival. Whenever the state may have changed
// they are tried again, the first line before the second, until none makes
// progress; an ordered operation blocks the ordered ones behind it in its line.
// An operation whose step's deadline has passed is not tried any more, even
// before the step's end is reported, and blocks no other.
//
// An operation ends once: it is complete, or its caller cancels it, or it is
// dropped with its line. The thread that removes it from its line, under `mu_`,
// completes it after unlocking: inline if the operation has not waited, else on
// its caller's `completions`.
class WaitingResource : public Resource {
 public:
  enum class Progress { kNone, kSome, kComplete };
  class Operation;

  // Ends operations that wait, and those that would have to wait from now on,
  // with CANCELLED.
  void OnRemoved() override;
  // Returns the number of waiting operations, for tests and status pages.
  int64_t waiting() const;

 protected:
  WaitingResource();
  ~WaitingResource() override;

  // Called with mu_ held. Returns false if the operation must wait; true if it
  // is over, with its result in `*status`. What it passes to the kernel's
  // context must not depend on the lock.
  using Try = absl::AnyInvocable<bool(Status* status)>;

  // Runs `attempt` at once and, while it returns false, whenever the state
  // changes; then calls `done`. `what` names the wait, with the resource.
  void Start(KernelContext& ctx, std::string what, bool ordered, Try attempt,
             Done done, MissingUnits missing = {});
  // Starts an operation of a derived class. Operations that can continue
  // because of it do so, too.
  void Start(std::unique_ptr<Operation> operation);
  // Called, without mu_, when the state changed outside of Start.
  void StateChanged();

  // The parts of StateChanged, for classes that change more under the same
  // lock: Serve and DropAll collect, with mu_ held, the operations that have
  // ended; Finish is called without it.
  using Finished = std::vector<std::unique_ptr<Operation>>;
  void Serve(Finished* finished);
  void DropAll(int line, const Status& status, Finished* finished);
  // Requires mu_ not to be held. `own` is the operation that the calling thread
  // started, or null.
  void Finish(Finished finished, const Operation* own);

  // Requires mu_.
  size_t num_waiting(int line) const { return lines_[line].operations.size(); }
  // Returns null if there is none.
  const Operation* Oldest(int line) const;

  mutable Mutex mu_;

 private:
  struct Line {
    // Ordered by arrival.
    absl::btree_map<uint64_t, std::unique_ptr<Operation>> operations;
    size_t unordered = 0;  // number of unordered operations
  };
  using Place = decltype(Line::operations)::iterator;

  // All that follow but Cancel require mu_ to be held.
  bool ServeLine(Line& line, Finished* finished);
  // Removes the operation at `place` and returns the place behind it.
  Place TakeOut(Line& line, Place place, Finished* finished);
  void Drop(Line& line, Place place, Status status, Finished* finished);
  Status Await(uint64_t id, Operation& operation, bool is_first);
  void Cancel(int line, uint64_t id, const CancelScope& scope);

  bool removed_ = false;
  uint64_t next_id_ = 1;
  Line lines_[2];
};

// One operation of a caller, made in steps.
class WaitingResource::Operation {
 public:
  explicit Operation(const WaitCaller& by) : caller(by) {}
  virtual ~Operation() = default;

  const WaitCaller caller;
  int line = 0;         // 0 or 1
  bool ordered = true;  // waits behind the ordered ones before it
  Status status;        // the result, once it has ended

 protected:
  friend class WaitingResource;

  // All of these but Complete are called with the resource's lock held.

  // Makes as much progress as it can. If it returns kComplete, it has set
  // `status`.
  virtual Progress Try() = 0;
  // Returns whether the state refuses it for good; it is then tried even if its
  // step's deadline has passed.
  virtual bool refused() const { return false; }
  // Ends the operation early: returns what it has taken and sets `status` to
  // `why` or to an error in its own words.
  virtual void Drop(Status why) { status = std::move(why); }
  // Returns a description for status pages, such as "dequeue of 3 from queue
  // q".
  virtual std::string Describe() const = 0;
  // Return what is missing; see MissingUnits.
  virtual const char* unit() const { return nullptr; }
  virtual int64_t Missing(bool /*is_first*/) { return 0; }
  // Called when it begins to wait.
  virtual void OnWait() {}
  // Passes the result to the caller. Called once, after all other calls.
  virtual void Complete() = 0;

 private:
  // Returns whether its step's deadline has passed; the timer that ends the
  // step may be late.
  bool HasExpired() const {
    return wait_.has_value() && caller.cancel != nullptr &&
           caller.deadline.expired();
  }

  CancelScope::Token token_ = 0;
  std::optional<WaitScope> wait_;
};

}  // namespace millrace::ops
