#include "millrace/ops/batching/batch_queue.h"

#include <algorithm>
#include <utility>

#include "millrace/base/machine.h"
#include "millrace/base/random.h"

namespace millrace::ops {

StatusOr<BatchQueueOptions> BatchQueueOptions::From(const KernelInit& init) {
  BatchQueueOptions o;
  MR_ASSIGN_OR_RETURN(o.threads, init.Attr<int32_t>("num_batch_threads"));
  MR_ASSIGN_OR_RETURN(o.max_rows, init.Attr<int32_t>("max_batch_size"));
  MR_ASSIGN_OR_RETURN(o.max_batches,
                      init.Attr<int32_t>("max_enqueued_batches"));
  MR_ASSIGN_OR_RETURN(o.timeout_micros,
                      init.Attr<int32_t>("batch_timeout_micros"));
  MR_ASSIGN_OR_RETURN(const std::vector<int32_t> allowed,
                      init.Attr<std::vector<int32_t>>("allowed_batch_sizes"));
  o.allowed_rows.assign(allowed.begin(), allowed.end());
  for (const char* unused :
       {"low_priority_max_batch_size", "low_priority_batch_timeout_micros",
        "low_priority_max_enqueued_batches"}) {
    if (!init.HasAttr(unused)) continue;
    MR_RETURN_IF_ERROR(init.Attr<int32_t>(unused).status());
  }
  if (init.HasAttr("enable_large_batch_splitting")) {
    MR_ASSIGN_OR_RETURN(o.split,
                        init.Attr<bool>("enable_large_batch_splitting"));
  }
  // Stock's own number for functions, which are computed on common threads.
  if (o.threads < 1 && init.HasAttr("f")) o.threads = UsableCores();
  if (o.threads < 1) {
    return InvalidArgument("num_batch_threads must be positive; was ",
                           o.threads);
  }
  if (o.max_rows < 1) {
    return InvalidArgument("input_batch_size_limit must be positive; was ",
                           o.max_rows);
  }
  if (o.timeout_micros < 0) {
    return InvalidArgument("batch_timeout_micros must be non-negative; was ",
                           o.timeout_micros);
  }
  if (o.allowed_rows.empty()) return o;
  for (size_t i = 1; i < o.allowed_rows.size(); ++i) {
    if (o.allowed_rows[i] <= o.allowed_rows[i - 1]) {
      return InvalidArgument(
          "allowed_batch_sizes entries must be monotonically increasing");
    }
  }
  if (!o.split && o.allowed_rows.back() != o.max_rows) {
    return InvalidArgument(
        "final entry in allowed_batch_sizes must equal max_batch_size when "
        "enable_large_batch_splitting is False");
  }
  if (o.allowed_rows[0] < 1) {
    return InvalidArgument(
        "allowed_batch_sizes entries must be positive; the first is ",
        o.allowed_rows[0]);
  }
  if (o.allowed_rows.back() <= o.max_rows) return o;
  return InvalidArgument(
      "final entry in allowed_batch_sizes must be less than or equal to "
      "max_batch_size when enable_large_batch_splitting is true");
}

int64_t BatchQueueOptions::Padded(int64_t rows) const {
  const auto fits =
      std::lower_bound(allowed_rows.begin(), allowed_rows.end(), rows);
  return fits == allowed_rows.end() ? rows : *fits;
}

BatchTask::BatchTask(KernelContext& context, const BatchProcessor& used,
                     int64_t num_rows, Done done)
    : ctx(context),
      processor(used),
      rows(num_rows),
      id(static_cast<int64_t>(RandomUint64())),
      done_(std::move(done)) {}

StatusOr<int64_t> RowsOfInputs(const KernelContext& ctx, int count) {
  const auto shapes = [&] {
    std::string text = "\nBelow are the input tensors: ";
    for (int i = 0; i < count; ++i) {
      absl::StrAppend(&text, "\n - input ", i, " has shape ",
                      ctx.input(i).shape().DebugString());
    }
    return text;
  };
  for (int i = 0; i < count; ++i) {
    if (ctx.input(i).rank() == 0) {
      return InvalidArgument(
          "Batching input tensors must have at least one dimension.", shapes());
    }
    if (ctx.input(i).dim(0) != ctx.input(0).dim(0)) {
      return InvalidArgument(
          "Batching input tensors supplied in a given op invocation must have "
          "equal 0th-dimension size.",
          shapes());
    }
  }
  return count > 0 ? ctx.input(0).dim(0) : 0;
}

std::string BatchQueue::DebugString() const {
  MutexLock lock(mu_);
  size_t waiting = 0;
  for (const auto& [name, queue] : queues_) waiting += queue.size();
  return absl::StrCat(waiting, " batches wait, ", busy_, " are computed");
}

void BatchQueue::Unregister(const BatchTask& task) {
  if (CancelScope* const cancel = task.ctx.step().cancel)
    cancel->Unregister(task.token_);
}

void BatchQueue::OnRemoved() {
  BatchTasks ended;
  {
    MutexLock lock(mu_);
    removed_ = true;
    for (auto& [name, queue] : queues_) {
      for (Batch& batch : queue) {
        if (!Take(&batch)) continue;
        ended.insert(ended.end(), batch.tasks.begin(), batch.tasks.end());
      }
    }
    queues_.clear();
  }
  for (const Ref<BatchTask>& task : ended) {
    Unregister(*task);
    task->Complete(Cancelled("The queue of batches was removed"));
  }
}

void BatchQueue::Add(const Ref<BatchTask>& task, const std::string& name) {
  if (CancelScope* const cancel = task->ctx.step().cancel) {
    const CancelScope::Registration registration = cancel->Register(
        [self = Ref<BatchQueue>::Share(this), task] { self->Drop(task); });
    if (!registration.ok()) return task->Complete(registration.status);
    task->token_ = registration.token;
  }
  Status status;
  {
    MutexLock lock(mu_);
    if (task->state_ == BatchTask::State::kDropped) {
      status = task->ctx.step().cancel->status();
    } else if (removed_) {
      status = Cancelled("The queue of batches was removed");
    } else {
      status = AddLocked(task, &queues_[name]);
    }
  }
  if (status.ok()) return Pump();
  Unregister(*task);
  task->Complete(std::move(status));
}

// Whether the kernel of one run may set the outputs of the other.
bool BatchQueue::AreAlike(const BatchTask& one, const BatchTask& two) {
  const NodeInfo& a = one.ctx.node();
  const NodeInfo& b = two.ctx.node();
  return a.op->name == b.op->name && a.input_types == b.input_types &&
         a.output_types == b.output_types;
}

Status BatchQueue::AddLocked(const Ref<BatchTask>& task, Queue* queue) {
  if (task->rows > options_.max_rows) {
    return InvalidArgument("Task size ", task->rows,
                           " is larger than maximum input batch size ",
                           options_.max_rows);
  }
  if (!queue->empty() && !queue->back().tasks.empty() &&
      !AreAlike(*task, *queue->back().tasks.front())) {
    return InvalidArgument("Nodes of one queue batch different inputs: {{node ",
                           task->ctx.node().name,
                           "}} has another op or other types than {{node ",
                           queue->back().tasks.front()->ctx.node().name, "}}");
  }
  const bool fits = !queue->empty() && !queue->back().is_full &&
                    queue->back().rows + task->rows <= options_.max_rows;
  if (!fits) {
    const auto waiting = static_cast<int64_t>(queue->size());
    // One is always taken.
    if (waiting >= std::max<int64_t>(options_.max_batches, 1)) {
      return Unavailable(
          "The batch scheduling queue to which this task was submitted is "
          "full; currently ",
          waiting, " batches enqueued and max_enqueued_batches is ",
          options_.max_batches);
    }
    if (!queue->empty()) queue->back().is_full = true;
    queue->push_back(OpenBatch());
  }
  Batch& batch = queue->back();
  batch.tasks.push_back(task);
  batch.rows += task->rows;
  batch.is_full = batch.rows == options_.max_rows;
  task->state_ = BatchTask::State::kWaiting;
  return OkStatus();
}

BatchQueue::Batch BatchQueue::OpenBatch() {
  constexpr int64_t kMicrosPerMilli = 1000;
  Batch batch;
  const int64_t micros = options_.timeout_micros;
  batch.ripe = Deadline::AfterMillis(micros / kMicrosPerMilli +
                                     (micros % kMicrosPerMilli > 0 ? 1 : 0));
  batch.timer = lanes_.timer.RunAt(
      batch.ripe, [self = Ref<BatchQueue>::Share(this)]() mutable {
        Lanes& lanes = self->lanes_;
        lanes.control.Schedule([self = std::move(self)] { self->Pump(); });
      });
  return batch;
}

// Returns false for a batch whose tasks are all gone.
bool BatchQueue::Take(Batch* batch) {
  lanes_.timer.Cancel(batch->timer);
  for (const Ref<BatchTask>& task : batch->tasks)
    task->state_ = BatchTask::State::kTaken;
  return !batch->tasks.empty();
}

void BatchQueue::Pump() {
  for (;;) {
    Batch batch;
    {
      MutexLock lock(mu_);
      if (busy_ >= options_.threads) return;
      const auto ready =
          std::find_if(queues_.begin(), queues_.end(), [](const auto& entry) {
            const Queue& queue = entry.second;
            return !queue.empty() &&
                   (queue.front().is_full || queue.front().ripe.expired());
          });
      if (ready == queues_.end()) return;
      batch = std::move(ready->second.front());
      ready->second.pop_front();
      if (!Take(&batch)) continue;
      ++busy_;
    }
    for (const Ref<BatchTask>& task : batch.tasks) Unregister(*task);
    lanes_.inter_op.Schedule([self = Ref<BatchQueue>::Share(this),
                              tasks = std::move(batch.tasks)]() mutable {
      const BatchProcessor& processor = tasks.back()->processor;
      processor.Process(std::move(tasks), [self] {
        {
          MutexLock lock(self->mu_);
          --self->busy_;
        }
        self->Pump();
      });
    });
  }
}

void BatchQueue::Drop(const Ref<BatchTask>& task) {
  {
    MutexLock lock(mu_);
    if (task->state_ == BatchTask::State::kTaken) return;
    const bool waits = task->state_ == BatchTask::State::kWaiting;
    task->state_ = BatchTask::State::kDropped;
    if (!waits) return;
    for (auto& [name, queue] : queues_) {
      for (Batch& batch : queue) {
        const auto place =
            std::find(batch.tasks.begin(), batch.tasks.end(), task);
        if (place == batch.tasks.end()) continue;
        batch.tasks.erase(place);
        batch.rows -= task->rows;
      }
    }
  }
  // A cancellation waits for what it calls here.
  lanes_.inter_op.Schedule(
      [task, status = task->ctx.step().cancel->status()]() mutable {
        task->Complete(std::move(status));
      });
}

StatusOr<BatchQueuePlace> BatchQueuePlace::From(const KernelInit& init) {
  BatchQueuePlace place;
  MR_ASSIGN_OR_RETURN(place.options_, BatchQueueOptions::From(init));
  MR_ASSIGN_OR_RETURN(place.container_, init.Attr<std::string>("container"));
  MR_ASSIGN_OR_RETURN(place.name_, init.Attr<std::string>("shared_name"));
  MR_ASSIGN_OR_RETURN(place.queue_, init.Attr<std::string>("batching_queue"));
  if (place.name_.empty()) place.name_ = init.node().name;
  return place;
}

void BatchQueuePlace::Add(const Ref<BatchTask>& task) const {
  const StatusOr<Ref<BatchQueue>> queue =
      task->ctx.resources().LookupOrCreate<BatchQueue>(
          container_, name_, [&]() -> StatusOr<Ref<BatchQueue>> {
            return MakeRef<BatchQueue>(options_, task->ctx.device().lanes());
          });
  if (!queue.ok()) return task->Complete(queue.status());
  (*queue)->Add(task, queue_);
}

}  // namespace millrace::ops
