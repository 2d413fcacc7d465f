#include "millrace/base/clock.h"

#include <cerrno>
#include <ctime>

#include "millrace/base/sim/sim_hooks.h"

namespace millrace {
namespace {

// Virtual wall time starts in November 2020.
constexpr int64_t kSimEpochMicros = 1'606'000'000'000'000;

}  // namespace

int64_t NowNanos() {
  if (internal::InSim()) [[unlikely]]
    return internal::SimNow();
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

int64_t WallMicros() {
  if (internal::InSim()) [[unlikely]] {
    return kSimEpochMicros + internal::SimNow() / 1000;
  }
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * 1'000'000 + now.tv_nsec / 1000;
}

void SleepUntil(Deadline deadline) {
  if (internal::InSim()) {
    internal::SimBlock(nullptr, "Sleep", deadline);
    return;
  }
  timespec until{static_cast<time_t>(deadline.nanos() / 1'000'000'000),
                 static_cast<long>(deadline.nanos() % 1'000'000'000)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) ==
         EINTR) {
  }
}

}  // namespace millrace
