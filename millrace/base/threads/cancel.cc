#include "millrace/base/threads/cancel.h"

#include <atomic>
#include <utility>

#include "absl/container/btree_map.h"
#include "millrace/base/threads/thread.h"

namespace millrace {

// Shared by the scope, its children and running calls of Cancel. The lock of a
// parent may be taken before that of a child, never the other way round.
struct CancelScope::State : RefCounted {
  static constexpr size_t kNowhere = SIZE_MAX;
  explicit State(Ref<State> p) : parent(std::move(p)) {}

  void Cancel(const Status& reason);
  // Require: `mu` is held.
  void Attach(State* child);
  void Detach(State* child);

  const Ref<State> parent;
  std::atomic<bool> cancelled{false};
  Mutex mu;
  CondVar callback_done;
  Status status;
  // Children in the order of their creation, and nulls where one has left. A
  // child is listed only while its scope lives, so taking a reference under
  // `mu` is safe.
  std::vector<State*> children;
  size_t gaps = 0;          // nulls in `children`
  size_t place = kNowhere;  // in the parent's `children`, under its lock
  absl::btree_map<Token, absl::AnyInvocable<void()>> callbacks;
  Token next_token = 1;
  Token running = 0;
  uint64_t runner = 0;  // tag of the thread that runs callbacks
  std::vector<std::pair<Timer*, Timer::Id>> deadlines;
};

void CancelScope::State::Cancel(const Status& reason) {
  std::vector<Ref<State>> below;
  {
    MutexLock lock(mu);
    if (cancelled.load(std::memory_order_relaxed)) return;
    status = reason.ok() ? Cancelled("The operation was cancelled") : reason;
    cancelled.store(true, std::memory_order_release);
    runner = internal::ThreadTag();
    for (State* child : children) {
      if (child != nullptr) below.push_back(Ref<State>::Share(child));
    }
    // Callbacks are taken one at a time, so that Unregister removes any that
    // has not started.
    while (!callbacks.empty()) {
      const auto first = callbacks.begin();
      absl::AnyInvocable<void()> callback = std::move(first->second);
      running = first->first;
      callbacks.erase(first);
      lock.Unlock();
      callback();
      callback = nullptr;
      lock.Lock();
      running = 0;
      callback_done.NotifyAll();
    }
  }
  for (const Ref<State>& child : below) child->Cancel(reason);
}

void CancelScope::State::Attach(State* child) {
  child->place = children.size();
  children.push_back(child);
}

// A server has a child for each call that waits, so neither this nor the gaps
// may cost time or memory in proportion to all of them.
void CancelScope::State::Detach(State* child) {
  if (child->place == kNowhere) return;
  children[child->place] = nullptr;
  constexpr size_t kFewGaps = 16;
  if (++gaps <= children.size() / 2 + kFewGaps) return;
  std::erase(children, nullptr);
  gaps = 0;
  for (size_t i = 0; i < children.size(); ++i) children[i]->place = i;
}

CancelScope::CancelScope() : CancelScope(nullptr) {}

CancelScope::CancelScope(CancelScope* parent)
    : state_(MakeRef<State>(parent ? parent->state_ : nullptr)) {
  if (!parent) return;
  State& above = *parent->state_;
  MutexLock lock(above.mu);
  if (above.cancelled.load(std::memory_order_relaxed)) {
    state_->status = above.status;
    state_->cancelled.store(true, std::memory_order_release);
  } else {
    above.Attach(state_.get());
  }
}

CancelScope::~CancelScope() {
  if (state_->parent) {
    MutexLock lock(state_->parent->mu);
    state_->parent->Detach(state_.get());
  }
  absl::btree_map<Token, absl::AnyInvocable<void()>> dropped;
  std::vector<std::pair<Timer*, Timer::Id>> deadlines;
  {
    MutexLock lock(state_->mu);
    dropped.swap(state_->callbacks);
    deadlines.swap(state_->deadlines);
    // A Cancel that is running one of our callbacks must end first: objects
    // that the callback uses may be destroyed with the scope.
    while (state_->running != 0 && state_->runner != internal::ThreadTag()) {
      state_->callback_done.Wait(state_->mu);
    }
  }
  for (const auto& [timer, id] : deadlines) timer->Cancel(id);
}

void CancelScope::Cancel(Status reason) {
  const Ref<State> alive = state_;  // a callback may destroy this scope
  alive->Cancel(reason);
}

bool CancelScope::cancelled() const {
  return state_->cancelled.load(std::memory_order_acquire);
}

Status CancelScope::status() const {
  if (!cancelled()) return OkStatus();
  MutexLock lock(state_->mu);
  return state_->status;
}

CancelScope::Registration CancelScope::Register(
    absl::AnyInvocable<void()> callback) {
  MutexLock lock(state_->mu);
  if (cancelled()) return {.token = 0, .status = state_->status};
  const Token token = state_->next_token++;
  state_->callbacks.emplace_hint(state_->callbacks.end(), token,
                                 std::move(callback));
  return {.token = token, .status = OkStatus()};
}

bool CancelScope::Unregister(Token token) {
  if (token == 0) return true;
  const Ref<State> alive = state_;
  absl::AnyInvocable<void()> dropped;  // destroyed after the lock is released
  MutexLock lock(alive->mu);
  const auto it = alive->callbacks.find(token);
  if (it != alive->callbacks.end()) {
    dropped = std::move(it->second);
    alive->callbacks.erase(it);
    return true;
  }
  if (alive->runner != internal::ThreadTag()) {
    while (alive->running == token) alive->callback_done.Wait(alive->mu);
  }
  return false;
}

void CancelScope::CancelAt(Deadline deadline, Timer& timer, Status reason) {
  if (deadline.infinite()) return;
  // RunAt comes before the lock: a callback on the timer's thread may need this
  // lock.
  const Timer::Id id = timer.RunAt(
      deadline,
      [state = state_, reason = std::move(reason)] { state->Cancel(reason); });
  MutexLock lock(state_->mu);
  state_->deadlines.emplace_back(&timer, id);
}

}  // namespace millrace
