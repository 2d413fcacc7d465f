// Lanes: the thread pools of a process, one for each purpose, so that an
// endless loop or a large matmul never delays health checks, cancellation or
// failure detection. See also thread_pool.h, intra_op.h and timer.h.
#pragma once

#include <memory>

#include "millrace/base/machine.h"
#include "millrace/base/threads/intra_op.h"
#include "millrace/base/threads/thread_pool.h"
#include "millrace/base/threads/timer.h"

namespace millrace {

struct LanesOptions {
  int inter_op_threads = 0;  // 0: UsableCores()
  int intra_op_threads = 0;  // 0: UsableCores(); counts the calling thread
  int blocking_threads = 4;
  int blocking_queue = 4096;  // tasks that may wait for a blocking thread
};

// The thread pools of a process. Threads start when they are first needed.
struct Lanes {
  explicit Lanes(const LanesOptions& options);
  // Stops the timer, then runs the queued tasks; late tasks may still use it.
  ~Lanes();

  Timer timer;
  // The control pool, of two threads: handlers of calls that do not run where
  // they arrive (rpc/short_call.h), state machines, and work that callbacks of
  // the timer and of cancellations post. Its tasks never run expensive kernels
  // and never block.
  ThreadPool control;
  // Two threads that decode large messages, which takes seconds: on the control
  // pool nobody would hear meanwhile that this process lives.
  ThreadPool messages;
  // The inter-op pool: nodes of graphs, and compiling graphs. Its tasks do not
  // block.
  ThreadPool inter_op;
  // The intra-op pool: shards of one kernel, and the teams of oneDNN.
  IntraOpPool intra_op;
  // The blocking pool: files and other blocking system calls. Its queue is
  // bounded.
  ThreadPool blocking;

  // Returns the pools of this process, made at first use and never destroyed.
  // In a simulation they belong to the calling thread's simulated process.
  static Lanes& Process();
  // Must be called before the first Process().
  static void SetProcessOptions(const LanesOptions& options);
};

}  // namespace millrace
