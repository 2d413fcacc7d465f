#include "millrace/base/memory/heap_trim.h"

#include <gtest/gtest.h>

namespace millrace {
namespace {

TEST(HeapTrimTest, ServesAllWhoAskAtOnce) {
  Lanes lanes({});
  HeapTrim trim(lanes);
  trim.Soon();
  trim.Soon();
  EXPECT_EQ(lanes.timer.pending(), 1u);
}

TEST(HeapTrimTest, MayGoBeforeItsTimer) {
  Lanes lanes({});
  { HeapTrim(lanes).Soon(); }
  EXPECT_EQ(lanes.timer.pending(), 1u);
}

}  // namespace
}  // namespace millrace
