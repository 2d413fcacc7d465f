// Ctrl-C while a step runs: it cancels the steps that the main thread waits
// for, whose calls then raise KeyboardInterrupt.
#pragma once

#include "millrace/base/threads/cancel.h"

namespace millrace::python {

// Registers a scope for the time of a call without the GIL. Does nothing
// outside of the main thread, to which signals go. Requires the GIL at the
// beginning and at the end. A signal cancels the calls that it finds, and none
// that begins later; one that has come before is raised by the constructor.
class Interruptible {
 public:
  explicit Interruptible(CancelScope* scope);
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

  // Raises what Python's handlers of signals raise, such as KeyboardInterrupt.
  static void RaisePending();

 private:
  void Remove();

  CancelScope* scope_;
};

// Whether the calling thread is Python's main thread. Requires the GIL.
bool IsMainThread();

// Whether this process was forked after threads were started, which it lost.
bool IsForked();
// Raises RuntimeError in a child that was forked after threads were started,
// which lost them.
void CheckFork();
// Notes that this process has threads from now on.
void ThreadsStarted();

}  // namespace millrace::python
