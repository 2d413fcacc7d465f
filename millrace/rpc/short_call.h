// Which calls a transport's own threads may handle themselves.
#pragma once

#include <cstddef>

#include "millrace/protocol/method.h"

namespace millrace {

// A hop to the control lane costs a call two wake-ups, about as much as all of
// a small RecvTensor. Steps and their tensors therefore stay where they arrive,
// while decoding them takes microseconds: handlers of these methods start no
// expensive kernel and compile no graph on their caller's thread, unless it has
// handed over its events to another one (base/threads/event_threads.h). All
// others, and big messages, go to the control lane, so that none waits for
// them.
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

// Calls after which kernels run soon.
inline bool StartsSteps(const Method& method) {
  return method.id == MethodId::kRunStep ||
         method.id == MethodId::kRunCallable ||
         method.id == MethodId::kRunGraph;
}

}  // namespace millrace
