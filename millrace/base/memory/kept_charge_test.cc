#include "millrace/base/memory/kept_charge.h"

#include <gtest/gtest.h>

namespace millrace {
namespace {

TEST(KeptSumTest, ManyThingsAreCountedUntilTheyGo) {
  MemoryBudget& budget = MemoryBudget::Process();
  const int64_t limit = budget.limit(), before = budget.used();
  KeptSum sum("things");
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(sum.Add(1000).ok());
  EXPECT_GE(budget.used(), before + 1'000'000);
  budget.set_limit(budget.used());
  Status status;
  while (status.ok()) status = sum.Add(1000);
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_NE(status.message().find("things"), absl::string_view::npos);
  // What is there is counted also without room.
  sum.AddAlways(1'000'000);
  budget.set_limit(limit);
  sum.Clear();
  EXPECT_EQ(budget.used(), before);
  sum.AddAlways(1'000'000);
  EXPECT_GE(budget.used(), before + 1'000'000);
  sum.Remove(1'000'000);
  EXPECT_EQ(budget.used(), before);
}

TEST(KeptSumTest, AFewBytesAreNotCounted) {
  const int64_t before = MemoryBudget::Process().used();
  KeptSum sum("things");
  ASSERT_TRUE(sum.Add(1000).ok());
  EXPECT_EQ(MemoryBudget::Process().used(), before);
}

}  // namespace
}  // namespace millrace
