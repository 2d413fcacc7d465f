#include "millrace/cluster/master/serial_queue.h"

#include <deque>
#include <utility>

namespace millrace {

struct SerialQueue::State : RefCounted {
  explicit State(TaskQueue* q) : queue(q) {}

  TaskQueue* const queue;
  Mutex mu;
  bool busy = false;
  std::deque<Operation> waiting;
};

SerialQueue::SerialQueue(TaskQueue* queue) : state_(MakeRef<State>(queue)) {}
SerialQueue::~SerialQueue() = default;

SerialQueue::Turn::Turn() = default;
SerialQueue::Turn::Turn(Ref<State> state) : state_(std::move(state)) {}
SerialQueue::Turn::Turn(Turn&& o) noexcept = default;
SerialQueue::Turn::~Turn() { End(); }

SerialQueue::Turn& SerialQueue::Turn::operator=(Turn&& o) noexcept {
  End();
  state_ = std::move(o.state_);
  return *this;
}

void SerialQueue::Turn::End() {
  if (!state_) return;
  Ref<State> state = std::move(state_);
  Operation next;
  {
    MutexLock lock(state->mu);
    if (state->waiting.empty()) {
      state->busy = false;
      return;
    }
    next = std::move(state->waiting.front());
    state->waiting.pop_front();
  }
  // Not inline: a turn may end anywhere, also under a lock or deep in a stack.
  TaskQueue* const queue = state->queue;
  queue->Schedule([state = std::move(state), next = std::move(next)]() mutable {
    std::move(next)(Turn(std::move(state)));
  });
}

void SerialQueue::Run(Operation operation) {
  {
    MutexLock lock(state_->mu);
    if (state_->busy) {
      state_->waiting.push_back(std::move(operation));
      return;
    }
    state_->busy = true;
  }
  std::move(operation)(Turn(state_));
}

}  // namespace millrace
