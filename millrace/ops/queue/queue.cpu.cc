#include "millrace/ops/queue/queue.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "millrace/base/clock.h"
#include "millrace/base/log.h"
#include "millrace/base/memory_budget.h"

namespace millrace::ops {
namespace {

constexpr int64_t kStarvedMillis = 30'000;

// What messages about single elements and about enqueues call it.
const char* BasicName(QueueKind kind) {
  return KindName(kind == QueueKind::kPaddingFifo ? QueueKind::kFifo : kind);
}

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

// No rows, in which unknown sizes are 0.
StatusOr<QueueTuple> NoRows(const Queue::Options& o, Allocator* allocator) {
  QueueTuple out;
  for (size_t i = 0; i < o.types.size(); ++i) {
    DimVector dims = {0};
    for (int64_t size : o.shapes[i].dims()) {
      dims.push_back(std::max<int64_t>(size, 0));
    }
    MR_ASSIGN(TensorShape shape, TensorShape::Make(dims));
    MR_ASSIGN(Tensor t,
              Tensor::Allocate(allocator, o.types[i], std::move(shape)));
    out.push_back(std::move(t));
  }
  return out;
}

// A batch that can never be made is refused before it waits.
Status CheckRoom(const Queue::Options& o, int64_t n) {
  int64_t bytes = 0;
  for (size_t i = 0; i < o.shapes.size(); ++i) {
    if (!o.shapes[i].IsFullyDefined()) continue;
    MR_ASSIGN(const TensorShape element, o.shapes[i].AsTensorShape());
    MR_ASSIGN(const TensorShape shape, WithRows(n, element));
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

struct Queue::Attempt {
  uint64_t id = 0;
  What what = What::kEnqueue;
  QueueCaller caller;
  QueueTuple parts;       // what an enqueue brings
  int64_t wanted = 1;     // elements in all
  int64_t remaining = 1;  // still to go in or out
  bool up_to = false;
  std::vector<QueueRun> taken;
  TupleDone done;
  Status status;
  CancelScope::Token token = 0;
  int64_t since_nanos = 0;
  std::optional<WaitScope> wait;
};

// Outlives the queue as long as a timer may call.
struct Queue::Watcher {
  Mutex mu;
  Queue* queue = nullptr;
};

QueueCaller QueueCaller::Of(KernelContext& ctx) {
  QueueCaller caller;
  caller.cancel = ctx.step().cancel;
  caller.allocator = ctx.device().allocator();
  caller.completions = &ctx.device().lanes().inter_op;
  caller.timer = &ctx.device().lanes().timer;
  caller.node = &ctx.node().name;
  caller.step_id = ctx.step().step_id;
  return caller;
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
                      closed_ ? " closed" : "", ", ", enqueues_.size(),
                      " enqueues and ", dequeues_.size(), " dequeues wait");
}

int64_t Queue::size() const {
  MutexLock lock(mu_);
  return items_->size();
}

bool Queue::is_closed() const {
  MutexLock lock(mu_);
  return closed_;
}

int64_t Queue::waiting() const {
  MutexLock lock(mu_);
  return static_cast<int64_t>(enqueues_.size() + dequeues_.size());
}

// ---- What is asked for. ----

void Queue::Enqueue(QueueCaller caller, QueueTuple element, Done done) {
  auto attempt = std::make_unique<Attempt>();
  attempt->what = What::kEnqueue;
  attempt->caller = caller;
  attempt->parts = std::move(element);
  attempt->done = WithoutTuple(std::move(done));
  Start(std::move(attempt));
}

void Queue::EnqueueMany(QueueCaller caller, QueueTuple batch, Done done) {
  const int64_t rows = batch[0].dim(0);
  if (rows == 0) return std::move(done)(OkStatus());
  auto attempt = std::make_unique<Attempt>();
  attempt->what = What::kEnqueueMany;
  attempt->caller = caller;
  attempt->parts = std::move(batch);
  attempt->wanted = attempt->remaining = rows;
  attempt->done = WithoutTuple(std::move(done));
  Start(std::move(attempt));
}

void Queue::Dequeue(QueueCaller caller, TupleDone done) {
  auto attempt = std::make_unique<Attempt>();
  attempt->what = What::kDequeue;
  attempt->caller = caller;
  attempt->done = std::move(done);
  Start(std::move(attempt));
}

void Queue::DequeueMany(QueueCaller caller, int64_t n, bool up_to,
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
  auto attempt = std::make_unique<Attempt>();
  attempt->what = What::kDequeueMany;
  attempt->caller = caller;
  attempt->wanted = attempt->remaining = n;
  attempt->up_to = up_to;
  attempt->done = std::move(done);
  Start(std::move(attempt));
}

void Queue::Close(QueueCaller caller, bool cancel_pending_enqueues, Done done) {
  if (!cancel_pending_enqueues) {
    auto attempt = std::make_unique<Attempt>();
    attempt->what = What::kClose;
    attempt->caller = caller;
    attempt->remaining = 0;
    attempt->done = WithoutTuple(std::move(done));
    return Start(std::move(attempt));
  }
  Finished ended;
  {
    MutexLock lock(mu_);
    closed_ = true;
    DropAll(enqueues_, Cancelled("Enqueue operation was cancelled"), &ended);
    Flush(&ended);
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
    DropAll(enqueues_, Cancelled("Enqueue", why), &ended);
    DropAll(dequeues_, Cancelled("Dequeue", why), &ended);
  }
  Finish(std::move(ended), nullptr);
}

// ---- How it is done. ----

void Queue::Start(std::unique_ptr<Attempt> attempt) {
  Attempt* const own = attempt.get();
  const bool enqueue = IsEnqueue(own->what);
  const Ref<Queue> alive = Ref<Queue>::Share(this);
  Finished finished;
  {
    MutexLock lock(mu_);
    Attempts& list = enqueue ? enqueues_ : dequeues_;
    const uint64_t id = next_id_++;
    list.emplace_hint(list.end(), id, std::move(attempt));
    Flush(&finished);
    const auto it = list.find(id);
    if (it != list.end()) {
      // It waits. The scope takes no lock of ours while it has its own.
      CancelScope* const scope = own->caller.cancel;
      CancelScope::Registration registered;
      if (scope != nullptr) {
        registered = scope->Register([alive, id, enqueue, scope] {
          alive->Cancel(id, enqueue, *scope);
        });
      }
      if (registered.ok()) {
        own->token = registered.token;
        Wait(*own);
      } else {
        finished.push_back(std::move(it->second));
        list.erase(it);
        Drop(*own, registered.status);
        Flush(&finished);
      }
    }
  }
  Finish(std::move(finished), own);
}

void Queue::Flush(Finished* finished) {
  bool changed = true;
  while (changed) {
    changed = RunFirst(enqueues_, finished);
    changed |= RunFirst(dequeues_, finished);
  }
}

bool Queue::RunFirst(Attempts& attempts, Finished* finished) {
  bool progress = false;
  while (!attempts.empty()) {
    const auto first = attempts.begin();
    const Progress made = Try(*first->second);
    progress |= made != Progress::kNone;
    if (made != Progress::kComplete) break;
    finished->push_back(std::move(first->second));
    attempts.erase(first);
  }
  return progress;
}

Queue::Progress Queue::Try(Attempt& attempt) {
  switch (attempt.what) {
    case What::kClose:
      if (closed_) {
        attempt.status = Cancelled("Queue '", name_, "' is already closed.");
      }
      closed_ = true;
      return Progress::kComplete;
    case What::kEnqueue:
    case What::kEnqueueMany:
      return TryEnqueue(attempt);
    default:
      return TryDequeue(attempt);
  }
}

Queue::Progress Queue::TryEnqueue(Attempt& attempt) {
  if (closed_) {
    attempt.status =
        Cancelled(BasicName(options_.kind), " '", name_, "' is closed.");
    return Progress::kComplete;
  }
  const int64_t room = options_.capacity - items_->size();
  if (room <= 0) return Progress::kNone;
  last_enqueue_nanos_ = NowNanos();
  if (attempt.what == What::kEnqueue) {
    items_->Push(std::move(attempt.parts));
    return Progress::kComplete;
  }
  const int64_t rows = std::min(room, attempt.remaining);
  const int64_t begin = attempt.wanted - attempt.remaining;
  attempt.status = items_->PushRows(attempt.parts, begin, begin + rows);
  if (!attempt.status.ok()) return Progress::kComplete;
  attempt.remaining -= rows;
  return attempt.remaining == 0 ? Progress::kComplete : Progress::kSome;
}

// Of a closed queue with less than the attempt still wants. kNone: it may go on
// with what is left.
Queue::Progress Queue::TryClosedDequeue(Attempt& attempt, int64_t have) {
  const int64_t missing = attempt.remaining;
  if (!attempt.taken.empty()) {
    items_->PutBack(std::exchange(attempt.taken, {}));
    attempt.remaining = attempt.wanted;
  }
  if (attempt.up_to && items_->size() > 0) {
    attempt.wanted = attempt.remaining =
        std::min(attempt.wanted, items_->size());
    return Progress::kNone;
  }
  // What waits to come in is refused first.
  if (attempt.up_to && !enqueues_.empty()) return Progress::kSome;
  attempt.status = OutOfRange(
      attempt.what == What::kDequeue ? BasicName(options_.kind)
                                     : KindName(options_.kind),
      " '", name_, "' is closed and has insufficient elements (requested ",
      missing, ", current size ", have, ")");
  return Progress::kComplete;
}

Queue::Progress Queue::TryDequeue(Attempt& attempt) {
  int64_t available = items_->size();
  if (closed_ && available < attempt.remaining) {
    const Progress ended = TryClosedDequeue(attempt, available);
    if (ended != Progress::kNone) return ended;
    available = items_->size();
  }
  if (!closed_) {
    available -= options_.min_after_dequeue;
    // Later elements may come before those that are there.
    if (options_.kind == QueueKind::kPriority &&
        available < attempt.remaining) {
      return Progress::kNone;
    }
  }
  if (available <= 0) return Progress::kNone;
  const int64_t n = std::min(available, attempt.remaining);
  items_->Take(n, &attempt.taken);
  attempt.remaining -= n;
  return attempt.remaining == 0 ? Progress::kComplete : Progress::kSome;
}

void Queue::Drop(Attempt& attempt, Status status) {
  if (!attempt.taken.empty()) {
    items_->PutBack(std::exchange(attempt.taken, {}));
  }
  // The words of a cancelled operation; other reasons speak for themselves.
  if (status.code() == StatusCode::kCancelled &&
      status.message().find("operation was cancelled") ==
          absl::string_view::npos) {
    const char* what = "Dequeue";
    if (attempt.what == What::kClose) {
      what = "Close";
    } else if (IsEnqueue(attempt.what)) {
      what = "Enqueue";
    }
    Status words = Cancelled(what, " operation was cancelled");
    status = IsDerived(status) ? MarkDerived(words) : std::move(words);
  }
  attempt.status = std::move(status);
}

void Queue::DropAll(Attempts& attempts, const Status& status,
                    Finished* finished) {
  for (auto& [id, attempt] : attempts) {
    Drop(*attempt, status);
    finished->push_back(std::move(attempt));
  }
  attempts.clear();
}

void Queue::Wait(Attempt& attempt) {
  const char* what = "";
  switch (attempt.what) {
    case What::kEnqueue:
      what = "enqueue to";
      break;
    case What::kEnqueueMany:
      what = "enqueue of many to";
      break;
    case What::kClose:
      what = "close of";
      break;
    case What::kDequeue:
      what = "dequeue from";
      break;
    case What::kDequeueMany:
      what = "dequeue of many from";
      break;
  }
  attempt.since_nanos = NowNanos();
  attempt.wait.emplace(absl::StrCat(
      what, " queue ", name_, " (", attempt.wanted - attempt.remaining, " of ",
      attempt.wanted, " done, size ", items_->size(), "), node ",
      attempt.caller.node ? *attempt.caller.node : "", ", step ",
      attempt.caller.step_id));
  if (!IsEnqueue(attempt.what)) Watch(attempt.caller);
}

void Queue::Finish(Finished finished, const Attempt* own) {
  std::unique_ptr<Attempt> mine;
  for (std::unique_ptr<Attempt>& attempt : finished) {
    // The entry is out of its list, so a callback that runs finds nothing.
    if (attempt->token != 0) attempt->caller.cancel->Unregister(attempt->token);
    attempt->wait.reset();
    if (attempt.get() == own) {
      mine = std::move(attempt);
      continue;
    }
    TaskQueue* const completions = attempt->caller.completions;
    if (completions == nullptr) {
      Complete(*attempt);
      continue;
    }
    completions->Schedule([alive = Ref<Queue>::Share(this),
                           attempt = std::move(attempt)]() mutable {
      alive->Complete(*attempt);
    });
  }
  if (mine) Complete(*mine);
}

void Queue::Complete(Attempt& attempt) {
  if (!attempt.status.ok()) {
    return std::move(attempt.done)(std::move(attempt.status));
  }
  if (IsEnqueue(attempt.what)) return std::move(attempt.done)(QueueTuple());
  StatusOr<QueueTuple> result =
      attempt.what == What::kDequeue
          ? ToElement(attempt.taken[0], attempt.caller.allocator)
          : ToBatch(attempt.taken, attempt.wanted,
                    options_.kind == QueueKind::kPaddingFifo,
                    attempt.caller.allocator);
  if (!result.ok()) {
    // No memory for the result: the elements are still there.
    Finished others;
    {
      MutexLock lock(mu_);
      items_->PutBack(std::move(attempt.taken));
      Flush(&others);
    }
    Finish(std::move(others), nullptr);
  }
  attempt.taken.clear();
  std::move(attempt.done)(std::move(result));
}

void Queue::Cancel(uint64_t id, bool enqueue, const CancelScope& scope) {
  Finished finished;
  {
    MutexLock lock(mu_);
    Attempts& list = enqueue ? enqueues_ : dequeues_;
    const auto it = list.find(id);
    if (it == list.end()) return;
    std::unique_ptr<Attempt> attempt = std::move(it->second);
    list.erase(it);
    attempt->token = 0;
    Drop(*attempt, scope.status());
    finished.push_back(std::move(attempt));
    Flush(&finished);
  }
  Finish(std::move(finished), nullptr);
}

// ---- Starvation. ----

void Queue::Watch(const QueueCaller& caller) {
  if (watched_ || starvation_logged_ || caller.timer == nullptr) return;
  watched_ = true;
  caller.timer->RunAt(Deadline::AfterMillis(kStarvedMillis),
                      [watcher = watcher_] {
                        MutexLock lock(watcher->mu);
                        if (watcher->queue) watcher->queue->LogIfStarved();
                      });
}

void Queue::LogIfStarved() {
  MutexLock lock(mu_);
  watched_ = false;
  if (dequeues_.empty()) return;
  const Attempt& oldest = *dequeues_.begin()->second;
  const int64_t now = NowNanos();
  const int64_t quiet = now - std::max(last_enqueue_nanos_, oldest.since_nanos);
  if (quiet < kStarvedMillis * 1'000'000) return Watch(oldest.caller);
  starvation_logged_ = true;
  MR_LOG(Warning) << KindName(options_.kind) << " '" << name_
                  << "' has had no enqueue for "
                  << (now - last_enqueue_nanos_) / 1'000'000'000 << " s, while "
                  << dequeues_.size() << " dequeues wait, the oldest (node "
                  << (oldest.caller.node ? *oldest.caller.node : "")
                  << ", step " << oldest.caller.step_id << ") for "
                  << (now - oldest.since_nanos) / 1'000'000'000 << " s; size "
                  << items_->size() << ". Were its queue runners started?";
}

}  // namespace millrace::ops
