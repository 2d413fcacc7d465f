// The threads that wait for gRPC's events.
#pragma once

#include <grpcpp/completion_queue.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "absl/strings/string_view.h"
#include "millrace/base/threads/event_threads.h"

namespace millrace {

// What stands behind a tag of a completion queue.
class CompletionEvent {
 public:
  // For an operation that is about to start: the thread of its event sees what
  // this one has written. (gRPC gives as much, but race detectors do not see
  // into it.)
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
  // `ok` as gRPC means it. Must not block, nor take long without a HandOver
  // (base/threads/event_threads.h); may delete this.
  virtual void OnEvent(bool ok) = 0;

 private:
  std::atomic<uint32_t> started_{0};
};

// Owns a queue and the threads that take events out of it: one at a time,
// since gRPC wakes a thread for each event where several wait.
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
  bool Serve();

  const std::unique_ptr<grpc::CompletionQueue> queue_;
  std::optional<EventThreads> threads_;
};

}  // namespace millrace
