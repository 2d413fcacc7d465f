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

struct StartOptions {
  std::string collection = graph_keys::kQueueRunners;
  // Told of an error that would be the reason of a stop, on the thread that
  // found it, which must not wait for the threads. True: it is dealt with, only
  // that thread ends.
  std::function<bool(const Status&)> on_error;
};

// Ends its threads when it is destroyed (Stop). Thread-safe but for moves.
//
// An enqueue that fails with one of its runner's closed codes ends its thread,
// and the last of a runner's threads to end so runs the close op. Any other
// error is the reason of a stop. When the coordinator stops, whoever asked,
// each runner's cancel op runs, so that what waits for its queue ends.
class QueueThreads {
 public:
  QueueThreads();
  QueueThreads(QueueThreads&&) noexcept;
  QueueThreads& operator=(QueueThreads&&) noexcept;
  ~QueueThreads();

  // How many threads there are (also ended ones).
  size_t size() const;
  // Asks the coordinator for a stop and waits until all have ended. What still
  // waits after the cancel ops have run is cancelled. Idempotent. Without
  // threads it does nothing.
  void Stop();
  // Ends the threads and leaves queues and coordinator alone: for a session
  // that is made again. What the threads have begun is cancelled.
  void Abandon();

 private:
  friend QueueThreads StartQueueRunners(Session&, Coordinator&,
                                        const std::vector<QueueRunner>&,
                                        const StartOptions&);
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// Starts a thread for each enqueue op of the collection's runners, registered
// with the coordinator, and one a runner for its cancel op. Runners that still
// run for this session are left out. Session and coordinator outlive the
// threads. After a stop was requested the threads end at once.
QueueThreads StartQueueRunners(Session& session, Coordinator& coordinator,
                               const StartOptions& options = {});
// The same for runners of no collection.
QueueThreads StartQueueRunners(Session& session, Coordinator& coordinator,
                               const std::vector<QueueRunner>& runners,
                               const StartOptions& options = {});

}  // namespace millrace::train
