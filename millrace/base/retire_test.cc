#include "millrace/base/retire.h"

#include <optional>

#include "gtest/gtest.h"

namespace millrace {
namespace {

struct Counted {
  explicit Counted(int* c) : count(c) { ++*count; }
  ~Counted() { --*count; }
  int* const count;
};

TEST(Retire, DeletesAtOnceWithoutUses) {
  int count = 0;
  Retire(std::make_unique<Counted>(&count));
  EXPECT_EQ(count, 0);
  Retire(std::unique_ptr<Counted>());
}

TEST(Retire, TheLastUseDeletes) {
  int count = 0;
  auto object = std::make_unique<Counted>(&count);
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
  auto object = std::make_unique<Counted>(&count);
  { const ObjectUse use(object.get()); }
  EXPECT_EQ(count, 1);
  Retire(std::move(object));
  EXPECT_EQ(count, 0);
}

}  // namespace
}  // namespace millrace
