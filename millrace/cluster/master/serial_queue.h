// SerialQueue: runs asynchronous operations one after the other.
#pragma once

#include "absl/functional/any_invocable.h"
#include "millrace/base/memory/ref.h"
#include "millrace/base/threads/thread_pool.h"

namespace millrace {

// Thread-safe. May be destroyed while operations are running or queued: they
// still run.
class SerialQueue {
 private:
  struct State;

 public:
  // The right to run. Its destruction starts the next operation.
  class Turn {
   public:
    Turn();
    Turn(Turn&& o) noexcept;
    Turn& operator=(Turn&& o) noexcept;
    ~Turn();
    void End();

   private:
    friend class SerialQueue;
    explicit Turn(Ref<State> state);
    Ref<State> state_;
  };
  using Operation = absl::AnyInvocable<void(Turn) &&>;

  // `queue` must outlive all operations.
  explicit SerialQueue(TaskQueue* queue);
  ~SerialQueue();
  SerialQueue(const SerialQueue&) = delete;
  SerialQueue& operator=(const SerialQueue&) = delete;

  // Calls `operation` at once if none is running, otherwise later on `queue`,
  // in the order of the calls.
  void Run(Operation operation);

 private:
  Ref<State> state_;
};

}  // namespace millrace
