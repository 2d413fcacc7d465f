// Decides which calls a transport handles on its own threads.
#pragma once

#include <cstddef>

#include "millrace/base/threads/lanes.h"
#include "millrace/protocol/method.h"

namespace millrace {

// Returns whether a call is short. A hop to the control lane costs a call two
// wake-ups, about as much as all of a small RecvTensor. Steps and their tensors
// therefore stay on the thread on which they arrive, as long as decoding them
// takes microseconds: handlers of these methods start no expensive kernel and
// compile no graph on their caller's thread, unless it has handed over its
// events to another one (base/threads/event_threads.h). So do questions whether
// the server lives, whatever keeps the control lane busy. All other calls, and
// larger messages, go to that lane or the one for large messages, so that no
// short call waits for them.
inline bool IsShortCall(const Method& method, size_t message_bytes) {
  constexpr size_t kMaxShortBytes = 256 << 10;
  if (message_bytes > kMaxShortBytes) return false;
  switch (method.id) {
    case MethodId::kRunStep:
    case MethodId::kRunCallable:
    case MethodId::kRunGraph:
    case MethodId::kRecvTensor:
    case MethodId::kCleanupGraph:
    case MethodId::kGetStatus:
      return true;
    default:
      return false;
  }
}

// Returns the pool that decodes a message of this size, and runs what handles
// it, unless the call is short.
inline ThreadPool& LaneOf(Lanes& lanes, size_t message_bytes) {
  constexpr size_t kLargeBytes = 4 << 20;
  return message_bytes > kLargeBytes ? lanes.messages : lanes.control;
}

// Returns whether kernels run soon after calls of `method`.
inline bool StartsSteps(const Method& method) {
  return method.id == MethodId::kRunStep ||
         method.id == MethodId::kRunCallable ||
         method.id == MethodId::kRunGraph;
}

}  // namespace millrace
