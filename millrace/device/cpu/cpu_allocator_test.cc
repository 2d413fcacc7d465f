#include "millrace/device/cpu/cpu_allocator.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "millrace/base/sim/sim.h"
#include "millrace/base/threads/lanes.h"

namespace millrace {
namespace {

constexpr int64_t kMB = 1 << 20;

class CpuAllocatorTest : public ::testing::Test {
 protected:
  Ref<CpuAllocator> Make(int64_t cache_bytes = 64 * kMB) {
    return CpuAllocator::Make(budget_, timer_, cache_bytes);
  }
  MemoryBudget budget_{256 * kMB};
  Timer timer_;
};

TEST_F(CpuAllocatorTest, AlignedAndWritableInEverySize) {
  const auto allocator = Make();
  std::vector<Ref<Buffer>> held;
  for (size_t bytes = 0; bytes < 40 * kMB; bytes = bytes * 5 / 4 + 1) {
    Ref<Buffer> b = *allocator->Allocate(bytes);
    ASSERT_GE(b->size_bytes(), bytes);
    ASSERT_EQ(reinterpret_cast<uintptr_t>(b->data()) % kBufferAlignment, 0u);
    if (bytes > 2 * kMB) {
      ASSERT_EQ(reinterpret_cast<uintptr_t>(b->data()) % (2 * kMB), 0u);
      ASSERT_LE(b->size_bytes(), bytes + bytes / 8 + 1);
    }
    if (bytes > 0) {
      b->data()[0] = b->data()[b->size_bytes() - 1] = 1;
      std::memset(b->data(), 7, std::min<size_t>(bytes, 4096));
    }
    if (bytes < kMB) held.push_back(std::move(b));
  }
  held.clear();
  EXPECT_EQ(allocator->stats().in_use_bytes, 0);
  EXPECT_EQ(budget_.used(), allocator->stats().cached_bytes);
}

TEST_F(CpuAllocatorTest, ReusesWhatWasFreed) {
  const auto allocator = Make();
  char* place = (*allocator->Allocate(3 * kMB))->data();
  EXPECT_GT(allocator->stats().cached_bytes, 0);
  Ref<Buffer> again = *allocator->Allocate(3 * kMB - 1000);
  EXPECT_EQ(again->data(), place);
  EXPECT_EQ(allocator->stats().reused, 1);
  EXPECT_EQ(allocator->stats().cached_bytes, 0);
}

TEST_F(CpuAllocatorTest, CacheIsCapped) {
  const auto allocator = Make(10 * kMB);
  std::vector<Ref<Buffer>> held;
  for (int i = 0; i < 8; ++i) held.push_back(*allocator->Allocate(4 * kMB));
  held.clear();
  EXPECT_EQ(allocator->stats().cached_bytes, 8 * kMB);
  EXPECT_EQ(budget_.used(), 8 * kMB);
}

TEST_F(CpuAllocatorTest, BudgetCountsAndTheCacheGivesWay) {
  const auto allocator = Make(256 * kMB);
  { Ref<Buffer> first = *allocator->Allocate(100 * kMB); }
  EXPECT_GE(budget_.used(), 100 * kMB);
  Ref<Buffer> second = *allocator->Allocate(200 * kMB);
  EXPECT_EQ(allocator->stats().cached_bytes, 0);
  const Status s = allocator->Allocate(100 * kMB).status();
  EXPECT_EQ(s.code(), StatusCode::kResourceExhausted) << s;
  EXPECT_EQ(allocator->Allocate(~size_t{0} - 5).status().code(),
            StatusCode::kResourceExhausted);
  second.reset();
  allocator->Trim();
  EXPECT_EQ(budget_.used(), 0);
}

TEST_F(CpuAllocatorTest, BuffersOutliveIt) {
  auto allocator = Make();
  Ref<Buffer> small = *allocator->Allocate(10);
  Ref<Buffer> big = *allocator->Allocate(5 * kMB);
  allocator.reset();
  std::memset(big->data(), 1, 5 * kMB);
  small.reset();
  big.reset();
}

TEST_F(CpuAllocatorTest, ThreadsShareIt) {
  const auto allocator = Make();
  std::vector<Thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back("alloc", [&allocator, t] {
      std::vector<Ref<Buffer>> held(16);
      for (size_t i = 0; i < 4000; ++i) {
        const size_t bytes = (i * 7919 + static_cast<size_t>(t)) % 20000;
        Ref<Buffer> b = *allocator->Allocate(bytes + 1);
        std::memset(b->data(), t, bytes + 1);
        Ref<Buffer>& slot = held[i % 16];
        if (slot) {
          ASSERT_EQ(slot->data()[0], t);
        }
        slot = std::move(b);
      }
    });
  }
  for (Thread& t : threads) t.Join();
  EXPECT_EQ(allocator->stats().in_use_bytes, 0);
  EXPECT_EQ(budget_.used(), allocator->stats().cached_bytes);
}

TEST(CpuAllocatorIdle, GivesBackWithinTenSeconds) {
  const SimResult r = SimWorld({.seed = 3}).Run([] {
    MemoryBudget budget(256 * kMB);
    auto allocator =
        CpuAllocator::Make(budget, Lanes::Process().timer, 64 * kMB);
    { Ref<Buffer> b = *allocator->Allocate(kMB); }
    // Blocks that are reused again and again are kept.
    for (int i = 0; i < 20; ++i) {
      SleepUntil(Deadline::AfterMillis(1000));
      Ref<Buffer> b = *allocator->Allocate(kMB);
    }
    EXPECT_EQ(allocator->stats().fresh, 1);
    SleepUntil(Deadline::AfterMillis(10'000));
    EXPECT_EQ(allocator->stats().cached_bytes, 0);
    EXPECT_EQ(budget.used(), 0);
    EXPECT_EQ(Lanes::Process().timer.pending(), 0u);
  });
  EXPECT_TRUE(r.status.ok()) << r.Report();
}

}  // namespace
}  // namespace millrace
