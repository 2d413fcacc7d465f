// Pause: waits of an estimator for something that nobody tells. Private to
// estimator/.
#pragma once

#include "millrace/base/threads/wait.h"
#include "millrace/train/estimator/run_config.h"

namespace millrace::train {

// Waits for so many seconds, or until a stop is requested; returns whether it
// was. `what` names what is waited for.
inline bool Pause(const RunConfig& config, double seconds,
                  absl::string_view what) {
  constexpr double kNanosEachSecond = 1e9;
  const WaitScope wait(what);
  Coordinator nobody;
  Coordinator& stop = config.stop ? *config.stop : nobody;
  return stop.WaitForStop(
      Deadline::After(static_cast<int64_t>(seconds * kNanosEachSecond)));
}

}  // namespace millrace::train
