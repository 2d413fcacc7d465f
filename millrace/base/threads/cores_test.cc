#include "millrace/base/threads/cores.h"

#include <sched.h>

#include "gtest/gtest.h"
#include "millrace/base/threads/thread.h"

namespace millrace {
namespace {

cpu_set_t Usable() {
  cpu_set_t set;
  EXPECT_EQ(sched_getaffinity(0, sizeof(set), &set), 0);
  return set;
}

TEST(CoresTest, LeavesTheCoreAndMayComeBack) {
  Thread thread("leaves", [] {
    const cpu_set_t usable = Usable();
    if (CPU_COUNT(&usable) < 2) return;
    // The system may also move the thread.
    bool moved = false;
    for (int i = 0; i < 100; ++i) {
      const int before = CurrentCore();
      ASSERT_TRUE(MoveToOtherCore());
      moved |= CurrentCore() != before;
      const cpu_set_t now = Usable();
      ASSERT_TRUE(CPU_EQUAL(&now, &usable));
    }
    EXPECT_TRUE(moved);
  });
  thread.Join();
}

TEST(CoresTest, StaysWhereThereIsNoOther) {
  Thread thread("stays", [] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<size_t>(CurrentCore()), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
    const int core = CurrentCore();
    EXPECT_FALSE(MoveToOtherCore());
    EXPECT_EQ(CurrentCore(), core);
  });
  thread.Join();
}

}  // namespace
}  // namespace millrace
