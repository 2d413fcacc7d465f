#include "millrace/tensor/string_memory.h"

#include <gtest/gtest.h>

#include <new>
#include <string>
#include <vector>

#include "millrace/base/memory/memory_budget.h"
#include "millrace/base/threads/thread.h"
#include "millrace/tensor/string_element.h"

namespace millrace {
namespace {

constexpr int64_t kMaxSpare = 128 << 10;  // of a thread

TEST(StringMemoryTest, OwnedBytesCountAndAreGivenBack) {
  MemoryBudget& budget = MemoryBudget::Process();
  const int64_t before = budget.used();
  {
    const std::string text(1000, 'x');
    std::vector<StringElement> strings(1000, StringElement(text));
    EXPECT_GE(budget.used(), before + 1'000'000 - kMaxSpare);
    const std::vector<StringElement> copies = strings;
    EXPECT_GE(budget.used(), before + 2'000'000 - kMaxSpare);
    strings.clear();
    EXPECT_LE(budget.used(), before + 1'016'000 + kMaxSpare);
    StringElement view;
    view.SetView(text);
    EXPECT_EQ(view.view(), text);
  }
  EXPECT_LE(budget.used(), before + kMaxSpare);
}

TEST(StringMemoryTest, AThreadThatEndsKeepsNothing) {
  MemoryBudget& budget = MemoryBudget::Process();
  const int64_t before = budget.used();
  StringElement kept;
  Thread thread("strings", [&] {
    StringElement gone("gone");
    kept.Assign("kept");
  });
  thread.Join();
  EXPECT_EQ(budget.used(), before + 4 + 16);
  kept = StringElement();
}

TEST(StringMemoryTest, TheLimitIsForWhoCatches) {
  MemoryBudget& budget = MemoryBudget::Process();
  const int64_t limit = budget.limit();
  budget.set_limit(budget.used() + 1'000'000);
  const std::string large(2'000'000, 'x');
  StringElement element("small");
  {
    const ScopedMemoryLimit scope;
    EXPECT_THROW(element.Assign(large), std::bad_alloc);
  }
  EXPECT_EQ(element.view(), "small");
  element.Assign(large);
  EXPECT_EQ(element.size(), large.size());
  EXPECT_GT(budget.used(), budget.limit());
  element.Assign("small");
  EXPECT_LT(budget.used(), budget.limit());
  budget.set_limit(limit);
}

}  // namespace
}  // namespace millrace
