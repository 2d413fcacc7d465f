// ClockAlignment: what one task's clock shows when that of another shows
// something, from round trips between them.
#pragma once

#include <cstdint>
#include <vector>

namespace millrace {

// A call from here to there and back. Nanoseconds, `there` of its own clock.
struct ClockProbe {
  int64_t sent = 0;
  int64_t there = 0;
  int64_t received = 0;
};

// A round trip tells the difference of the clocks to half its length, so of the
// probes of each second the shortest counts (as in NTP, RFC 5905 section 10);
// between seconds the difference changes evenly, as clocks drift apart. One
// thread.
class ClockAlignment {
 public:
  // Both are processes of one machine, whose clock is one: the difference is
  // zero as long as no probe shows otherwise.
  void SameMachine() { same_machine_ = true; }
  void Add(const ClockProbe& probe);

  bool empty() const { return best_.empty(); }
  // The time here at `there` of the other clock; unchanged without probes.
  // Always within +-kMostNanos, so that times can be subtracted: other servers
  // may say anything.
  int64_t ToHere(int64_t there) const;
  static constexpr int64_t kMostNanos = 2'000'000'000'000'000'000;  // 63 years
  // How far off that may be at most, between the first probe and the last.
  int64_t error_nanos() const;
  // There minus here, at the first probe.
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
  bool differs_ = false;  // a probe that began after `there`, or the like
};

}  // namespace millrace
