#include "millrace/base/memory/counted_vector.h"

#include <gtest/gtest.h>

#include <utility>

namespace millrace {
namespace {

int64_t RealUsed() { return MemoryBudget::RealProcess().used(); }

TEST(CountedVectorTest, CountsWhatIsLong) {
  const int64_t before = RealUsed();
  {
    const CountedVector<int64_t> little(1000);
    EXPECT_EQ(RealUsed(), before);
    CountedVector<int64_t> much(1'000'000);
    EXPECT_EQ(RealUsed() - before, 8'000'000);
    CountedVector<int64_t> other = std::move(much);
    EXPECT_EQ(RealUsed() - before, 8'000'000);
    other.resize(2'000'000);
    EXPECT_GE(RealUsed() - before, 16'000'000);
    CountedVector<bool> bits(80'000'000);
    EXPECT_GE(RealUsed() - before, 26'000'000);
  }
  EXPECT_EQ(RealUsed(), before);
}

TEST(CountedVectorTest, EndsAtTheLimitOfAScope) {
  MemoryBudget& budget = MemoryBudget::RealProcess();
  const int64_t limit = budget.limit(), before = RealUsed();
  budget.set_limit(before + 10'000'000);
  {
    const ScopedMemoryLimit scope;
    EXPECT_THROW(CountedVector<int64_t>(2'000'000), std::bad_alloc);
    EXPECT_EQ(RealUsed(), before);
    CountedVector<int64_t> growing;
    const auto grow = [&] {
      for (int64_t i = 0; i < 2'000'000; ++i) growing.push_back(i);
    };
    EXPECT_THROW(grow(), std::bad_alloc);
    EXPECT_LE(RealUsed(), budget.limit());
  }
  EXPECT_EQ(RealUsed(), before);
  {
    const CountedVector<int64_t> beyond(2'000'000);
    EXPECT_EQ(RealUsed() - before, 16'000'000);
  }
  EXPECT_EQ(RealUsed(), before);
  budget.set_limit(limit);
}

}  // namespace
}  // namespace millrace
