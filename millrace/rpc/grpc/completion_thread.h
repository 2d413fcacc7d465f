// CompletionThreads: the threads that wait for gRPC's events.
#pragma once

#include <grpcpp/completion_queue.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "absl/strings/string_view.h"
#include "millrace/base/threads/event_threads.h"

namespace millrace {

// The object behind a tag of a completion queue.
class CompletionEvent {
 public:
  // Returns the tag for an operation that is about to start. Writes of this
  // thread happen before the event. (gRPC guarantees as much, but race
  // detectors do not see into it.)
  void* Tag() {
    started_.fetch_add(1, std::memory_order_release);
    return this;
  }
  void Receive(bool ok) {
    static_cast<void>(started_.load(std::memory_order_acquire));
    OnEvent(ok);
  }

 protected:
  ~CompletionEvent() = default;
  // Handles the event; `ok` is gRPC's. Must not block, nor take long without a
  // HandOver (base/threads/event_threads.h); may delete this.
  virtual void OnEvent(bool ok) = 0;

 private:
  std::atomic<uint32_t> started_{0};
};

// Owns a completion queue and the threads that take events out of it: one
// thread at a time, since gRPC wakes a thread for each event if several wait.
class CompletionThreads {
 public:
  CompletionThreads(absl::string_view name, int threads,
                    std::unique_ptr<grpc::CompletionQueue> queue);
  // Blocks until all events are handled. Requires: no operation starts
  // meanwhile.
  ~CompletionThreads();

  grpc::CompletionQueue* queue() { return queue_.get(); }

  // Returns the thread of all outgoing calls of this process; never destroyed.
  static CompletionThreads& OfClients();

 private:
  bool Serve();

  const std::unique_ptr<grpc::CompletionQueue> queue_;
  std::optional<EventThreads> threads_;
};

}  // namespace millrace
