// BatchQueue: batches of what several steps bring.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/functional/any_invocable.h"
#include "millrace/base/threads/lanes.h"
#include "millrace/kernel/kernel.h"
#include "millrace/kernel/resource.h"

namespace millrace::ops {

// The attributes that say how a node makes batches.
struct BatchQueueOptions {
  int64_t threads = 1;         // batches that are computed at the same time
  int64_t max_rows = 1;        // of a batch
  int64_t max_batches = 10;    // that may wait
  int64_t timeout_micros = 0;  // for more rows
  std::vector<int64_t> allowed_rows;  // sizes to pad to; empty: any
  // Whether a batch may have more rows than the largest allowed number, and is
  // then computed in parts.
  bool split = false;

  // Returns INVALID_ARGUMENT, in stock's words, for values that do not fit.
  static StatusOr<BatchQueueOptions> From(const KernelInit& init);
  // Returns the smallest allowed number of rows that has room for `rows`.
  int64_t Padded(int64_t rows) const;
  // Returns the largest number of rows that are computed at once.
  int64_t max_part() const {
    return allowed_rows.empty() ? max_rows : allowed_rows.back();
  }
};

class BatchTask;
using BatchTasks = std::vector<Ref<BatchTask>>;

// Computes batches: a kernel.
class BatchProcessor {
 public:
  virtual ~BatchProcessor() = default;
  // Completes all `tasks`, of which there is at least one. `finished` is called
  // once, when the next batch may be computed.
  virtual void Process(BatchTasks tasks,
                       absl::AnyInvocable<void() &&> finished) const = 0;
};

// One run of a node, which waits for its batch.
class BatchTask final : public RefCounted {
 public:
  // `context` and `processor` live until `done`.
  BatchTask(KernelContext& context, const BatchProcessor& used,
            int64_t num_rows, Done done);

  KernelContext& ctx;
  const BatchProcessor& processor;
  const int64_t rows;
  const int64_t id;  // random

  void Complete(Status status) { std::move(done_)(std::move(status)); }

 private:
  friend class BatchQueue;
  enum class State { kNew, kWaiting, kTaken, kDropped };

  ~BatchTask() override = default;

  Done done_;
  State state_ = State::kNew;  // guarded by the queue's lock
  CancelScope::Token token_ = 0;
};

// Checks the inputs [0, count) of a node whose rows are batched, and returns
// the number of their rows.
StatusOr<int64_t> RowsOfInputs(const KernelContext& ctx, int count);

// Thread-safe.
class BatchQueue final : public Resource {
 public:
  static constexpr absl::string_view kTypeName = "BatchQueue";

  BatchQueue(BatchQueueOptions options, Lanes& lanes)
      : options_(std::move(options)), lanes_(lanes) {}

  absl::string_view type_name() const override { return kTypeName; }
  std::string DebugString() const override;
  // Ends the tasks that wait.
  void OnRemoved() override;

  // Adds a task to the queue `name` of this resource. The last task of a batch
  // computes it. Completes the task with UNAVAILABLE if too many batches wait,
  // with INVALID_ARGUMENT if it has more rows than a batch may have, or if its
  // node has another op or other types than those that wait.
  void Add(const Ref<BatchTask>& task, const std::string& name);

 private:
  struct Batch {
    BatchTasks tasks;
    int64_t rows = 0;
    bool is_full = false;
    Deadline ripe;  // when it waits for more rows no longer
    Timer::Id timer = 0;
  };
  using Queue = std::deque<Batch>;  // the last one may get more tasks

  ~BatchQueue() override = default;
  // Require mu_.
  Status AddLocked(const Ref<BatchTask>& task, Queue* queue);
  Batch OpenBatch();
  bool Take(Batch* batch);

  // Computes batches as long as there are any, and threads for them.
  void Pump();
  static bool AreAlike(const BatchTask& one, const BatchTask& two);
  // Removes a task whose step ends.
  void Drop(const Ref<BatchTask>& task);
  static void Unregister(const BatchTask& task);

  const BatchQueueOptions options_;
  Lanes& lanes_;
  mutable Mutex mu_;  // guards all below
  absl::btree_map<std::string, Queue> queues_;
  int64_t busy_ = 0;  // batches that are computed
  bool removed_ = false;
};

// Returns the queue that the node's attributes name, or its own.
class BatchQueuePlace {
 public:
  static StatusOr<BatchQueuePlace> From(const KernelInit& init);
  void Add(const Ref<BatchTask>& task) const;
  const BatchQueueOptions& options() const { return options_; }

 private:
  BatchQueueOptions options_;
  std::string container_, name_, queue_;
};

}  // namespace millrace::ops
