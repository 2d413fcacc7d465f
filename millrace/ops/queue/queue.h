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
// "FIFOQueue", ...: the op, without its generation.
const char* KindName(QueueKind kind);

// What a closed queue gives that has fewer elements than are asked for: an
// error, or these, if there are any.
enum class Fewer { kFail, kGive };
// What becomes of the enqueues that wait while a queue is closed.
enum class PendingEnqueues { kWaitFor, kCancel };

struct QueueCaller : WaitCaller {
  Allocator* allocator = nullptr;  // of results
  Timer* timer = nullptr;          // null: a starved queue is not logged

  static QueueCaller Of(KernelContext& ctx);
};

// Thread-safe. Operations of a side are served in the order of their arrival,
// enqueues before dequeues. An enqueue of many fills what room there is and
// waits with the rest; a dequeue of many takes what there is (but from a
// priority queue) and puts it back if it ends early.
//
// After Close, enqueues give CANCELLED "FIFOQueue 'NAME' is closed.", dequeues
// go on while enough is left, then OUT_OF_RANGE "FIFOQueue 'NAME' is closed and
// has insufficient elements (requested N, current size M)".
class Queue final : public WaitingResource {
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

 private:
  enum class What { kEnqueue, kEnqueueMany, kClose, kDequeue, kDequeueMany };
  struct Attempt;
  struct Watcher;
  // The lines.
  static constexpr int kEnqueues = 0, kDequeues = 1;

  static bool IsEnqueue(What what) {
    return what != What::kDequeue && what != What::kDequeueMany;
  }
  // All below with mu_ held.
  Progress Try(Attempt& attempt);
  Progress TryEnqueue(Attempt& attempt);
  Progress TryDequeue(Attempt& attempt);
  Progress TryClosedDequeue(Attempt& attempt, int64_t have);
  // The attempt ends with `status`; what it holds goes back.
  void Drop(Attempt& attempt, Status status);
  // How many elements are to come in, or go out, until the first attempt of
  // its side is over.
  int64_t Missing(const Attempt& attempt) const;
  void Watch(Timer* timer);
  // Without mu_.
  void Complete(Attempt& attempt);
  void LogIfStarved();

  const Options options_;
  const std::string name_;
  // Guarded by mu_.
  std::unique_ptr<QueueItems> items_;
  bool closed_ = false;
  int64_t last_enqueue_nanos_ = 0;
  // A dequeue that nothing feeds is logged, once.
  const std::shared_ptr<Watcher> watcher_;
  bool watched_ = false;
  bool starvation_logged_ = false;
};

}  // namespace millrace::ops
