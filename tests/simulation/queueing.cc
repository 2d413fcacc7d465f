#include "tests/simulation/queueing.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "millrace/base/sim/sim.h"

namespace millrace::sim {
namespace {

// Timeout of a step under faults, which may wait in vain.
constexpr int64_t kSoonMs = 800;
constexpr int64_t kWhileMs = 2'000;
// Timeout of a step without faults, which must end long before.
constexpr int64_t kPlentyMs = 10'000;
// After this time a cancelled step without faults has ended everywhere.
constexpr int64_t kAftermathMs = 2'000;
// Elements of a client's queues begin with their kind's number.
constexpr int64_t kNumbersOfKind = 1'000'000;

// Hides outcomes of a step on a queue after which its session is still usable.
Status UnlessEnded(const Status& status) {
  switch (status.code()) {
    case StatusCode::kCancelled:
    case StatusCode::kDeadlineExceeded:
    case StatusCode::kOutOfRange:
      return OkStatus();
    default:
      return status;
  }
}

bool IsClosedQueue(const Status& status) {
  return status.code() == StatusCode::kCancelled &&
         absl::StrContains(status.message(), "' is closed.");
}

RunLimits Limits(int64_t timeout_ms) {
  RunLimits limits;
  limits.timeout_ms = timeout_ms;
  limits.may_end = true;
  return limits;
}

}  // namespace

Queueing::Queueing(Connection& connection, const ClientOps& ops)
    : connection_(connection) {
  for (const QueueOps& queue : ops.queues) {
    const int64_t kind = static_cast<int64_t>(queue.kind);
    const int64_t first =
        (1 + ops.worker * kNumQueueKinds + kind) * kNumbersOfKind;
    queues_.push_back({&queue, QueueAccount(queue.kind, first)});
  }
}

int Queueing::life(const Tracked& t) const {
  return connection_.cluster().life(t.ops->ps);
}

Queueing::Tracked& Queueing::Choose() {
  Tracked& t = queues_[SimRandom(queues_.size())];
  t.account.Enter(life(t));
  return t;
}

void Queueing::Check(const Status& status) {
  if (!status.ok()) connection_.Fail(status);
}

void Queueing::Unsettle(int64_t ms) {
  settled_ = false;
  settle_from_ = Deadline::AfterMillis(ms);
}

Status Queueing::Step(bool calm) {
  if (at_peace_ && !calm) return OkStatus();
  if (at_peace_ && !settled_) {
    return settle_from_.expired() ? Empty() : OkStatus();
  }
  Tracked& t = Choose();
  const auto few = static_cast<int64_t>(1 + SimRandom(4));
  Status status;
  switch (SimRandom(at_peace_ ? 12 : 13)) {
    case 0:
    case 1:
      status = Put(t, 1);
      break;
    case 2:
    case 3:
    case 4:
      status = Put(t, few);
      break;
    case 5:
      status = TakeSome(t, How::kOne, 1);
      break;
    case 6:
      status = TakeSome(t, How::kMany, few);
      break;
    case 7:
      status = TakeSome(t, How::kUpTo, few);
      break;
    case 8:
      status = LookAtSize(t);
      break;
    case 9:
    case 10:
      status = WaitToTake(t);
      break;
    case 11:
      status = WaitToPut(t);
      break;
    default:
      status = Close(t);
  }
  if (at_peace_ && !t.account.exact()) Unsettle(kAftermathMs);
  return status;
}

Queueing::Putting Queueing::BeginPut(Tracked& t, int64_t count) {
  Putting putting;
  putting.life = life(t);
  t.account.Enter(putting.life);
  if (t.account.closed()) putting.most = 0;
  putting.numbers = t.account.Begin(count);
  return putting;
}

void Queueing::Run(const Tracked& t, Session& session, const RunLimits& limits,
                   Putting* putting) {
  const QueueOps& q = *t.ops;
  const bool one = putting->numbers.size() == 1;
  putting->status = connection_
                        .RunIn(session,
                               one ? FeedElement(q, putting->numbers[0])
                                   : FeedRows(q, putting->numbers),
                               {}, {one ? q.put : q.put_rows}, limits)
                        .status();
}

void Queueing::Tell(Tracked& t, const Putting& putting) {
  QueueAccount& account = t.account;
  account.Enter(life(t));
  const std::vector<int64_t>& numbers = putting.numbers;
  if (putting.status.ok()) {
    Check(account.PutIn(numbers, putting.life));
    put_ += static_cast<int64_t>(numbers.size());
    return;
  }
  size_t most = std::min(putting.most, numbers.size());
  if (IsClosedQueue(putting.status)) {
    Check(account.SeenClosed(putting.life));
    if (numbers.size() == 1) most = 0;
  }
  const auto rest = numbers.begin() + static_cast<std::ptrdiff_t>(most);
  account.MaybeIn({numbers.begin(), rest});
  account.NotIn({rest, numbers.end()});
}

Queueing::Taking Queueing::BeginTake(Tracked& t, How how, int64_t n) {
  t.account.Enter(life(t));
  Taking taking;
  taking.how = how;
  taking.n = n;
  taking.take = t.account.BeginTake();
  return taking;
}

void Queueing::Run(const Tracked& t, Session& session, const RunLimits& limits,
                   Taking* taking) {
  const QueueOps& q = *t.ops;
  if (taking->how == How::kOne) {
    taking->got = connection_.RunIn(session, {}, q.taken, {}, limits);
    return;
  }
  const std::vector<Feed> feeds = {{q.n, static_cast<int32_t>(taking->n)}};
  taking->got = connection_.RunIn(
      session, feeds, taking->how == How::kMany ? q.taken_rows : q.taken_up_to,
      {}, limits);
}

void Queueing::Tell(Tracked& t, const Taking& taking) {
  QueueAccount& account = t.account;
  account.Enter(life(t));
  if (!taking.got.ok()) {
    if (taking.got.status().code() == StatusCode::kOutOfRange) {
      Check(
          account.Ended(taking.how == How::kUpTo ? 1 : taking.n, taking.take));
    } else if (!taking.in_vain) {
      account.MaybeTaken(taking.n);
    }
    return;
  }
  const std::vector<int64_t> numbers =
      NumbersOf(*t.ops, *taking.got, taking.how != How::kOne);
  const auto count = static_cast<int64_t>(numbers.size());
  taken_ += count;
  if (taking.how == How::kUpTo && count > 0 && count < taking.n) {
    Check(account.SeenClosed(taking.take.life));
  } else if (count != taking.n) {
    Check(Internal("queue: a dequeue of ", taking.n, " elements gave ", count));
  }
  Check(account.TakenOut(numbers, taking.take));
}

Status Queueing::Put(Tracked& t, int64_t count) {
  const bool closed = t.account.closed();
  if (at_peace_ && !closed && t.account.most() + count > kQueueCapacity) {
    return TakeSome(t, How::kMany, t.account.most());
  }
  MR_ASSIGN_OR_RETURN(const std::shared_ptr<Session> session,
                      connection_.session());
  Putting putting = BeginPut(t, count);
  Run(t, *session, Limits(at_peace_ ? kPlentyMs : kSoonMs), &putting);
  Tell(t, putting);
  if (at_peace_ &&
      (closed ? !IsClosedQueue(putting.status) : !putting.status.ok())) {
    Check(Internal("queue: an enqueue of ", count, " to one that ",
                   closed ? "is closed" : "has room", " gave ",
                   putting.status.ToString()));
  }
  return UnlessEnded(putting.status);
}

Status Queueing::TakeSome(Tracked& t, How how, int64_t n) {
  const bool closed = t.account.closed();
  if (at_peace_ && !closed) {
    if (t.account.most() == 0) return Put(t, 1);
    n = std::min(n, t.account.most());
  }
  MR_ASSIGN_OR_RETURN(const std::shared_ptr<Session> session,
                      connection_.session());
  Taking taking = BeginTake(t, how, n);
  Run(t, *session, Limits(at_peace_ ? kPlentyMs : kSoonMs), &taking);
  Tell(t, taking);
  const Status& status = taking.got.status();
  // Once the faults are over, a closed queue was emptied.
  if (at_peace_ &&
      status.code() != (closed ? StatusCode::kOutOfRange : StatusCode::kOk)) {
    Check(Internal("queue: a dequeue of ", n, " from one that ",
                   closed ? "is closed" : "has them", " gave ",
                   status.ToString()));
  }
  return UnlessEnded(status);
}

Status Queueing::LookAtSize(Tracked& t) {
  const int from = life(t);
  MR_ASSIGN_OR_RETURN(const auto got, connection_.Run({}, {t.ops->size}));
  t.account.Enter(life(t));
  const int64_t size = got[0].scalar<int32_t>();
  Check(t.account.CheckSize(size, from));
  if (at_peace_ && size != t.account.most()) {
    Check(Internal("queue: it has ", size, " elements, it must have ",
                   t.account.most()));
  }
  return OkStatus();
}

Status Queueing::Close(Tracked& t) {
  const int from = life(t);
  const bool cancels = SimRandom(2) == 0;
  const Status status =
      connection_
          .Run({}, {}, {cancels ? t.ops->close_cancelling : t.ops->close},
               Limits(kSoonMs))
          .status();
  t.account.Enter(life(t));
  t.account.Closed(from, status.ok());
  return UnlessEnded(status);
}

Status Queueing::Meanwhile(End end, Waits waits,
                           absl::FunctionRef<Status(Session&)> serve) {
  MR_ASSIGN_OR_RETURN(const std::shared_ptr<Session> session,
                      connection_.session());
  CancelScope cancel;
  RunLimits limits = Limits(at_peace_ ? kPlentyMs : kWhileMs);
  if (end == End::kTimeout) {
    limits.timeout_ms = 200 + static_cast<int64_t>(SimRandom(600));
  }
  limits.cancel = &cancel;
  Thread waiter("queue waiter", [&] { waits(*session, limits); });
  SleepUntil(Deadline::AfterMillis(static_cast<int64_t>(SimRandom(400))));
  Status status;
  switch (end) {
    case End::kServed:
      status = serve(*session);
      if (!status.ok()) cancel.Cancel(Cancelled("nobody serves it"));
      break;
    case End::kCancelled:
      cancel.Cancel(Cancelled("the client has changed its mind"));
      break;
    case End::kTimeout:
      break;
    case End::kClosed:
      connection_.Drop();
      session->Close().IgnoreError();
      break;
  }
  waiter.Join();
  if (at_peace_ && end != End::kServed) {
    SleepUntil(Deadline::AfterMillis(kAftermathMs));
  }
  return status;
}

void Queueing::CheckEnd(const char* what, End end, const Status& status) {
  const StatusCode code = status.code();
  bool expected = false;
  switch (end) {
    case End::kServed:
      expected = status.ok();
      break;
    case End::kCancelled:
      expected = code == StatusCode::kCancelled;
      break;
    case End::kTimeout:
      expected = code == StatusCode::kDeadlineExceeded;
      break;
    case End::kClosed:
      // Or it came too late to begin.
      expected = code == StatusCode::kCancelled ||
                 code == StatusCode::kFailedPrecondition;
      break;
  }
  if (expected) return;
  static constexpr const char* kWhats[] = {"was served", "was cancelled",
                                           "timed out", "lost its session"};
  Check(Internal("queue: ", what, " that ", kWhats[static_cast<int>(end)],
                 " gave ", status.ToString()));
}

// Waits for more elements than there are: those that it has taken are put back.
Status Queueing::WaitToTake(Tracked& t) {
  if (at_peace_ && t.account.closed()) return TakeSome(t, How::kOne, 1);
  const int64_t most = t.account.most();
  const int64_t n = most + 1 + static_cast<int64_t>(SimRandom(2));
  auto end = static_cast<End>(SimRandom(4));
  // A priority queue dequeues them all at once.
  if (n > kQueueCapacity && end == End::kServed) end = End::kTimeout;
  MR_RETURN_IF_ERROR(connection_.session().status());
  Taking taking = BeginTake(t, How::kMany, n);
  taking.in_vain = at_peace_ && end != End::kServed;
  const Status status = Meanwhile(
      end,
      [&](Session& session, const RunLimits& limits) {
        Run(t, session, limits, &taking);
      },
      [&](Session& session) {
        Putting putting = BeginPut(t, n - most);
        Run(t, session, Limits(at_peace_ ? kPlentyMs : kSoonMs), &putting);
        Tell(t, putting);
        return putting.status;
      });
  Tell(t, taking);
  if (at_peace_) CheckEnd("a dequeue", end, taking.got.status());
  return UnlessEnded(status);
}

// Enqueues more elements than there is room for: some are enqueued, the others
// wait.
Status Queueing::WaitToPut(Tracked& t) {
  if (at_peace_ && t.account.closed()) return Put(t, 1);
  const int64_t room = std::max<int64_t>(0, kQueueCapacity - t.account.most());
  const int64_t more = 1 + static_cast<int64_t>(SimRandom(2));
  const auto end = static_cast<End>(SimRandom(4));
  MR_RETURN_IF_ERROR(connection_.session().status());
  Putting putting = BeginPut(t, room + more);
  if (at_peace_ && end != End::kServed) {
    putting.most = static_cast<size_t>(room);
  }
  const Status status = Meanwhile(
      end,
      [&](Session& session, const RunLimits& limits) {
        Run(t, session, limits, &putting);
      },
      [&](Session& session) {
        Taking taking = BeginTake(t, How::kMany, more);
        Run(t, session, Limits(at_peace_ ? kPlentyMs : kSoonMs), &taking);
        Tell(t, taking);
        return taking.got.status();
      });
  Tell(t, putting);
  if (at_peace_) CheckEnd("an enqueue", end, putting.status);
  return UnlessEnded(status);
}

Status Queueing::Empty() {
  std::vector<Output> fetches;
  std::vector<int> lives;
  for (Tracked& t : queues_) {
    lives.push_back(life(t));
    t.account.Enter(lives.back());
    fetches.push_back(t.ops->size);
    fetches.push_back(t.ops->is_closed);
  }
  MR_ASSIGN_OR_RETURN(const auto got, connection_.Run({}, fetches));
  std::vector<int64_t> sizes;
  for (size_t i = 0; i < queues_.size(); ++i) {
    QueueAccount& account = queues_[i].account;
    account.Enter(life(queues_[i]));
    sizes.push_back(got[2 * i].scalar<int32_t>());
    Check(account.CheckSize(sizes.back(), lives[i]));
    Check(got[2 * i + 1].scalar<bool>() ? account.SeenClosed(lives[i])
                                        : account.SeenOpen(lives[i]));
  }
  MR_RETURN_IF_ERROR(TakeAll(sizes));
  for (Tracked& t : queues_) Check(t.account.Emptied());
  settled_ = true;
  return OkStatus();
}

// Dequeues in one step. If it fails, all of it is in doubt.
Status Queueing::TakeAll(const std::vector<int64_t>& sizes) {
  std::vector<Feed> feeds;
  std::vector<Output> fetches;
  std::vector<Taking> takings;
  for (size_t i = 0; i < queues_.size(); ++i) {
    const QueueOps& q = *queues_[i].ops;
    takings.push_back(BeginTake(queues_[i], How::kMany, sizes[i]));
    if (sizes[i] == 0) continue;
    feeds.push_back({q.n, static_cast<int32_t>(sizes[i])});
    fetches.insert(fetches.end(), q.taken_rows.begin(), q.taken_rows.end());
  }
  if (fetches.empty()) return OkStatus();
  const auto got = connection_.Run(feeds, fetches, {}, Limits(kPlentyMs));
  size_t at = 0;
  for (size_t i = 0; i < queues_.size(); ++i) {
    if (sizes[i] == 0) continue;
    const size_t width = queues_[i].ops->taken_rows.size();
    if (!got.ok()) {
      takings[i].got = got.status();
    } else {
      const auto first = got->begin() + static_cast<std::ptrdiff_t>(at);
      takings[i].got = std::vector<Tensor>(
          first, first + static_cast<std::ptrdiff_t>(width));
    }
    at += width;
    Tell(queues_[i], takings[i]);
  }
  if (!got.ok()) Unsettle(kQuietMs);
  return got.status();
}

Status Queueing::Finish() {
  if (!settled_) {
    SleepUntil(settle_from_);
    MR_RETURN_IF_ERROR(Empty());
  }
  std::vector<ControlInput> closes;
  std::vector<Tracked*> open;
  for (Tracked& t : queues_) {
    if (t.account.closed()) continue;
    open.push_back(&t);
    closes.emplace_back(SimRandom(2) == 0 ? t.ops->close
                                          : t.ops->close_cancelling);
  }
  if (!open.empty()) {
    MR_RETURN_IF_ERROR(connection_.session().status());
    // One waits for more elements than there are, and gets the end of the
    // queue.
    Tracked& t = *open[SimRandom(open.size())];
    Taking taking = BeginTake(t, How::kMany, t.account.most() + 1);
    Status closed = Internal("not run");
    const Status status = Meanwhile(
        End::kServed,
        [&](Session& session, const RunLimits& limits) {
          Run(t, session, limits, &taking);
        },
        [&](Session& session) {
          closed = connection_.RunIn(session, {}, {}, closes, Limits(kPlentyMs))
                       .status();
          return closed;
        });
    for (Tracked* o : open) {
      o->account.Closed(life(*o), closed.ok());
    }
    Tell(t, taking);
    Unsettle(kAftermathMs);
    MR_RETURN_IF_ERROR(status);
    if (taking.got.status().code() != StatusCode::kOutOfRange) {
      Check(
          Internal("queue: a dequeue that waited when the queue was closed "
                   "gave ",
                   taking.got.status().ToString()));
    }
  }
  if (!settled_) {
    MR_RETURN_IF_ERROR(Empty());
  }
  finished_ = true;
  return OkStatus();
}

}  // namespace millrace::sim
