// PollContext: the context of a call of DatasetIterator::Next.
#pragma once

#include <memory>
#include <vector>

#include "millrace/base/status.h"
#include "millrace/base/threads/cancel.h"
#include "millrace/ops/data/poll_task.h"
#include "millrace/tensor/tensor.h"

namespace millrace::ops {

class DatasetIterator;
class IteratorRuntime;
enum class Pull;

// Belongs to one poll and one thread.
class PollContext {
 public:
  // `scope` is for calls of functions that this poll starts. If it is not the
  // runtime's own, it may be cancelled because nobody waits any more; such
  // calls are made again later.
  PollContext(IteratorRuntime& runtime, std::shared_ptr<PollTask> task,
              std::shared_ptr<CancelScope> scope)
      : runtime_(runtime), task_(std::move(task)), scope_(std::move(scope)) {}

  IteratorRuntime& runtime() const { return runtime_; }
  const std::shared_ptr<PollTask>& task() const { return task_; }
  const std::shared_ptr<CancelScope>& scope() const { return scope_; }

  // Calls iterator.Next(). Also returns kPending if this poll has worked for
  // long (it continues soon) or nobody waits for it any more. Returns CANCELLED
  // if the runtime is cancelled, and RESOURCE_EXHAUSTED if calls nest too
  // deeply.
  StatusOr<Pull> Next(DatasetIterator& iterator, std::vector<Tensor>* out);
  // Calls iterator.Settle(). Calls that nest too deeply settle nothing, and
  // return true: no element ever came from there.
  bool Settle(DatasetIterator& iterator);

 private:
  IteratorRuntime& runtime_;
  const std::shared_ptr<PollTask> task_;
  const std::shared_ptr<CancelScope> scope_;
  int depth_ = 0;
  int steps_ = 0;
};

}  // namespace millrace::ops
