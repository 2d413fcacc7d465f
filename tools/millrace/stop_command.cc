#include "tools/millrace/stop_command.h"

#include <cstdio>

#include "millrace/base/clock.h"
#include "tools/millrace/admin_client.h"
#include "tools/millrace/exit_codes.h"

namespace millrace {
namespace {

constexpr int64_t kMaxWaitMs = 4'000;

}  // namespace

int RunStop(const StopFlags& flags) {
  const auto fail = [](const Status& status) {
    return Fail("stop", status, kStartError);
  };
  if (!(flags.grace >= 0 && flags.grace < 1e9)) {
    return fail(
        InvalidArgument("--grace: expected seconds from 0 on, such as 1.5"));
  }
  StatusOr<std::unique_ptr<AdminClient>> client =
      AdminClient::Connect(flags.address);
  if (!client.ok()) return fail(client.status());
  const Status asked =
      (*client)->Stop({.grace_ms = static_cast<int64_t>(flags.grace * 1000),
                       .reason = flags.reason});
  if (!asked.ok()) return fail(asked);
  const Deadline deadline = Deadline::AfterMillis(kMaxWaitMs);
  while ((*client)->GetStatus({.max_waits = 1}).ok()) {
    if (deadline.expired()) {
      return fail(DeadlineExceeded((*client)->address(), " still answers ",
                                   kMaxWaitMs / 1000,
                                   " s after it was asked to stop"));
    }
    SleepUntil(Deadline::AfterMillis(10));
  }
  return 0;
}

}  // namespace millrace
