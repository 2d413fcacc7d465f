#include "millrace/tensor/string_element.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "millrace/base/memory/memory_budget.h"

namespace millrace {
namespace {

// All lengths around that up to which a text lies in the element, with bytes
// that a flag or an end could be taken for.
std::vector<std::string> Texts() {
  std::vector<std::string> texts;
  for (size_t n = 0; n <= 2 * StringElement::kMaxInside + 3; ++n) {
    texts.emplace_back(n, 'a');
    texts.emplace_back(n, '\0');
    texts.emplace_back(n, '\xff');
  }
  return texts;
}

TEST(StringElementTest, HasTheTextThatItWasGiven) {
  for (const std::string& text : Texts()) {
    const StringElement made(text);
    EXPECT_EQ(made.view(), text);
    EXPECT_EQ(made.size(), text.size());
    EXPECT_EQ(made.str(), text);
    StringElement viewed;
    viewed.SetView(text);
    EXPECT_EQ(viewed, made);
    for (const std::string& before : Texts()) {
      StringElement assigned(before);
      assigned = text;
      EXPECT_EQ(assigned, made);
    }
  }
}

TEST(StringElementTest, IsCopiedMovedAndSwapped) {
  for (const std::string& text : Texts()) {
    for (const std::string& other : Texts()) {
      StringElement a(text), b;
      b.SetView(other);
      const StringElement copy_of_a(a), copy_of_b(b);
      std::swap(a, b);
      EXPECT_EQ(a, copy_of_b);
      EXPECT_EQ(b, copy_of_a);
      a = b;
      EXPECT_EQ(a, copy_of_a);
      const StringElement moved(std::move(a));
      EXPECT_EQ(moved, copy_of_a);
      EXPECT_EQ(a.view(), "");  // NOLINT: moved from
    }
  }
}

TEST(StringElementTest, TakesPartsOfItself) {
  for (const std::string& text : Texts()) {
    for (size_t n = 0; n <= text.size(); ++n) {
      StringElement element(text);
      element.Assign(element.view().substr(n));
      EXPECT_EQ(element.view(), text.substr(n));
      StringElement& same = element;
      element = same;
      EXPECT_EQ(element.view(), text.substr(n));
    }
  }
}

TEST(StringElementTest, ACopyOwnsWhatItsOriginalViews) {
  std::string text(100, 'x');
  StringElement view;
  view.SetView(text);
  const StringElement copy = view;
  text.assign(100, 'y');
  EXPECT_EQ(view.view(), text);
  EXPECT_EQ(copy.view(), std::string(100, 'x'));
}

TEST(StringElementTest, ShortTextsTakeNoOtherMemory) {
  MemoryBudget& budget = MemoryBudget::Process();
  const int64_t before = budget.used();
  const std::vector<StringElement> strings(
      100'000, StringElement(std::string(StringElement::kMaxInside, 'x')));
  EXPECT_EQ(budget.used(), before);
}

}  // namespace
}  // namespace millrace
