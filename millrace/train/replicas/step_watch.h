// StepWatch: decides when a synchronous step waits in vain.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"

namespace millrace::train {

// The state of a step: which it is, how many tokens nobody has taken, and how
// many gradients the accumulator of each variable has.
struct SyncStepState {
  int64_t global_step = 0;
  int64_t waiting_tokens = 0;
  std::vector<int64_t> gradients;

  friend bool operator==(const SyncStepState&, const SyncStepState&) = default;
};

// Not thread-safe. Times are nanoseconds of NowNanos().
class StepWatch {
 public:
  struct Limits {
    int64_t gradients_per_step = 1;
    int64_t report_nanos = 0;  // without an update until it is reported
    // Without any change until too few have come; three times as long as the
    // longest step if that is more.
    int64_t too_few_nanos = 0;
  };
  explicit StepWatch(const Limits& limits) : limits_(limits) {}

  // Called when an update, or a step of this replica, has ended: all is well.
  void Progress(int64_t now);
  // Returns whether the state is worth reading.
  bool ShouldLook(int64_t now) const;

  struct Verdict {
    bool report = false;  // once for each step
    // How many gradients are missing that nobody computes; 0: none, or there
    // are tokens that nobody has taken, so that more of them would not help.
    int64_t missing = 0;
  };
  Verdict Look(const SyncStepState& state, int64_t now);

  // Returns "step 7 has waited for 12 s: 2 of 3 gradients of w, 1 of 3 of b; 0
  // tokens are left": of the variables with the fewest gradients, at most
  // three.
  std::string Describe(const SyncStepState& state,
                       absl::Span<const std::string> variables,
                       int64_t now) const;

 private:
  const Limits limits_;
  SyncStepState last_;
  int64_t begun_ = -1;   // when the step began; -1: none has
  int64_t changed_ = 0;  // when the state was another for the last time
  int64_t longest_ = 0;  // of the steps that ended without help
  bool has_helped_ = false;
  bool reported_ = false;
};

}  // namespace millrace::train
