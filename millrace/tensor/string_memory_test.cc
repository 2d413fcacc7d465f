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
    StringElement gone("a text that is gone");
    kept.Assign("a text that is kept");
  });
  thread.Join();
  EXPECT_EQ(budget.used(), before + 19 + 16);
  kept = StringElement();
}

// Most strings are of one length.
std::string TextOf(size_t i) {
  const size_t size = i % 5 == 0 ? i % 103 : 20;
  return std::string(size, static_cast<char>('a' + i % 26));
}

// More strings than a thread keeps the memory of, and than the process does.
TEST(StringMemoryTest, StringsAreFreedByOtherThreads) {
  MemoryBudget& budget = MemoryBudget::Process();
  const int64_t before = budget.used();
  std::vector<StringElement> strings(250'000);
  const auto fill = [&](size_t shift) {
    for (size_t i = 0; i < strings.size(); ++i) {
      strings[i].Assign(TextOf(i + shift));
    }
  };
  const auto expect = [&](size_t shift) {
    size_t wrong = 0;
    for (size_t i = 0; i < strings.size(); ++i) {
      wrong += strings[i].view() != TextOf(i + shift);
    }
    EXPECT_EQ(wrong, 0u);
  };
  for (size_t round = 0; round < 2; ++round) {
    Thread("fill", [&] { fill(round); }).Join();
    expect(round);
    fill(round + 50);
    expect(round + 50);
    Thread("clear", [&] {
      for (StringElement& s : strings) s = StringElement(absl::string_view());
      StringElement last("the last one of them");
    }).Join();
  }
  strings = {};
  EXPECT_LE(budget.used(), before + kMaxSpare);
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
