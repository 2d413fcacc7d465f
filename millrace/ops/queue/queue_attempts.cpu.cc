// How a queue does what it is asked for: attempts in the order of their
// arrival.
#include <algorithm>
#include <utility>

#include "millrace/base/clock.h"
#include "millrace/ops/queue/queue_attempt.h"

namespace millrace::ops {
namespace {

// What messages about single elements and about enqueues call it.
const char* BasicName(QueueKind kind) {
  return KindName(kind == QueueKind::kPaddingFifo ? QueueKind::kFifo : kind);
}

}  // namespace

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
        Wait(*own, it == list.begin());
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
  auto first = attempts.begin();
  while (first != attempts.end()) {
    // A closed queue refuses every enqueue, also this one.
    if (first->second->GaveUp() &&
        !(closed_ && IsEnqueue(first->second->what))) {
      ++first;
      continue;
    }
    const Progress made = Try(*first->second);
    progress |= made != Progress::kNone;
    if (made != Progress::kComplete) {
      std::optional<WaitScope>& wait = first->second->wait;
      if (wait.has_value()) wait->set_missing(Missing(*first->second));
      break;
    }
    finished->push_back(std::move(first->second));
    first = attempts.erase(first);
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

// The queue is closed and has less than the attempt still wants. kNone: it may
// go on with what is left.
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

int64_t Queue::Missing(const Attempt& attempt) const {
  if (IsEnqueue(attempt.what)) return attempt.remaining;
  const int64_t stay = closed_ ? 0 : options_.min_after_dequeue;
  return std::max<int64_t>(1, attempt.remaining + stay - items_->size());
}

void Queue::Wait(Attempt& attempt, bool is_first) {
  std::string what;
  const char* unit = "element";
  switch (attempt.what) {
    case What::kEnqueue:
      what = "enqueue to";
      unit = "place";
      break;
    case What::kEnqueueMany:
      what = absl::StrCat("enqueue of ", attempt.wanted, " to");
      unit = "place";
      break;
    case What::kClose:
      what = "close of";
      unit = nullptr;
      break;
    case What::kDequeue:
      what = "dequeue from";
      break;
    case What::kDequeueMany:
      what = absl::StrCat("dequeue of ", attempt.wanted, " from");
      break;
  }
  attempt.since_nanos = NowNanos();
  // What comes before those that are not first is not theirs.
  attempt.wait.emplace(
      absl::StrCat(what, " queue ", name_, ", node ",
                   attempt.caller.node ? *attempt.caller.node : "", ", step ",
                   attempt.caller.step_id),
      unit, is_first ? Missing(attempt) : attempt.remaining);
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
                    options_.kind == QueueKind::kPaddingFifo ? Padding::kZeros
                                                             : Padding::kNone,
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

}  // namespace millrace::ops
