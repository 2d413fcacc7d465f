// The monotonic clock, the wall clock, and Deadline, an absolute point in time
// of the monotonic clock. In a simulation all of them are virtual.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace millrace {

// Returns the nanoseconds of a monotonic clock with an arbitrary start; always
// positive.
int64_t NowNanos();
// Returns the microseconds since 1970, for messages, events and files. The
// value may jump.
int64_t WallMicros();

// A point in time by which something must have happened. It is a value that is
// passed from call to call unchanged, so the timeouts of consecutive waits
// never add up.
class Deadline {
 public:
  constexpr Deadline() = default;  // infinite
  static constexpr Deadline Infinite() { return Deadline(); }
  // Returns the deadline `nanos` from now; huge values give an infinite
  // deadline.
  static Deadline After(int64_t nanos) {
    const int64_t now = NowNanos();
    return nanos >= kInfinite - now ? Deadline() : At(now + nanos);
  }
  static Deadline AfterMillis(int64_t millis) {
    return millis >= kInfinite / 1'000'000 ? Deadline()
                                           : After(millis * 1'000'000);
  }
  // Returns the deadline at `nanos` of NowNanos().
  static constexpr Deadline At(int64_t nanos) {
    Deadline d;
    d.nanos_ = nanos;
    return d;
  }
  static constexpr Deadline Min(Deadline a, Deadline b) {
    return At(std::min(a.nanos_, b.nanos_));
  }

  constexpr bool infinite() const { return nanos_ == kInfinite; }
  bool expired() const { return !infinite() && NowNanos() >= nanos_; }
  // Returns the time left, never negative; the largest int64 if infinite.
  int64_t remaining_nanos() const {
    return infinite() ? kInfinite : std::max<int64_t>(0, nanos_ - NowNanos());
  }
  // Returns the same in milliseconds, rounded up.
  int64_t remaining_millis() const {
    if (infinite()) return kInfinite;
    const int64_t left = remaining_nanos();
    return left / 1'000'000 + (left % 1'000'000 != 0);
  }
  constexpr int64_t nanos() const { return nanos_; }

  friend constexpr bool operator==(Deadline a, Deadline b) = default;
  friend constexpr auto operator<=>(Deadline a, Deadline b) = default;

 private:
  static constexpr int64_t kInfinite = std::numeric_limits<int64_t>::max();
  int64_t nanos_ = kInfinite;
};

// Returns milliseconds as nanoseconds; huge values, which mean never, give the
// largest int64.
constexpr int64_t MillisToNanos(int64_t millis) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  return millis >= kMax / 1'000'000 ? kMax : millis * 1'000'000;
}

// Blocks the calling thread. For launchers and simulated workloads only: code
// that depends on an event waits for that event.
void SleepUntil(Deadline deadline);

}  // namespace millrace
