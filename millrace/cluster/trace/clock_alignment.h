// ClockAlignment: converts times of one task's clock to another's, from round
// trips between them.
#pragma once

#include <cstdint>
#include <vector>

namespace millrace {

// A round trip: sent and received by our clock, answered (`there`) by the other
// one. Nanoseconds.
struct ClockProbe {
  int64_t sent = 0;
  int64_t there = 0;
  int64_t received = 0;
};

// A round trip determines the difference of the clocks up to half its length,
// so the shortest probe of each second is used (as in NTP, RFC 5905 section
// 10); between seconds the difference changes linearly, as clocks drift apart.
// Not thread-safe.
class ClockAlignment {
 public:
  // States that both are processes of one machine, which have one clock: the
  // difference is zero as long as no probe shows otherwise.
  void SetSameMachine() { same_machine_ = true; }
  void Add(const ClockProbe& probe);

  bool empty() const { return best_.empty(); }
  // Returns our time when the other clock shows `there`; unchanged without
  // probes. Always within +-kMaxNanos, so that times can be subtracted: other
  // servers may send any number.
  int64_t ToLocalNanos(int64_t there) const;
  static constexpr int64_t kMaxNanos = 2'000'000'000'000'000'000;  // 63 years
  // Returns the largest possible error of ToLocalNanos, between the first probe
  // and the last.
  int64_t error_nanos() const;
  // Returns there minus here, at the first probe.
  int64_t offset_nanos() const;

 private:
  struct Point {
    ClockProbe probe;
    int64_t length() const { return probe.received - probe.sent; }
    int64_t offset() const { return probe.there - (probe.sent + length() / 2); }
  };
  bool IsOneClock() const { return same_machine_ && !differs_; }

  std::vector<Point> best_;  // of each second with probes, in order
  bool same_machine_ = false;
  bool differs_ = false;  // some probe contradicts a difference of zero
};

}  // namespace millrace
