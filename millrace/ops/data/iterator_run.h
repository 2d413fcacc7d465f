// IteratorRun: an iterator of a data set in use, and the operations that wait
// for its elements.
#pragma once

#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "millrace/base/threads/done.h"
#include "millrace/base/threads/wait.h"
#include "millrace/kernel/kernel.h"
#include "millrace/ops/data/dataset.h"
#include "millrace/ops/data/iterator_runtime.h"
#include "millrace/ops/data/poll_task.h"

namespace millrace::ops {

// Thread-safe. Operations are served in the order of their arrival, and one
// that ends early loses no element. A waiting operation costs no thread.
class IteratorRun final : public PollTask {
 public:
  // Gets the next element, or nothing at the end of the sequence.
  using NextDone =
      absl::AnyInvocable<void(StatusOr<std::optional<Element>>) &&>;

  // Makes a run. `iterator` must be one over `dataset`.
  static std::shared_ptr<IteratorRun> Make(
      std::shared_ptr<IteratorRuntime> runtime, DatasetRef dataset,
      std::unique_ptr<DatasetIterator> iterator);
  ~IteratorRun() override;

  // Waits for the next element until the step of `ctx` is cancelled. `what`
  // names the iterator.
  void GetNext(KernelContext& ctx, absl::string_view what, NextDone done);
  // Returns null once this is closed.
  DatasetRef dataset();
  // Calls `use` between two elements, when no call of Next is in progress and
  // nothing works ahead, and passes its result to `done`; FAILED_PRECONDITION
  // while such a call is in progress.
  void RunExclusively(KernelContext& ctx, absl::string_view what,
                      absl::AnyInvocable<Status(DatasetIterator&)> use,
                      Done done);

  // Declares that no more operations follow; those that wait are still served.
  void Retire();
  // Ends all waiting operations with `status`.
  void Close(const Status& status);

 private:
  struct Request;
  using Requests = std::list<std::unique_ptr<Request>>;
  using Result = StatusOr<std::optional<Element>>;

  IteratorRun(std::shared_ptr<IteratorRuntime> runtime, DatasetRef dataset,
              std::unique_ptr<DatasetIterator> iterator);
  void Start(KernelContext& ctx, absl::string_view what,
             std::unique_ptr<Request> request);
  void CancelRequest(uint64_t id, const CancelScope& scope);
  void Poll() override;
  // Serves the first request, which is one for exclusive use. Returns false if
  // that has to wait for what works ahead.
  bool UseFront();
  void AfterPoll(PollPlace place) override;
  void Post(Requests ended);
  static void End(std::unique_ptr<Request> request);
  // Require mu_ to be held:
  bool Await(Request& request, const std::string& what);
  void FinishFront(Result result);

  const std::shared_ptr<IteratorRuntime> runtime_;
  std::unique_ptr<DatasetIterator> iterator_;  // used by Poll alone
  bool pending_ = false;  // used by Poll alone; what Next returned

  Mutex mu_;  // guards all below
  // Released by Poll, on a thread of the pool: it may own the last reference to
  // another iterator, that one to the next, and so on.
  DatasetRef dataset_;
  Requests requests_, finished_;
  uint64_t next_id_ = 1;
  bool retired_ = false, closed_ = false;
  // The scope of calls made for the current waiters; cancelled when there are
  // none.
  std::shared_ptr<CancelScope> demand_;
  // A result that came when no operation waited any more.
  std::optional<Result> early_;
};

}  // namespace millrace::ops
