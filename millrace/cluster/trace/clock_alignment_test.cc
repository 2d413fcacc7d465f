#include "millrace/cluster/trace/clock_alignment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <vector>

#include "millrace/base/random.h"

namespace millrace {
namespace {

constexpr int64_t kMicro = 1'000;
constexpr int64_t kMilli = 1'000'000;
constexpr int64_t kSecondNanos = 1'000'000'000;

// Another clock: its offset at time 0, and how much faster it is.
struct OtherClock {
  int64_t ahead = 0;
  double drift = 0;
  int64_t At(int64_t here) const {
    return here + ahead +
           static_cast<int64_t>(drift * static_cast<double>(here));
  }
};

// Makes a probe: the way there takes `go`, the way back `back`.
ClockProbe Probe(const OtherClock& clock, int64_t sent, int64_t go,
                 int64_t back) {
  return {sent, clock.At(sent + go), sent + go + back};
}

TEST(ClockAlignment, AnEvenRoundTripTellsTheDifference) {
  for (const int64_t ahead : {-5 * kSecondNanos, int64_t{0}, 3 * kMilli}) {
    const OtherClock clock{ahead};
    ClockAlignment alignment;
    alignment.Add(Probe(clock, kSecondNanos, 40 * kMicro, 40 * kMicro));
    EXPECT_EQ(alignment.offset_nanos(), ahead);
    EXPECT_EQ(alignment.error_nanos(), 40 * kMicro);
    EXPECT_EQ(alignment.ToLocalNanos(clock.At(2 * kSecondNanos)),
              2 * kSecondNanos);
  }
}

// However asymmetric the two ways are, the error is within the stated bound.
TEST(ClockAlignment, TheErrorIsAtMostHalfTheShortestTrip) {
  Rng random(1);
  for (int round = 0; round < 100; ++round) {
    const OtherClock clock{
        static_cast<int64_t>(random.Uniform(10 * kSecondNanos)) -
        5 * kSecondNanos};
    ClockAlignment alignment;
    int64_t shortest = kSecondNanos;
    for (int i = 0; i < 8; ++i) {
      const auto go = static_cast<int64_t>(random.Uniform(kMilli));
      const auto back = static_cast<int64_t>(random.Uniform(kMilli));
      shortest = std::min(shortest, go + back);
      alignment.Add(Probe(clock, kSecondNanos + i * 2 * kMilli, go, back));
    }
    EXPECT_EQ(alignment.error_nanos(), (shortest + 1) / 2);
    const int64_t here = kSecondNanos + 5 * kMilli;
    EXPECT_LE(std::abs(alignment.ToLocalNanos(clock.At(here)) - here),
              alignment.error_nanos() + 1);
  }
}

// A minute of a clock that is 100 us per second too fast.
TEST(ClockAlignment, FollowsAClockThatDrifts) {
  const OtherClock clock{-7 * kSecondNanos, 1e-4};
  ClockAlignment alignment;
  for (int second = 0; second < 60; ++second) {
    const int64_t now = second * kSecondNanos;
    alignment.Add(Probe(clock, now, 2 * kMilli, 900 * kMicro));
    alignment.Add(Probe(clock, now + 5 * kMilli, 30 * kMicro, 50 * kMicro));
  }
  EXPECT_EQ(alignment.error_nanos(), 40 * kMicro);
  int64_t last = -kSecondNanos;
  for (int64_t here = 10 * kMilli; here < 59 * kSecondNanos;
       here += 77 * kMilli) {
    const int64_t aligned = alignment.ToLocalNanos(clock.At(here));
    EXPECT_LE(std::abs(aligned - here), 41 * kMicro) << here;
    EXPECT_GT(aligned, last);
    last = aligned;
  }
}

TEST(ClockAlignment, OneMachineHasOneClockUntilAProbeShowsOtherwise) {
  const OtherClock same;
  ClockAlignment alignment;
  alignment.SetSameMachine();
  alignment.Add(Probe(same, kSecondNanos, 10 * kMicro, 300 * kMicro));
  EXPECT_EQ(alignment.error_nanos(), 0);
  EXPECT_EQ(alignment.ToLocalNanos(12345), 12345);
  // In a container whose clock was set.
  const OtherClock set{kSecondNanos};
  alignment.Add(Probe(set, 2 * kSecondNanos, 10 * kMicro, 20 * kMicro));
  EXPECT_GT(alignment.error_nanos(), 0);
}

// Other servers may send any times; the differences of the results do not
// overflow.
TEST(ClockAlignment, AnyTimesGiveBoundedOnes) {
  constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();
  constexpr int64_t kHighest = std::numeric_limits<int64_t>::max();
  const std::vector<int64_t> times = {kLowest, -1, 0, 7 * kSecondNanos,
                                      kHighest};
  Rng random(3);
  const auto any = [&] { return times[random.Uniform(times.size())]; };
  for (int round = 0; round < 2'000; ++round) {
    ClockAlignment alignment;
    if (random.Uniform(4) == 0) alignment.SetSameMachine();
    for (uint64_t i = random.Uniform(5); i > 0; --i) {
      alignment.Add({any(), any(), any()});
    }
    for (const int64_t there : times) {
      const int64_t here = alignment.ToLocalNanos(there);
      EXPECT_LE(here, ClockAlignment::kMaxNanos);
      EXPECT_GE(here, -ClockAlignment::kMaxNanos);
    }
    EXPECT_GE(alignment.error_nanos(), 0);
    alignment.offset_nanos();
  }
}

TEST(ClockAlignment, AProbeThatCameBackBeforeItWentDoesNotCount) {
  ClockAlignment alignment;
  alignment.Add({2 * kSecondNanos, 0, kSecondNanos});
  EXPECT_TRUE(alignment.empty());
}

TEST(ClockAlignment, WithoutProbesTimesStay) {
  const ClockAlignment alignment;
  EXPECT_TRUE(alignment.empty());
  EXPECT_EQ(alignment.ToLocalNanos(5), 5);
  EXPECT_EQ(alignment.error_nanos(), 0);
}

}  // namespace
}  // namespace millrace
