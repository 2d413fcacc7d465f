// Lanes: the threads of a process, each group with its purpose, so that an
// endless loop or a big matmul never delays health, cancel or failure
// detection. See also thread_pool.h, intra_op.h and timer.h.
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

// Threads start when they are first needed.
struct Lanes {
  explicit Lanes(const LanesOptions& options);
  // Stops the timer, then runs what is queued; late tasks may still use it.
  ~Lanes();

  Timer timer;
  // Handlers of calls that do not run where they arrive (rpc/short_call.h),
  // state machines, and what callbacks of the timer and of cancels post; two
  // threads. Never an expensive kernel, never a wait.
  ThreadPool control;
  // Nodes of graphs, and compiling graphs. No waits.
  ThreadPool inter_op;
  // Shards of one kernel; also the teams of oneDNN.
  IntraOpPool intra_op;
  // Files and other calls of the operating system that block. Bounded.
  ThreadPool blocking;

  // The set of this process, made at first use and never destroyed. In a
  // simulation: of the calling thread's simulated process.
  static Lanes& Process();
  // Must be called before the first Process().
  static void SetProcessOptions(const LanesOptions& options);
};

}  // namespace millrace
