#include "millrace/cluster/master/run/step_limit.h"

#include <algorithm>
#include <limits>

namespace millrace {
namespace {

// For the cancellation of the calls to arrive first.
constexpr int64_t kCallsLongerNanos = 1'000'000'000;
constexpr int64_t kNanosPerMilli = 1'000'000;

// What a request may take to arrive.
constexpr int64_t kOnTheWayNanos = 20 * kNanosPerMilli;

// How much earlier than the client's call the step ends.
int64_t EarlierNanos(int64_t timeout_ms) {
  return std::clamp<int64_t>(timeout_ms, 20, 400) * kNanosPerMilli / 20;
}

// Requires: nanos >= 0.
Deadline Later(Deadline deadline, int64_t nanos) {
  const int64_t most = std::numeric_limits<int64_t>::max() - nanos;
  return Deadline::At(std::min(deadline.nanos(), most) + nanos);
}

Deadline Earlier(Deadline deadline, int64_t nanos) {
  return deadline.infinite() ? deadline
                             : Deadline::At(deadline.nanos() - nanos);
}

}  // namespace

StepLimit LimitOf(const RunOptions& options, const ConfigOptions& session,
                  Deadline client) {
  StepLimit limit;
  limit.timeout_ms = options.timeout_ms > 0 ? options.timeout_ms
                                            : session.operation_timeout_ms;
  if (limit.timeout_ms <= 0) {
    limit.timeout_ms = 0;
    limit.calls = client;
    return limit;
  }
  limit.step = Deadline::AfterMillis(limit.timeout_ms);
  const int64_t earlier = EarlierNanos(limit.timeout_ms);
  if (client < Earlier(limit.step, earlier + kOnTheWayNanos)) {
    limit.calls = client;
    return limit;
  }
  limit.step = Deadline::Min(limit.step, Earlier(client, earlier));
  limit.calls = Later(limit.step, kCallsLongerNanos);
  return limit;
}

void CancelAtLimit(const StepLimit& limit, CancelScope& scope, Timer& timer) {
  if (limit.timeout_ms == 0) return;
  scope.CancelAt(limit.step, timer,
                 DeadlineExceeded("The step took longer than its timeout of ",
                                  limit.timeout_ms, " ms"));
}

}  // namespace millrace
