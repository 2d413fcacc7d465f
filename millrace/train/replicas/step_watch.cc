#include "millrace/train/replicas/step_watch.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/str_cat.h"

namespace millrace::train {
namespace {

constexpr int64_t kNanosPerSecond = 1'000'000'000;
constexpr size_t kShownVariables = 3;

}  // namespace

void StepWatch::Progress(int64_t now) {
  if (begun_ >= 0 && !has_helped_) longest_ = std::max(longest_, now - begun_);
  has_helped_ = false;
  begun_ = changed_ = now;
  reported_ = false;
}

bool StepWatch::ShouldLook(int64_t now) const {
  // Twice within a limit, so that a change in between is seen.
  return now - begun_ >=
         std::min(limits_.report_nanos, limits_.too_few_nanos) / 2;
}

StepWatch::Verdict StepWatch::Look(const SyncStepState& state, int64_t now) {
  if (!(state == last_)) {
    if (state.global_step != last_.global_step) Progress(now);
    last_ = state;
    changed_ = now;
  }
  Verdict verdict;
  if (!reported_ && now - begun_ >= limits_.report_nanos) {
    verdict.report = reported_ = true;
  }
  // While all compute, nothing comes either.
  const int64_t limit = std::max(limits_.too_few_nanos, 3 * longest_);
  if (now - changed_ < limit || state.waiting_tokens > 0 ||
      state.gradients.empty()) {
    return verdict;
  }
  const int64_t fewest =
      *std::min_element(state.gradients.begin(), state.gradients.end());
  verdict.missing = std::max<int64_t>(limits_.gradients_per_step - fewest, 0);
  has_helped_ = verdict.missing > 0;
  changed_ = now;
  return verdict;
}

std::string StepWatch::Describe(const SyncStepState& state,
                                absl::Span<const std::string> variables,
                                int64_t now) const {
  std::vector<size_t> order(state.gradients.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return state.gradients[a] < state.gradients[b];
  });
  std::string text =
      absl::StrCat("step ", state.global_step, " has waited for ",
                   (now - begun_) / kNanosPerSecond, " s: ");
  for (size_t i = 0; i < std::min(order.size(), kShownVariables); ++i) {
    absl::StrAppend(&text, i > 0 ? ", " : "", state.gradients[order[i]], " of ",
                    limits_.gradients_per_step,
                    i > 0 ? " of " : " gradients of ", variables[order[i]]);
  }
  return absl::StrCat(text, "; ", state.waiting_tokens, " tokens are left");
}

}  // namespace millrace::train
