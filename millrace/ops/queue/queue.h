// Queue: the resource behind FIFO, random shuffle, padding and priority queues.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "millrace/base/threads/done.h"
#include "millrace/base/threads/timer.h"
#include "millrace/ops/queue/queue_items.h"
#include "millrace/ops/queue/waiters.h"

namespace millrace::ops {

enum class QueueKind { kFifo, kRandomShuffle, kPaddingFifo, kPriority };
// Returns the op without its generation: "FIFOQueue", ...
const char* KindName(QueueKind kind);

// The result of DequeueMany from a closed queue with fewer elements than
// requested: an error, or these elements, if there are any.
enum class SmallBatch { kRefuse, kAllow };
// The treatment of waiting enqueues when a queue is closed.
enum class PendingEnqueues { kWaitFor, kCancel };

struct QueueCaller : WaitCaller {
  Allocator* allocator = nullptr;  // for results
  Timer* timer = nullptr;          // null: a starved queue is not logged

  static QueueCaller Of(KernelContext& ctx);
};

// Thread-safe. Operations of a side are served in the order of their arrival,
// enqueues before dequeues. An enqueue of many elements fills the room that
// there is and waits with the rest; a dequeue of many takes the elements that
// there are (except from a priority queue) and puts them back if it ends early.
//
// After Close, enqueues return CANCELLED "FIFOQueue 'NAME' is closed.";
// dequeues continue while enough elements are left, then return OUT_OF_RANGE
// "FIFOQueue 'NAME' is closed and has insufficient elements (requested N,
// current size M)".
class Queue final : public WaitingResource {
 public:
  static constexpr absl::string_view kTypeName =
      "N10tensorflow14QueueInterfaceE";

  struct Options {
    QueueKind kind = QueueKind::kFifo;
    std::string op;  // op of the node, for messages
    std::vector<DataType> types;
    std::vector<PartialShape> shapes;  // empty: any
    int32_t capacity = 0;              // the largest int32: unbounded
    int64_t min_after_dequeue = 0;     // for random shuffle
    int64_t seed = 0, seed2 = 0;
  };
  // Gets the result of a dequeue.
  using TupleDone = absl::AnyInvocable<void(StatusOr<QueueTuple>) &&>;

  static StatusOr<Options> OptionsFrom(const KernelInit& init, QueueKind kind);
  Queue(Options options, std::string name);
  ~Queue() override;

  absl::string_view type_name() const override { return kTypeName; }
  std::string DebugString() const override;
  // Ends all waiting operations with CANCELLED.
  void OnRemoved() override;
  // Returns INVALID_ARGUMENT "Shared queue 'NAME' has capacity ..." or the like
  // for other options.
  Status CheckOptions(const Options& options) const;

  const std::string& name() const { return name_; }
  const Options& options() const { return options_; }

  // Return INVALID_ARGUMENT if a tuple, or a batch of them, does not fit this
  // queue.
  Status CheckElement(const QueueTuple& element) const;
  Status CheckBatch(const QueueTuple& batch) const;

  // `done` is called once: inline if the operation need not wait, else on
  // `caller.completions`. Requires: elements and batches have been checked.
  void Enqueue(QueueCaller caller, QueueTuple element, Done done);
  void EnqueueMany(QueueCaller caller, QueueTuple batch, Done done);
  void Dequeue(QueueCaller caller, TupleDone done);
  // Requires: n >= 0.
  void DequeueMany(QueueCaller caller, int64_t n, SmallBatch small_batch,
                   TupleDone done);
  // Closes the queue and waits for the waiting enqueues, or ends them with
  // CANCELLED. A second call with kWaitFor returns CANCELLED.
  void Close(QueueCaller caller, PendingEnqueues pending, Done done);

  int64_t size() const;
  bool is_closed() const;

 private:
  enum class What { kEnqueue, kEnqueueMany, kClose, kDequeue, kDequeueMany };
  struct Attempt;
  struct Watcher;
  // The lines of WaitingResource.
  static constexpr int kEnqueues = 0, kDequeues = 1;

  static bool IsEnqueue(What what) {
    return what != What::kDequeue && what != What::kDequeueMany;
  }
  // All that follow require mu_ to be held.
  Progress Try(Attempt& attempt);
  Progress TryEnqueue(Attempt& attempt);
  Progress TryDequeue(Attempt& attempt);
  Progress TryClosedDequeue(Attempt& attempt, int64_t have);
  // Ends the attempt with `status` and returns what it holds.
  void Drop(Attempt& attempt, Status status);
  // Returns how many elements must be enqueued, or dequeued, until the first
  // attempt of its side is complete.
  int64_t Missing(const Attempt& attempt) const;
  void Watch(Timer* timer);
  // These are called without mu_.
  void Complete(Attempt& attempt);
  void LogIfStarved();

  const Options options_;
  const std::string name_;
  // Guarded by mu_.
  std::unique_ptr<QueueItems> items_;
  bool closed_ = false;
  int64_t last_enqueue_nanos_ = 0;
  // A starved dequeue is logged once.
  const std::shared_ptr<Watcher> watcher_;
  bool watched_ = false;
  bool starvation_logged_ = false;
};

}  // namespace millrace::ops
