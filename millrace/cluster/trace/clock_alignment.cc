#include "millrace/cluster/trace/clock_alignment.h"

#include <algorithm>

namespace millrace {
namespace {

constexpr int64_t kWindowNanos = 1'000'000'000;

int64_t Bounded(int64_t nanos) {
  return std::clamp(nanos, -ClockAlignment::kMaxNanos,
                    ClockAlignment::kMaxNanos);
}

}  // namespace

void ClockAlignment::Add(const ClockProbe& said) {
  const ClockProbe probe{Bounded(said.sent), Bounded(said.there),
                         Bounded(said.received)};
  if (probe.received < probe.sent) return;
  differs_ |= probe.there < probe.sent || probe.there > probe.received;
  const Point point{probe};
  if (best_.empty() ||
      probe.sent / kWindowNanos != best_.back().probe.sent / kWindowNanos) {
    best_.push_back(point);
  } else if (point.length() < best_.back().length()) {
    best_.back() = point;
  }
}

int64_t ClockAlignment::ToLocalNanos(int64_t there) const {
  there = Bounded(there);
  if (best_.empty() || IsOneClock()) return there;
  const auto after =
      std::find_if(best_.begin(), best_.end(),
                   [&](const Point& p) { return p.probe.there > there; });
  if (after == best_.begin()) return Bounded(there - best_.front().offset());
  if (after == best_.end()) return Bounded(there - best_.back().offset());
  const Point& a = *(after - 1);
  const Point& b = *after;
  const double part = static_cast<double>(there - a.probe.there) /
                      static_cast<double>(b.probe.there - a.probe.there);
  const double drift = static_cast<double>(b.offset() - a.offset());
  return Bounded(there - a.offset() - static_cast<int64_t>(part * drift));
}

int64_t ClockAlignment::error_nanos() const {
  if (IsOneClock()) return 0;
  int64_t longest = 0;
  for (const Point& p : best_) longest = std::max(longest, p.length());
  return (longest + 1) / 2;
}

int64_t ClockAlignment::offset_nanos() const {
  return best_.empty() || IsOneClock() ? 0 : best_.front().offset();
}

}  // namespace millrace
