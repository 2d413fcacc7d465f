// Fiber: a stack of its own, on which a function runs until it hands over to
// another one. Known to the sanitizers.
#pragma once

#include <cstddef>

namespace millrace::cuda::standin {

class Fiber {
 public:
  // Stands for the thread that runs now, on the stack that it has.
  Fiber();
  // Will run `main(argument)` when it is first handed over to; `main` never
  // returns.
  Fiber(void (*main)(void*), void* argument);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Goes on with `to` on this thread of the machine; returns when somebody
  // hands over to this one again. Requires: this is the fiber that runs.
  void HandOver(Fiber& to);

 private:
  friend void BeginFiber(Fiber* fiber);

  void* stack_pointer_ = nullptr;  // while it does not run
  char* mapping_ = nullptr;        // a guard page and the stack; null: not ours
  void* bottom_ = nullptr;
  size_t bytes_ = 0;
  void* fake_stack_ = nullptr;    // of the address sanitizer
  void* thread_state_ = nullptr;  // of the thread sanitizer
  void (*main_)(void*) = nullptr;
  void* argument_ = nullptr;
};

}  // namespace millrace::cuda::standin
