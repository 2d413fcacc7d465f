// The table of all methods: names, paths, and how calls of each are treated.
#pragma once

#include <cstdint>

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
  // Two calls have the effect of one.
  bool idempotent;
  // Our callers send it again after UNAVAILABLE, within the deadline. All
  // retried methods are idempotent; not all idempotent ones are retried.
  bool retried;
  // Somebody waits for its end, which may be as far away as that of a step, a
  // barrier or a large graph's registration: while it is open, its callers
  // watch whether the other end is alive. What cleans up is not watched: nobody
  // waits for it, and a task that was only frozen shall still get it.
  bool waits;
  // For callers without a deadline of their own; 0: none.
  int64_t default_deadline_ms;
};

const Method& GetMethod(MethodId id);
absl::Span<const Method> AllMethods();
// By path; also "/tensorflow.grpc.MasterService/..." and the worker's alike,
// after the package that the services' own files name. Null if unknown.
const Method* FindMethod(absl::string_view path);

// Delay before attempt `attempt` (1 is the first repetition) of a retried
// method: 20 ms, doubled each time, at most 2 s. The caller adds jitter.
int64_t RetryDelayMillis(int attempt);

// What a client of the master may see as the status of an RPC. UNAVAILABLE
// becomes ABORTED, since the stock client would send the call again ten times;
// where a wait ran out the master itself says DEADLINE_EXCEEDED.
Status StatusForClient(const Status& status);

// Peers cut the message of an RPC status; ours are cut here, at a character.
inline constexpr size_t kMaxRpcMessageBytes = 3072;
Status CutMessage(const Status& status);

}  // namespace millrace
