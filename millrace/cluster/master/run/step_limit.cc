#include "millrace/cluster/master/run/step_limit.h"

#include <algorithm>

namespace millrace {
namespace {

// For the cancellation of the calls to arrive first.
constexpr int64_t kCallsLongerNanos = 1'000'000'000;
constexpr int64_t kNanosPerMilli = 1'000'000;

// How much earlier than the client's call the step ends.
int64_t EarlierNanos(int64_t timeout_ms) {
  return std::clamp(timeout_ms * kNanosPerMilli / 20, kNanosPerMilli,
                    20 * kNanosPerMilli);
}

Deadline Later(Deadline deadline, int64_t nanos) {
  return deadline.infinite() ? deadline
                             : Deadline::At(deadline.nanos() + nanos);
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
  limit.step = Deadline::Min(Deadline::AfterMillis(limit.timeout_ms),
                             Later(client, -EarlierNanos(limit.timeout_ms)));
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
