#include "millrace/base/memory/counted_table.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"

namespace millrace {
namespace {

int64_t Used() { return MemoryBudget::Process().used(); }

template <class Table, class Add>
void ExpectCounted(int64_t bytes_per_element, Add&& add) {
  constexpr int kElements = 1'000'000;
  const int64_t before = Used();
  {
    CountedTable<Table> table("a test");
    ASSERT_TRUE(table.MakeRoom().ok());
    EXPECT_EQ(Used(), before);
    for (int i = 0; i < kElements; ++i) {
      ASSERT_TRUE(table.MakeRoom().ok());
      add(*table, i);
    }
    EXPECT_GE(Used() - before,
              static_cast<int64_t>(table->capacity()) * bytes_per_element);
    EXPECT_LE(Used() - before, kElements * bytes_per_element * 3);
    CountedTable<Table> other = std::move(table);
    EXPECT_EQ(other->size(), static_cast<size_t>(kElements));
    EXPECT_TRUE(table->empty());  // NOLINT: it may be used again
  }
  EXPECT_EQ(Used(), before);
}

TEST(CountedTableTest, CountsWhatIsThere) {
  ExpectCounted<std::vector<int64_t>>(
      8, [](std::vector<int64_t>& v, int i) { v.push_back(i); });
  ExpectCounted<std::string>(1, [](std::string& s, int) { s += 'x'; });
  ExpectCounted<absl::flat_hash_set<int64_t>>(
      9, [](absl::flat_hash_set<int64_t>& s, int i) { s.insert(i); });
}

TEST(CountedTableTest, CountsNothingForWhatIsNotAdded) {
  const int64_t before = Used();
  CountedTable<absl::flat_hash_map<uint8_t, int64_t>> table("a test");
  for (int i = 0; i < 100'000; ++i) {
    ASSERT_TRUE(table.MakeRoom().ok());
    (*table)[static_cast<uint8_t>(i)] = i;
  }
  EXPECT_EQ(Used(), before);
}

TEST(CountedTableTest, EndsAtTheLimit) {
  MemoryBudget& budget = MemoryBudget::Process();
  const int64_t limit = budget.limit(), before = Used();
  budget.set_limit(before + 10'000'000);
  CountedTable<std::vector<int64_t>> table("the numbers of a test");
  Status status;
  while (status.ok()) {
    status = table.MakeRoom();
    if (status.ok()) table->push_back(1);
  }
  const int64_t used = Used();
  const Status many = table.MakeRoom(size_t{1} << 40);
  budget.set_limit(limit);
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_NE(status.message().find("the numbers of a test"), std::string::npos)
      << status;
  EXPECT_EQ(many.code(), StatusCode::kResourceExhausted);
  // While it grows, the existing elements move.
  EXPECT_GT(table->size(), 200'000u);
  EXPECT_LE(table->capacity() * 8, static_cast<size_t>(used - before));
}

TEST(CountedTableTest, RoomForManyAtOnce) {
  const int64_t before = Used();
  CountedTable<std::string> text("a test");
  ASSERT_TRUE(text.MakeRoom(3'000'000).ok());
  EXPECT_GE(Used() - before, 3'000'000);
  const size_t room = text->capacity();
  text->append(3'000'000, 'x');
  EXPECT_EQ(text->capacity(), room);
}

}  // namespace
}  // namespace millrace
