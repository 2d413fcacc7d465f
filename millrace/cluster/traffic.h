// Traffic: the bytes of tensors that a server exchanges with other tasks.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>

#include "millrace/protocol/worker.h"

namespace millrace {

// Returns the bytes of the elements that a message carries, without the message
// around them; 0 for all other messages.
int64_t TensorBytes(const RunGraphRequest& request);
int64_t TensorBytes(const RunGraphReply& reply);
int64_t TensorBytes(const RecvTensorReply& reply);
int64_t TensorBytes(const RecvBufReply& reply);
template <class Message>
int64_t TensorBytes(const Message&) {
  return 0;
}
template <class Reply>
inline constexpr bool kCarriesTensors =
    std::is_same_v<Reply, RunGraphReply> ||
    std::is_same_v<Reply, RecvTensorReply> ||
    std::is_same_v<Reply, RecvBufReply>;

// Counts tensors that cross the network: those of calls to peers where they
// leave (peer_link.h), those of calls from peers where they arrive
// (service_gate.h). Calls within the server pass neither. Thread-safe.
class Traffic {
 public:
  template <class Message>
  void Sent(const Message& m) {
    Add(sent_, TensorBytes(m));
  }
  template <class Message>
  void Received(const Message& m) {
    Add(received_, TensorBytes(m));
  }
  int64_t sent() const { return sent_.load(std::memory_order_relaxed); }
  int64_t received() const { return received_.load(std::memory_order_relaxed); }

 private:
  static void Add(std::atomic<int64_t>& counter, int64_t bytes) {
    if (bytes > 0) counter.fetch_add(bytes, std::memory_order_relaxed);
  }

  std::atomic<int64_t> sent_{0};
  std::atomic<int64_t> received_{0};
};

}  // namespace millrace
