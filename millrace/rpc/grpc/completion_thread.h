// The threads that wait for gRPC's events.
#pragma once

#include <grpcpp/completion_queue.h>

#include <memory>
#include <vector>

#include "absl/strings/string_view.h"
#include "millrace/base/thread.h"

namespace millrace {

// What stands behind a tag of a completion queue.
class CompletionEvent {
 public:
  // `ok` as gRPC means it. Must not block; may delete this.
  virtual void OnEvent(bool ok) = 0;

 protected:
  ~CompletionEvent() = default;
};

// Owns a queue and the threads that take events out of it.
class CompletionThreads {
 public:
  CompletionThreads(absl::string_view name, int threads,
                    std::unique_ptr<grpc::CompletionQueue> queue);
  // Waits until all events are handled; no operation may start meanwhile.
  ~CompletionThreads();

  grpc::CompletionQueue* queue() { return queue_.get(); }

  // The thread of all calls that this process makes; never destroyed.
  static CompletionThreads& OfClients();

 private:
  void Loop();

  const std::unique_ptr<grpc::CompletionQueue> queue_;
  std::vector<Thread> threads_;
};

}  // namespace millrace
