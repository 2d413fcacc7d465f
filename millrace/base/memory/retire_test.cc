#include "millrace/base/memory/retire.h"

#include <optional>

#include "gtest/gtest.h"

namespace millrace {
namespace {

struct RetiredOne {
  explicit RetiredOne(int* c) : count(c) { ++*count; }
  ~RetiredOne() { --*count; }
  int* const count;
};

TEST(Retire, DeletesAtOnceWithoutUses) {
  int count = 0;
  Retire(std::make_unique<RetiredOne>(&count));
  EXPECT_EQ(count, 0);
  Retire(std::unique_ptr<RetiredOne>());
}

TEST(Retire, TheLastUseDeletes) {
  int count = 0;
  auto object = std::make_unique<RetiredOne>(&count);
  std::optional<ObjectUse> first(object.get()), second(object.get());
  const ObjectUse none(nullptr);
  Retire(std::move(object));
  EXPECT_EQ(count, 1);
  first.reset();
  EXPECT_EQ(count, 1);
  second.reset();
  EXPECT_EQ(count, 0);
}

TEST(Retire, AUseThatEndsFirstDeletesNothing) {
  int count = 0;
  auto object = std::make_unique<RetiredOne>(&count);
  { const ObjectUse use(object.get()); }
  EXPECT_EQ(count, 1);
  Retire(std::move(object));
  EXPECT_EQ(count, 0);
}

}  // namespace
}  // namespace millrace
