// Pause: waits of an estimator for something that nobody tells. Private to
// estimator/.
#pragma once

#include <cstdint>
#include <limits>

#include "millrace/base/threads/wait.h"
#include "millrace/train/estimator/run_config.h"

namespace millrace::train {

// Returns how many units, of which a second has `units_per_second`, are in
// `seconds`; the largest count for more than fit, which deadlines have for
// never.
inline int64_t CountOf(double seconds, double units_per_second) {
  constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
  const double count = seconds * units_per_second;
  // The count is rounded up to 2^63, which does not fit.
  return count >= static_cast<double>(kNever) ? kNever
                                              : static_cast<int64_t>(count);
}

// Waits for so many seconds, or until a stop is requested; returns whether it
// was. `what` names what is waited for.
inline bool Pause(const RunConfig& config, double seconds,
                  absl::string_view what) {
  constexpr double kNanosEachSecond = 1e9;
  const WaitScope wait(what);
  Coordinator nobody;
  Coordinator& stop = config.stop ? *config.stop : nobody;
  return stop.WaitForStop(Deadline::After(CountOf(seconds, kNanosEachSecond)));
}

}  // namespace millrace::train
