#include "millrace/base/memory/heap_policy.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdlib>

namespace millrace {
namespace {

TEST(HeapPolicyTest, MessagesAreBlocksOfTheHeap) {
#ifdef MILLRACE_SANITIZED
  GTEST_SKIP() << "sanitizers have a malloc of their own";
#endif
  KeepMessageMemory();
  const size_t mapped = mallinfo2().hblks;
  void* const message = std::malloc(1 << 20);
  void* const tensor = std::malloc(100 << 20);
  EXPECT_EQ(mallinfo2().hblks, mapped + 1);
  std::free(message);
  std::free(tensor);
  EXPECT_EQ(mallinfo2().hblks, mapped);
}

}  // namespace
}  // namespace millrace
