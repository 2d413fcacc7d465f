#include "millrace/ops/pooling/pool_overlap.h"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

namespace millrace::ops {
namespace {

Window WindowOf(int64_t input, int64_t filter, int64_t stride, int64_t output,
                int64_t before) {
  Window w;
  w.input = input;
  w.filter = filter;
  w.stride = stride;
  w.output = output;
  w.before = before;
  return w;
}

using Found = std::set<std::tuple<int64_t, int64_t, int64_t, int64_t>>;

// Compares with the positions that each window covers.
TEST(PoolOverlapTest, WindowsOverAPositionAreThoseThatCoverIt) {
  for (const Window& w : {WindowOf(7, 3, 2, 4, 1), WindowOf(9, 3, 1, 7, 0),
                          WindowOf(7, 2, 5, 2, 0), WindowOf(5, 17, 1, 5, 8),
                          WindowOf(1, 1, 1, 1, 0), WindowOf(0, 2, 1, 1, 1)}) {
    Found expected, found;
    for (int64_t o = 0; o < w.output; ++o) {
      const Covered covered = CoveredBy(w, o);
      for (int64_t i = covered.begin; i < covered.end; ++i) {
        expected.insert({i, o, i - covered.begin, covered.size()});
      }
    }
    const Overlap overlap(w);
    for (int64_t i = 0; i < w.input; ++i) {
      int64_t count = 0;
      overlap.ForEach(i, [&](const WindowOver& o) {
        found.insert({i, o.place, o.offset, o.pixels});
        ++count;
      });
      EXPECT_EQ(overlap.Count(i), count);
    }
    EXPECT_EQ(found, expected) << w.input << ", " << w.filter;
  }
}

// Windows as large as the image make 10^12 pairs. The first one ends before the
// middle.
TEST(PoolOverlapTest, LargeWindowsTakeNoMoreMemory) {
  constexpr int64_t kMany = 1'000'000;
  const Overlap overlap(WindowOf(kMany, kMany, 1, kMany, kMany / 2));
  EXPECT_EQ(overlap.Count(kMany / 2), kMany - 1);
}

}  // namespace
}  // namespace millrace::ops
