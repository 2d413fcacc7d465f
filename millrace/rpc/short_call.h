// Decides which calls a transport handles on its own threads.
#pragma once

#include <cstddef>

#include "millrace/protocol/method.h"

namespace millrace {

// Returns whether a call is short. A hop to the control lane costs a call two
// wake-ups, about as much as all of a small RecvTensor. Steps and their tensors
// therefore stay on the thread on which they arrive, as long as decoding them
// takes microseconds: handlers of these methods start no expensive kernel and
// compile no graph on their caller's thread, unless it has handed over its
// events to another one (base/threads/event_threads.h). All other calls, and
// large messages, go to the control lane, so that no short call waits for them.
inline bool IsShortCall(const Method& method, size_t message_bytes) {
  constexpr size_t kMaxShortBytes = 256 << 10;
  if (message_bytes > kMaxShortBytes) return false;
  switch (method.id) {
    case MethodId::kRunStep:
    case MethodId::kRunCallable:
    case MethodId::kRunGraph:
    case MethodId::kRecvTensor:
    case MethodId::kCleanupGraph:
      return true;
    default:
      return false;
  }
}

// Returns whether kernels run soon after calls of `method`.
inline bool StartsSteps(const Method& method) {
  return method.id == MethodId::kRunStep ||
         method.id == MethodId::kRunCallable ||
         method.id == MethodId::kRunGraph;
}

}  // namespace millrace
