#include "millrace/base/memory/heap_trimmer.h"

#include <gtest/gtest.h>

namespace millrace {
namespace {

TEST(HeapTrimmerTest, ServesAllWhoAskAtOnce) {
  Lanes lanes({});
  HeapTrimmer trimmer(lanes);
  trimmer.Schedule();
  trimmer.Schedule();
  EXPECT_EQ(lanes.timer.pending(), 1u);
}

TEST(HeapTrimmerTest, MayGoBeforeItsTimer) {
  Lanes lanes({});
  { HeapTrimmer(lanes).Schedule(); }
  EXPECT_EQ(lanes.timer.pending(), 1u);
}

}  // namespace
}  // namespace millrace
