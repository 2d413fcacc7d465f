#include "millrace/ops/dataset_experimental/stats_aggregator.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "millrace/ops/summary/summary_message.h"

namespace millrace::ops {
namespace {

constexpr int64_t kBytesPerHistogram = 16 << 10;

}  // namespace

std::string StatsAggregator::DebugString() const {
  MutexLock lock(mu_);
  return absl::StrCat("stats aggregator of ", histograms_.size(),
                      " histograms");
}

void StatsAggregator::AddToHistogram(const std::string& name, double value,
                                     int64_t step) {
  MutexLock lock(mu_);
  auto found = histograms_.find(name);
  if (found == histograms_.end()) {
    const auto count = static_cast<int64_t>(histograms_.size()) + 1;
    if (!charge_.Set(count * kBytesPerHistogram, "figures of iterations")
             .ok()) {
      return;
    }
    found = histograms_.try_emplace(name).first;
  }
  found->second.Add(value);
  if (!writer_) return;
  std::string summary;
  AppendHistogram(name, found->second.Encode(), &summary);
  // Under the lock, so that events are in the order of the figures.
  writer_
      ->Use([&](SummarySink& sink) { return sink.AddSummary(step, summary); })
      .IgnoreError();
}

void StatsAggregator::SetWriter(Ref<SummaryWriterResource> writer) {
  if (target_ != StatsTarget::kWriter) return;
  Ref<SummaryWriterResource> before;  // freed after the lock is released
  MutexLock lock(mu_);
  before = std::exchange(writer_, std::move(writer));
}

std::string StatsAggregator::Summary() const {
  if (target_ == StatsTarget::kWriter) return "";
  MutexLock lock(mu_);
  std::string summary;
  for (const auto& [name, histogram] : histograms_) {
    AppendHistogram(name, histogram.Encode(), &summary);
  }
  return summary;
}

}  // namespace millrace::ops
