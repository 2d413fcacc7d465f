#include "tools/millrace/stop_command.h"

#include <cstdio>

#include "millrace/base/clock.h"
#include "tools/millrace/admin_client.h"

namespace millrace {
namespace {

constexpr int64_t kMostWaitMs = 4'000;

int Fail(const Status& status) {
  std::fprintf(stderr, "millrace stop: %s\n",
               std::string(status.message()).c_str());
  return 1;
}

}  // namespace

int RunStop(const StopFlags& flags) {
  if (!(flags.grace >= 0 && flags.grace < 1e9)) {
    return Fail(
        InvalidArgument("--grace: expected seconds from 0 on, such as 1.5"));
  }
  StatusOr<std::unique_ptr<AdminClient>> client =
      AdminClient::Connect(flags.address);
  if (!client.ok()) return Fail(client.status());
  const Status asked =
      (*client)->Stop({.grace_ms = static_cast<int64_t>(flags.grace * 1000),
                       .reason = flags.reason});
  if (!asked.ok()) return Fail(asked);
  const Deadline deadline = Deadline::AfterMillis(kMostWaitMs);
  while ((*client)->GetStatus({.max_waits = 1}).ok()) {
    if (deadline.expired()) {
      return Fail(DeadlineExceeded((*client)->address(), " still answers ",
                                   kMostWaitMs / 1000,
                                   " s after it was asked to stop"));
    }
    SleepUntil(Deadline::AfterMillis(10));
  }
  return 0;
}

}  // namespace millrace
