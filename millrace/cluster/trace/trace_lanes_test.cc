#include "millrace/cluster/trace/trace_lanes.h"

#include <gtest/gtest.h>

#include <vector>

#include "millrace/base/random.h"

namespace millrace {
namespace {

using Spans = std::vector<TimeSpan>;

TEST(TraceLanes, OneAfterTheOtherShareATrack) {
  EXPECT_EQ(AssignLanes(Spans{{0, 10}, {10, 20}, {25, 30}}, false),
            (std::vector<size_t>{0, 0, 0}));
  EXPECT_EQ(AssignLanes(Spans{}, true), std::vector<size_t>());
}

TEST(TraceLanes, OneWithinTheOtherShareATrackIfTheyMay) {
  const Spans spans = {{0, 10}, {2, 5}, {5, 10}, {6, 7}};
  EXPECT_EQ(AssignLanes(spans, true), (std::vector<size_t>{0, 0, 0, 0}));
  EXPECT_EQ(AssignLanes(spans, false), (std::vector<size_t>{0, 1, 1, 2}));
}

TEST(TraceLanes, OverlapsGoElsewhere) {
  EXPECT_EQ(AssignLanes(Spans{{5, 12}, {0, 10}, {11, 13}}, true),
            (std::vector<size_t>{1, 0, 0}));
}

TEST(TraceLanes, WhateverTheSpansNoTrackHasAnOverlap) {
  Rng random(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<TimeSpan> spans;
    for (int i = 0; i < 60; ++i) {
      const auto start = static_cast<int64_t>(random.Uniform(100));
      spans.push_back(
          {start, start + static_cast<int64_t>(random.Uniform(20))});
    }
    for (const bool may_nest : {false, true}) {
      const std::vector<size_t> lanes = AssignLanes(spans, may_nest);
      for (size_t i = 0; i < spans.size(); ++i) {
        for (size_t j = 0; j < spans.size(); ++j) {
          const TimeSpan &a = spans[i], &b = spans[j];
          if (i == j || lanes[i] != lanes[j]) continue;
          const bool apart = a.end <= b.start || b.end <= a.start;
          const bool within = (a.start >= b.start && a.end <= b.end) ||
                              (b.start >= a.start && b.end <= a.end);
          EXPECT_TRUE(apart || (may_nest && within));
        }
      }
    }
  }
}

}  // namespace
}  // namespace millrace
