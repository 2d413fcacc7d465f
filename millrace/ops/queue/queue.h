// Queue: the resource behind FIFO, random shuffle, padding and priority queues.
#pragma once

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
#include "millrace/base/threads/timer.h"
#include "millrace/base/threads/wait.h"
#include "millrace/kernel/kernel.h"
#include "millrace/kernel/resource.h"
#include "millrace/ops/queue/queue_items.h"

namespace millrace::ops {

enum class QueueKind { kFifo, kRandomShuffle, kPaddingFifo, kPriority };
// "FIFOQueue", ...: the op, without its generation.
const char* KindName(QueueKind kind);

// What a closed queue gives that has fewer elements than are asked for: an
// error, or these, if there are any.
enum class Fewer { kFail, kGive };
// What becomes of the enqueues that wait while a queue is closed.
enum class PendingEnqueues { kWaitFor, kCancel };

// Who calls, for operations that may have to wait. What it points to lives
// until the operation is done.
struct QueueCaller {
  CancelScope* cancel = nullptr;  // null: cannot be cancelled
  // When `cancel` ends by itself. What still waits then gets nothing any more,
  // also if `cancel` is late.
  Deadline deadline;
  Allocator* allocator = nullptr;  // of results
  // Where an operation that had to wait is completed.
  TaskQueue* completions = nullptr;
  Timer* timer = nullptr;  // null: a starved queue is not logged
  const std::string* node = nullptr;
  int64_t step_id = 0;

  static QueueCaller Of(KernelContext& ctx);
};

// Thread-safe. Operations of a side are served in the order of their arrival;
// those that must wait are entries of a list. An enqueue of many fills what
// room there is and waits with the rest; a dequeue of many takes what there is
// (but from a priority queue) and puts it back if it ends early.
//
// After Close, enqueues give CANCELLED "FIFOQueue 'NAME' is closed.", dequeues
// go on while enough is left, then OUT_OF_RANGE "FIFOQueue 'NAME' is closed and
// has insufficient elements (requested N, current size M)".
class Queue final : public Resource {
 public:
  static constexpr absl::string_view kTypeName = "Queue";

  struct Options {
    QueueKind kind = QueueKind::kFifo;
    std::string op;  // of the node, for messages
    std::vector<DataType> types;
    std::vector<PartialShape> shapes;  // empty: any
    int32_t capacity = 0;              // the largest int32: no bound
    int64_t min_after_dequeue = 0;     // random shuffle
    int64_t seed = 0, seed2 = 0;
  };
  // Results of a dequeue.
  using TupleDone = absl::AnyInvocable<void(StatusOr<QueueTuple>) &&>;

  static StatusOr<Options> OptionsFrom(const KernelInit& init, QueueKind kind);
  Queue(Options options, std::string name);
  ~Queue() override;

  absl::string_view type_name() const override { return kTypeName; }
  std::string DebugString() const override;
  // Ends what waits, with CANCELLED.
  void OnRemoved() override;
  // INVALID_ARGUMENT "Shared queue 'NAME' has capacity ..." and such.
  Status CheckOptions(const Options& options) const;

  const std::string& name() const { return name_; }
  const Options& options() const { return options_; }

  // INVALID_ARGUMENT if a tuple (a batch of them) is none of this queue's.
  Status CheckElement(const QueueTuple& element) const;
  Status CheckBatch(const QueueTuple& batch) const;

  // `done` is called once: by the call itself if it need not wait, else on
  // `caller.completions`. What comes in has been checked.
  void Enqueue(QueueCaller caller, QueueTuple element, Done done);
  void EnqueueMany(QueueCaller caller, QueueTuple batch, Done done);
  void Dequeue(QueueCaller caller, TupleDone done);
  // n >= 0.
  void DequeueMany(QueueCaller caller, int64_t n, Fewer fewer, TupleDone done);
  // Waits for the enqueues that wait already, or ends them with CANCELLED. A
  // second time with kWaitFor gives CANCELLED.
  void Close(QueueCaller caller, PendingEnqueues pending, Done done);

  int64_t size() const;
  bool is_closed() const;
  // Operations that wait, for tests and status pages.
  int64_t waiting() const;

 private:
  enum class What { kEnqueue, kEnqueueMany, kClose, kDequeue, kDequeueMany };
  enum class Progress { kNone, kSome, kComplete };
  struct Attempt;
  struct Watcher;
  // In order of arrival.
  using Attempts = absl::btree_map<uint64_t, std::unique_ptr<Attempt>>;
  using Finished = std::vector<std::unique_ptr<Attempt>>;

  static bool IsEnqueue(What what) {
    return what != What::kDequeue && what != What::kDequeueMany;
  }
  void Start(std::unique_ptr<Attempt> attempt);
  // All below with mu_ held.
  void Flush(Finished* finished);
  bool RunFirst(Attempts& attempts, Finished* finished);
  Progress Try(Attempt& attempt);
  Progress TryEnqueue(Attempt& attempt);
  Progress TryDequeue(Attempt& attempt);
  Progress TryClosedDequeue(Attempt& attempt, int64_t have);
  // The attempt ends with `status`; what it holds goes back.
  void Drop(Attempt& attempt, Status status);
  void DropAll(Attempts& attempts, const Status& status, Finished* finished);
  void Wait(Attempt& attempt, bool is_first);
  // How many elements are to come in, or go out, until the first attempt of
  // its side is over.
  int64_t Missing(const Attempt& attempt) const;
  void Watch(const QueueCaller& caller);
  // Without mu_. `own`: the attempt of the calling operation, or null.
  void Finish(Finished finished, const Attempt* own);
  void Complete(Attempt& attempt);
  void Cancel(uint64_t id, bool enqueue, const CancelScope& scope);
  void LogIfStarved();

  const Options options_;
  const std::string name_;
  mutable Mutex mu_;
  std::unique_ptr<QueueItems> items_;
  bool closed_ = false;
  uint64_t next_id_ = 1;
  Attempts enqueues_, dequeues_;
  int64_t last_enqueue_nanos_ = 0;
  // A dequeue that nothing feeds is logged, once.
  const std::shared_ptr<Watcher> watcher_;
  bool watched_ = false;
  bool starvation_logged_ = false;
};

}  // namespace millrace::ops
