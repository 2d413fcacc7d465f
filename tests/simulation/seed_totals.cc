#include "tests/simulation/seed_totals.h"

#include "absl/strings/str_format.h"
#include "millrace/protocol/method.h"

namespace millrace::sim {
namespace {

// Of the seeds, in percent.
constexpr double kLeastShare = 20;
constexpr int64_t kSeedsForShares = 100;

void Lower(std::atomic<int64_t>& least, int64_t value) {
  int64_t now = least.load();
  while (value < now && !least.compare_exchange_weak(now, value)) {
  }
}

}  // namespace

void SeedTotals::Add(const SeedResult& result, bool passed) {
  ++(passed ? passed_ : failed_);
  steps_ += result.steps;
  calls_ += result.calls;
  events_ += static_cast<int64_t>(result.sim.events);
  virtual_seconds_ += result.sim.virtual_nanos / 1'000'000'000;
  acknowledged_ += result.acknowledged;
  lost_state_ += result.lost_state;
  put_ += result.put;
  taken_ += result.taken;
  saved_ += result.saved;
  restored_ += result.restored;
  resets_ += result.resets;
  // A seed that has failed ended early.
  if (!passed) return;
  Lower(least_steps_, result.steps);
  Lower(least_troubles_, result.troubles.sum());
  for (int t = 0; t < kNumTroubles; ++t) {
    if (result.troubles.count(t) > 0) ++seeds_with_[t];
    for (int m = 0; m <= kNumMethods; ++m) {
      counts_[t][m] += result.troubles.count(t, m);
    }
  }
}

std::string SeedTotals::Report() const {
  std::string text = absl::StrFormat(
      "%d steps, at least %d a seed; %d additions acknowledged, %d times a ps "
      "had lost them\n"
      "%d elements put in queues, %d taken out\n"
      "%d checkpoints saved, %d restored, %d containers reset\n"
      "%d calls, %d events, %.1f hours of virtual time\n",
      steps_, passed_ > 0 ? least_steps_.load() : 0, acknowledged_, lost_state_,
      put_, taken_, saved_, restored_, resets_, calls_, events_,
      static_cast<double>(virtual_seconds_) / 3600);
  return absl::StrCat(text, ReportOfFaults());
}

std::string SeedTotals::ReportOfTraining() const {
  return absl::StrCat(
      absl::StrFormat("%d steps of replicas, %d updates\n"
                      "%d calls, %d events, %.1f hours of virtual time\n",
                      steps_, acknowledged_, calls_, events_,
                      static_cast<double>(virtual_seconds_) / 3600),
      ReportOfFaults());
}

std::string SeedTotals::ReportOfFaults() const {
  std::string text;
  absl::StrAppendFormat(&text, "faults, at least %d a seed:\n",
                        passed_ > 0 ? least_troubles_.load() : 0);
  for (int t = 0; t < kNumTroubles; ++t) {
    int64_t sum = 0;
    std::string methods;
    for (int m = 0; m <= kNumMethods; ++m) {
      const int64_t n = counts_[t][m];
      sum += n;
      if (n == 0 || m == kNumMethods) continue;
      absl::StrAppend(&methods, methods.empty() ? "  " : ", ",
                      GetMethod(static_cast<MethodId>(m)).name, " ", n);
    }
    absl::StrAppendFormat(&text, "  %-16s %8d in %5.1f %% of seeds%s\n",
                          TroubleName(static_cast<Trouble>(t)), sum,
                          passed_ > 0 ? 100.0 * seeds_with_[t] / passed_ : 0,
                          methods);
  }
  return text;
}

std::string SeedTotals::Shortfalls() const {
  std::string text;
  if (passed_ == 0) return text;
  if (least_steps_ < kMinSteps) {
    absl::StrAppend(&text, "a seed had only ", least_steps_.load(),
                    " steps, it must be ", kMinSteps, "\n");
  }
  if (least_troubles_ < kMinTroubles) {
    absl::StrAppend(&text, "a seed had only ", least_troubles_.load(),
                    " faults, it must be ", kMinTroubles, "\n");
  }
  if (passed_ < kSeedsForShares) return text;
  for (int t = 0; t < kNumTroubles; ++t) {
    const double share = 100.0 * seeds_with_[t] / passed_;
    if (share < kLeastShare) {
      absl::StrAppend(&text, TroubleName(static_cast<Trouble>(t)),
                      " happened in only ", share,
                      " % of the seeds, it must be ", kLeastShare, " %\n");
    }
  }
  return text;
}

}  // namespace millrace::sim
