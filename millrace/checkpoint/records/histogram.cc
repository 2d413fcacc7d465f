#include "millrace/checkpoint/records/histogram.h"

#include <algorithm>
#include <array>
#include <limits>

#include "proto/event/histogram.pb.h"

namespace millrace {
namespace {

constexpr double kFirst = 1.0e-12;
constexpr double kLast = 1.0e20;
constexpr double kGrowth = 1.1;

constexpr size_t CountPositive() {
  size_t n = 0;
  for (double v = kFirst; v < kLast; v *= kGrowth) ++n;
  return n + 1;  // and the largest double
}

// Computed at compile time, so that no first use has to wait.
constexpr auto kLimits = [] {
  constexpr size_t kPositive = CountPositive();
  std::array<double, 2 * kPositive + 1> limits{};
  double v = kFirst;
  for (size_t i = 0; i < kPositive; ++i, v *= kGrowth) {
    const double limit =
        i + 1 == kPositive ? std::numeric_limits<double>::max() : v;
    limits[kPositive + 1 + i] = limit;
    limits[kPositive - 1 - i] = -limit;
  }
  return limits;
}();

}  // namespace

absl::Span<const double> Histogram::Limits() { return kLimits; }

Histogram::Histogram()
    : min_(std::numeric_limits<double>::max()),
      max_(std::numeric_limits<double>::lowest()),
      buckets_(kLimits.size()) {}

void Histogram::Add(double value, double count) {
  auto it = std::upper_bound(kLimits.begin(), kLimits.end(), value);
  if (it == kLimits.end()) --it;  // the largest double, and infinity
  buckets_[static_cast<size_t>(it - kLimits.begin())] += count;
  min_ = std::min(min_, value);
  max_ = std::max(max_, value);
  count_ += count;
  sum_ += value * count;
  sum_squares_ += value * value * count;
}

void Histogram::Merge(const Histogram& other) {
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
  count_ += other.count_;
  sum_ += other.sum_;
  sum_squares_ += other.sum_squares_;
  for (size_t i = 0; i < buckets_.size(); ++i) buckets_[i] += other.buckets_[i];
}

std::string Histogram::Encode(bool keep_empty) const {
  tensorflow::HistogramProto proto;
  proto.set_min(min_);
  proto.set_max(max_);
  proto.set_num(count_);
  proto.set_sum(sum_);
  proto.set_sum_squares(sum_squares_);
  for (size_t i = 0; i < buckets_.size();) {
    double limit = kLimits[i];
    double count = buckets_[i++];
    while (!keep_empty && count <= 0 && i < buckets_.size() &&
           buckets_[i] <= 0) {
      limit = kLimits[i];
      count = buckets_[i++];
    }
    proto.add_bucket_limit(limit);
    proto.add_bucket(count);
  }
  return proto.SerializeAsString();
}

}  // namespace millrace
