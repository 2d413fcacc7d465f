// IteratorRun: an iterator of a data set at work, and the operations that wait
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
// that ends early loses no element. None of them costs a thread.
class IteratorRun final : public PollTask {
 public:
  // Nothing at the end of the sequence.
  using NextDone =
      absl::AnyInvocable<void(StatusOr<std::optional<Element>>) &&>;

  // `iterator`: over `dataset`.
  static std::shared_ptr<IteratorRun> Make(
      std::shared_ptr<IteratorRuntime> runtime, DatasetRef dataset,
      std::unique_ptr<DatasetIterator> iterator);
  ~IteratorRun() override;

  // Waits for the next element until the step of `ctx` is cancelled. `what`
  // names the iterator.
  void GetNext(KernelContext& ctx, absl::string_view what, NextDone done);
  // Null once it has been closed.
  DatasetRef dataset();
  // Calls `use` between two elements, without a call of Next in progress, and
  // ends with what it says. FAILED_PRECONDITION while one is.
  void Alone(KernelContext& ctx, absl::string_view what,
             absl::AnyInvocable<Status(DatasetIterator&)> use, Done done);

  // No more operations come; what waits is served still.
  void Retire();
  // What waits ends with `status`.
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
  void AfterPoll(PollPlace place) override;
  void Post(Requests ended);
  static void End(std::unique_ptr<Request> request);
  // With mu_ held:
  bool Await(Request& request, const std::string& what);
  void FinishFront(Result result);
  void UseFront();

  const std::shared_ptr<IteratorRuntime> runtime_;
  std::unique_ptr<DatasetIterator> iterator_;  // of Poll alone
  bool pending_ = false;                       // the same; as Next said

  Mutex mu_;  // guards all below
  // Let go of by Poll, on a thread of the pool: what it holds may be the last
  // to hold another iterator, that one the next, and so on.
  DatasetRef dataset_;
  Requests requests_, finished_;
  uint64_t next_id_ = 1;
  bool retired_ = false, closed_ = false;
  // Scope of the calls that serve who waits now; cancelled when nobody does.
  std::shared_ptr<CancelScope> demand_;
  // Come when nobody waited any more.
  std::optional<Result> early_;
};

}  // namespace millrace::ops
