// The operations of a queue.
#include <algorithm>
#include <limits>
#include <utility>

#include "millrace/base/clock.h"
#include "millrace/base/memory/memory_budget.h"
#include "millrace/ops/queue/queue_attempt.h"

namespace millrace::ops {
namespace {

std::unique_ptr<QueueItems> MakeItems(const Queue::Options& o) {
  switch (o.kind) {
    case QueueKind::kRandomShuffle:
      return MakeShuffledItems(o.seed, o.seed2);
    case QueueKind::kPriority:
      return MakePriorityItems();
    default:
      return MakeFifoItems();
  }
}

// Returns a batch without rows, in which unknown sizes are 0.
StatusOr<QueueTuple> NoRows(const Queue::Options& o, Allocator* allocator) {
  QueueTuple out;
  for (size_t i = 0; i < o.types.size(); ++i) {
    DimVector dims = {0};
    for (int64_t size : o.shapes[i].dims()) {
      dims.push_back(std::max<int64_t>(size, 0));
    }
    MR_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
    MR_ASSIGN_OR_RETURN(
        Tensor t, Tensor::Allocate(allocator, o.types[i], std::move(shape)));
    out.push_back(std::move(t));
  }
  return out;
}

// Refuses, before it waits, a batch that can never be made.
Status CheckRoom(const Queue::Options& o, int64_t n) {
  int64_t bytes = 0;
  for (size_t i = 0; i < o.shapes.size(); ++i) {
    if (!o.shapes[i].IsFullyDefined()) continue;
    MR_ASSIGN_OR_RETURN(const TensorShape element, o.shapes[i].AsTensorShape());
    MR_ASSIGN_OR_RETURN(const TensorShape shape, WithRows(n, element));
    const auto size = static_cast<int64_t>(SizeOf(o.types[i]));
    if (shape.num_elements() >
        (std::numeric_limits<int64_t>::max() - bytes) / size) {
      return ResourceExhausted("a batch of ", n, " elements is too large");
    }
    bytes += shape.num_elements() * size;
  }
  const int64_t limit = MemoryBudget::Process().limit();
  if (bytes > limit) {
    return ResourceExhausted("a batch of ", n, " elements has ", bytes,
                             " bytes, more than the limit of ", limit);
  }
  return OkStatus();
}

Queue::TupleDone WithoutTuple(Done done) {
  return [done = std::move(done)](StatusOr<QueueTuple> r) mutable {
    std::move(done)(r.status());
  };
}

}  // namespace

QueueCaller QueueCaller::Of(KernelContext& ctx) {
  return {WaitCaller::Of(ctx), ctx.allocator(), &ctx.device().lanes().timer};
}

Queue::Queue(Options options, std::string name)
    : options_(std::move(options)),
      name_(std::move(name)),
      items_(MakeItems(options_)),
      last_enqueue_nanos_(NowNanos()),
      watcher_(std::make_shared<Watcher>()) {
  watcher_->queue = this;
}

Queue::~Queue() {
  MutexLock lock(watcher_->mu);
  watcher_->queue = nullptr;
}

std::string Queue::DebugString() const {
  MutexLock lock(mu_);
  return absl::StrCat(KindName(options_.kind), " size ", items_->size(),
                      options_.capacity == std::numeric_limits<int32_t>::max()
                          ? std::string()
                          : absl::StrCat(" of ", options_.capacity),
                      closed_ ? " closed" : "", ", ", num_waiting(kEnqueues),
                      " enqueues and ", num_waiting(kDequeues),
                      " dequeues wait");
}

int64_t Queue::size() const {
  MutexLock lock(mu_);
  return items_->size();
}

bool Queue::is_closed() const {
  MutexLock lock(mu_);
  return closed_;
}

void Queue::Enqueue(QueueCaller caller, QueueTuple element, Done done) {
  auto attempt = std::make_unique<Attempt>(*this, What::kEnqueue, caller);
  attempt->parts = std::move(element);
  attempt->done = WithoutTuple(std::move(done));
  Start(std::move(attempt));
}

void Queue::EnqueueMany(QueueCaller caller, QueueTuple batch, Done done) {
  const int64_t rows = batch[0].dim(0);
  if (rows == 0) return std::move(done)(OkStatus());
  auto attempt = std::make_unique<Attempt>(*this, What::kEnqueueMany, caller);
  attempt->parts = std::move(batch);
  attempt->wanted = attempt->remaining = rows;
  attempt->done = WithoutTuple(std::move(done));
  Start(std::move(attempt));
}

void Queue::Dequeue(QueueCaller caller, TupleDone done) {
  auto attempt = std::make_unique<Attempt>(*this, What::kDequeue, caller);
  attempt->done = std::move(done);
  Start(std::move(attempt));
}

void Queue::DequeueMany(QueueCaller caller, int64_t n, SmallBatch small_batch,
                        TupleDone done) {
  if (options_.shapes.empty()) {
    return std::move(done)(InvalidArgument(
        KindName(options_.kind),
        "'s DequeueMany and DequeueUpTo require the components to have "
        "specified shapes."));
  }
  if (n == 0) return std::move(done)(NoRows(options_, caller.allocator));
  Status fits = CheckRoom(options_, n);
  if (!fits.ok()) return std::move(done)(std::move(fits));
  auto attempt = std::make_unique<Attempt>(*this, What::kDequeueMany, caller);
  attempt->wanted = attempt->remaining = n;
  attempt->up_to = small_batch == SmallBatch::kAllow;
  attempt->done = std::move(done);
  Start(std::move(attempt));
}

void Queue::Close(QueueCaller caller, PendingEnqueues pending, Done done) {
  if (pending == PendingEnqueues::kWaitFor) {
    auto attempt = std::make_unique<Attempt>(*this, What::kClose, caller);
    attempt->remaining = 0;
    attempt->done = WithoutTuple(std::move(done));
    return Start(std::move(attempt));
  }
  Finished ended;
  {
    MutexLock lock(mu_);
    closed_ = true;
    DropAll(kEnqueues, Cancelled("Enqueue operation was cancelled"), &ended);
    Serve(&ended);
  }
  Finish(std::move(ended), nullptr);
  std::move(done)(OkStatus());
}

void Queue::OnRemoved() {
  Finished ended;
  {
    MutexLock lock(mu_);
    closed_ = true;
    const std::string why = absl::StrCat(" operation was cancelled: queue '",
                                         name_, "' was removed");
    DropAll(kEnqueues, Cancelled("Enqueue", why), &ended);
    DropAll(kDequeues, Cancelled("Dequeue", why), &ended);
  }
  Finish(std::move(ended), nullptr);
}

}  // namespace millrace::ops
