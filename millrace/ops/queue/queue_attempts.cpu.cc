// How a queue executes its operations.
#include <algorithm>
#include <utility>

#include "millrace/ops/queue/queue_attempt.h"

namespace millrace::ops {
namespace {

// Returns the name of the queue in messages about single elements and enqueues.
const char* BasicName(QueueKind kind) {
  return KindName(kind == QueueKind::kPaddingFifo ? QueueKind::kFifo : kind);
}

}  // namespace

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
    attempt.status = items_->Push(std::move(attempt.parts));
    return Progress::kComplete;
  }
  const int64_t rows = std::min(room, attempt.remaining);
  const int64_t begin = attempt.wanted - attempt.remaining;
  attempt.status = items_->PushRows(attempt.parts, begin, begin + rows);
  if (!attempt.status.ok()) return Progress::kComplete;
  attempt.remaining -= rows;
  return attempt.remaining == 0 ? Progress::kComplete : Progress::kSome;
}

// Handles a closed queue with fewer elements than the attempt still needs.
// kNone: it may continue with the elements that are left.
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
  // Waiting enqueues are refused first.
  if (attempt.up_to && num_waiting(kEnqueues) > 0) return Progress::kSome;
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
  // A cancelled operation gets stock's message; other errors keep theirs.
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

int64_t Queue::Missing(const Attempt& attempt) const {
  if (IsEnqueue(attempt.what)) return attempt.remaining;
  const int64_t stay = closed_ ? 0 : options_.min_after_dequeue;
  return std::max<int64_t>(1, attempt.remaining + stay - items_->size());
}

std::string Queue::Attempt::Describe() const {
  std::string verb;
  switch (what) {
    case What::kEnqueue:
      verb = "enqueue to";
      break;
    case What::kEnqueueMany:
      verb = absl::StrCat("enqueue of ", wanted, " to");
      break;
    case What::kClose:
      verb = "close of";
      break;
    case What::kDequeue:
      verb = "dequeue from";
      break;
    case What::kDequeueMany:
      verb = absl::StrCat("dequeue of ", wanted, " from");
      break;
  }
  return absl::StrCat(verb, " queue ", queue.name_);
}

const char* Queue::Attempt::unit() const {
  if (what == What::kClose) return nullptr;
  return IsEnqueue(what) ? "place" : "element";
}

void Queue::Complete(Attempt& attempt) {
  if (!attempt.status.ok()) {
    return std::move(attempt.done)(std::move(attempt.status));
  }
  if (IsEnqueue(attempt.what)) return std::move(attempt.done)(QueueTuple());
  StatusOr<QueueTuple> result =
      attempt.what == What::kDequeue
          ? ToElement(attempt.taken[0], attempt.allocator)
          : ToBatch(attempt.taken, attempt.wanted,
                    options_.kind == QueueKind::kPaddingFifo ? Padding::kZeros
                                                             : Padding::kNone,
                    attempt.allocator);
  if (!result.ok()) {
    // There is no memory for the result, but the elements are still there.
    Finished others;
    {
      MutexLock lock(mu_);
      items_->PutBack(std::move(attempt.taken));
      Serve(&others);
    }
    Finish(std::move(others), nullptr);
  }
  attempt.taken.clear();
  std::move(attempt.done)(std::move(result));
}

}  // namespace millrace::ops
