// The table of all methods: their names, their paths, and how calls of them are
// treated.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "millrace/base/status.h"
#include "millrace/protocol/master.h"
#include "millrace/protocol/peer.h"
#include "millrace/protocol/worker.h"

namespace millrace {

enum class MethodId : uint8_t {
#define MR_METHOD(Name) k##Name,
  MR_MASTER_METHODS(MR_METHOD) MR_WORKER_METHODS(MR_METHOD)
      MR_PEER_METHODS(MR_METHOD) MR_ADMIN_METHODS(MR_METHOD)
#undef MR_METHOD
};
#define MR_METHOD(Name) +1
inline constexpr int kNumMethods =
    MR_MASTER_METHODS(MR_METHOD) MR_WORKER_METHODS(MR_METHOD)
        MR_PEER_METHODS(MR_METHOD) MR_ADMIN_METHODS(MR_METHOD);
#undef MR_METHOD

enum class Service : uint8_t { kMaster, kWorker, kPeer, kAdmin };

struct Method {
  MethodId id;
  Service service;
  absl::string_view name;  // "RunStep"
  absl::string_view path;  // "/tensorflow.MasterService/RunStep"
  // Whether two calls have the same effect as one.
  bool idempotent;
  // Whether our callers retry it after UNAVAILABLE, within the deadline. All
  // retried methods are idempotent; not all idempotent ones are retried.
  bool retried;
  // Whether a caller waits for its end, which may take as long as a step, a
  // barrier or a large graph's registration: while such a call is in flight,
  // its caller monitors whether the peer is alive. Cleanup calls are not
  // monitored: no caller waits for them, and a task that was only frozen must
  // still receive them.
  bool waits;
  // The deadline of callers without one of their own; 0: none.
  int64_t default_deadline_ms;
};

const Method& GetMethod(MethodId id);
absl::Span<const Method> AllMethods();
// Returns the paths by which a method is called: its own, and for one of the
// master or the worker "/tensorflow.grpc.MasterService/..." and its
// counterpart, with the package name of the services' own files.
std::vector<std::string> PathsOf(const Method& method);

// Returns the backoff before attempt `attempt` (1 is the first retry) of a
// retried method: 20 ms, doubled each time, at most 2 s. The caller adds
// jitter.
int64_t RetryDelayMillis(int attempt);

// Returns the RPC status that a client of the master may see. UNAVAILABLE
// becomes ABORTED, since the stock client would retry the call ten times. When
// a wait has timed out, the master itself returns DEADLINE_EXCEEDED.
Status StatusForClient(const Status& status);

// Peers truncate the message of an RPC status; ours are truncated here, at a
// character.
inline constexpr size_t kMaxRpcMessageBytes = 3072;
// In the body of a reply there is more room, but not for all that a caller may
// have put into a name.
inline constexpr size_t kMaxBodyMessageBytes = 64 << 10;
Status CutMessage(const Status& status, size_t max_bytes = kMaxRpcMessageBytes);

}  // namespace millrace
