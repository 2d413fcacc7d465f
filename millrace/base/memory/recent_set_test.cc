#include "millrace/base/memory/recent_set.h"

#include <cstdint>
#include <optional>

#include "gtest/gtest.h"

namespace millrace {
namespace {

TEST(RecentSet, KeepsTheLastKeys) {
  RecentSet<int64_t> recent(3);
  for (int64_t key = 0; key < 10; ++key) {
    const RecentSet<int64_t>::Inserted inserted = recent.Insert(key);
    EXPECT_TRUE(inserted.is_new);
    EXPECT_EQ(inserted.forgotten,
              key < 3 ? std::nullopt : std::optional<int64_t>(key - 3));
    for (int64_t earlier = 0; earlier <= key; ++earlier) {
      EXPECT_EQ(recent.Contains(earlier), earlier > key - 3) << earlier;
    }
  }
}

TEST(RecentSet, AKeyThatIsThereKeepsItsAge) {
  RecentSet<int64_t> recent(2);
  recent.Insert(1);
  recent.Insert(2);
  EXPECT_FALSE(recent.Insert(1).is_new);
  EXPECT_EQ(recent.Insert(3).forgotten, 1);
  EXPECT_TRUE(recent.Insert(1).is_new);
}

TEST(RecentSet, OfNoneKeepsNone) {
  RecentSet<int64_t> recent(0);
  EXPECT_TRUE(recent.Insert(1).is_new);
  EXPECT_TRUE(recent.Insert(1).is_new);
  EXPECT_FALSE(recent.Contains(1));
}

}  // namespace
}  // namespace millrace
