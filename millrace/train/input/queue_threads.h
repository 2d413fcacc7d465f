// Threads that run the queue runners of a graph for one session.
//
//   Coordinator coordinator;
//   auto threads = StartQueueRunners(session, coordinator);
//   while (!coordinator.ShouldStop()) { ... session.Run({batch}) ... }
//   threads.Stop();
//   MR_RETURN_IF_ERROR(coordinator.status());
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "millrace/client/session.h"
#include "millrace/train/coordinator.h"
#include "millrace/train/input/queue_runner.h"

namespace millrace::train {

struct StartQueueRunnersOptions {
  std::string collection = graph_keys::kQueueRunners;
  // A listener for errors that would cause a stop, called on the thread that
  // found the error; it must not wait for the threads. Returns true if the
  // error is handled: only that thread ends.
  std::function<bool(const Status&)> on_error;
};

// Ends its threads when it is destroyed (Stop). Thread-safe except for moves.
//
// An enqueue that fails with one of its runner's closed codes ends its thread,
// and the last of a runner's threads to end in this way runs the close op. Any
// other error causes a stop. When the coordinator stops, for whatever reason,
// each runner's cancel op runs, so that ops that wait for its queue end.
class QueueThreads {
 public:
  QueueThreads();
  QueueThreads(QueueThreads&&) noexcept;
  QueueThreads& operator=(QueueThreads&&) noexcept;
  ~QueueThreads();

  // Returns the number of threads, including ended ones.
  size_t size() const;
  // Asks the coordinator for a stop and blocks until all threads have ended.
  // Runs that still wait after the cancel ops are cancelled. Idempotent. Does
  // nothing without threads.
  void Stop();
  // Ends the threads and leaves queues and coordinator alone: for a session
  // that is created again. Cancels the threads' runs.
  void Abandon();

 private:
  friend QueueThreads StartQueueRunners(Session&, Coordinator&,
                                        const std::vector<QueueRunner>&,
                                        const StartQueueRunnersOptions&);
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// Starts a thread for each enqueue op of the collection's runners, registered
// with the coordinator, and one per runner for its cancel op. Runners that
// still run for this session are left out. Session and coordinator must outlive
// the threads. If a stop was requested already, the threads end at once.
QueueThreads StartQueueRunners(Session& session, Coordinator& coordinator,
                               const StartQueueRunnersOptions& options = {});
// The same for runners that are in no collection.
QueueThreads StartQueueRunners(Session& session, Coordinator& coordinator,
                               const std::vector<QueueRunner>& runners,
                               const StartQueueRunnersOptions& options = {});

}  // namespace millrace::train
