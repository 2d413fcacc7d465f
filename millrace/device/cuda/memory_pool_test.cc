#include "millrace/device/cuda/memory_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "millrace/base/random.h"
#include "millrace/base/sim/sim.h"

namespace millrace::cuda {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr size_t kMB = size_t{1} << 20;

// Memory that is only numbers, of which there is so much.
struct SourceState {
  size_t free_bytes = 64 * kMB;
  uint64_t next = 1 << 20;
  std::map<uint64_t, size_t> taken;
  int calls = 0;
  Status error;                   // of the calls, if it is set
  std::function<void()> on_give;  // runs in the next Give
};

class NumberSource final : public MemorySource {
 public:
  explicit NumberSource(SourceState* state) : state_(state) {}
  StatusOr<uint64_t> Take(size_t bytes) override {
    ++state_->calls;
    MR_RETURN_IF_ERROR(state_->error);
    if (bytes > state_->free_bytes) {
      return ResourceExhausted("CUDA_ERROR_OUT_OF_MEMORY: out of memory");
    }
    state_->free_bytes -= bytes;
    const uint64_t address = state_->next;
    state_->next += bytes + kMB;
    state_->taken[address] = bytes;
    return address;
  }
  void Give(uint64_t address, size_t bytes) override {
    if (state_->on_give) std::exchange(state_->on_give, nullptr)();
    ASSERT_EQ(state_->taken[address], bytes);
    state_->taken.erase(address);
    state_->free_bytes += bytes;
  }
  int64_t FreeBytes() override {
    return static_cast<int64_t>(state_->free_bytes);
  }
  std::string Name() const override { return "numbers"; }

 private:
  SourceState* const state_;
};

class MemoryPoolTest : public ::testing::Test {
 protected:
  std::shared_ptr<MemoryPool> Make(const MemoryPoolOptions& options) {
    return std::make_shared<MemoryPool>(std::make_unique<NumberSource>(&state_),
                                        options, nullptr);
  }
  SourceState state_;
};

TEST_F(MemoryPoolTest, TakesAllWhenItIsFirstAsked) {
  const auto pool = Make({.limit_bytes = 10 * kMB});
  EXPECT_THAT(state_.taken, IsEmpty());
  MemoryPool::Block* const a = *pool->Allocate(100, "a");
  EXPECT_EQ(state_.calls, 1);
  EXPECT_EQ(pool->stats().region_bytes, int64_t{10 * kMB});
  EXPECT_EQ(pool->stats().in_use_bytes, 256);
  EXPECT_EQ(MemoryPool::AddressOf(a) % MemoryPool::kAlignment, 0u);
  MemoryPool::Block* const rest = *pool->Allocate(10 * kMB - 256, "rest");
  EXPECT_EQ(pool->stats().largest_free_bytes, 0);
  pool->Free(a);
  pool->Free(rest);
  EXPECT_EQ(pool->stats().largest_free_bytes, int64_t{10 * kMB});
  EXPECT_EQ(pool->stats().peak_bytes, int64_t{10 * kMB});
  pool->ReturnEmpty(INT64_MAX / 2);
}

TEST_F(MemoryPoolTest, TheBestFitIsTakenAndNeighboursAreJoined) {
  const auto pool = Make({.limit_bytes = kMB});
  std::vector<MemoryPool::Block*> blocks;
  for (const size_t bytes : {1024, 256, 4096, 256, 2048, 256}) {
    blocks.push_back(*pool->Allocate(bytes, ""));
  }
  const uint64_t of_2048 = MemoryPool::AddressOf(blocks[4]);
  pool->Free(blocks[0]);
  pool->Free(blocks[2]);
  pool->Free(blocks[4]);
  // 2048 fits better than 4096 and the end of the region.
  MemoryPool::Block* const best = *pool->Allocate(1500, "");
  EXPECT_EQ(MemoryPool::AddressOf(best), of_2048);
  EXPECT_EQ(MemoryPool::SizeOf(best), 1536u);
  pool->Free(blocks[1]);  // joins 1024 and 4096
  MemoryPool::Block* const joined = *pool->Allocate(1024 + 256 + 4096, "");
  EXPECT_EQ(MemoryPool::SizeOf(joined), 5376u);
  for (MemoryPool::Block* block : {best, joined, blocks[3], blocks[5]}) {
    pool->Free(block);
  }
  EXPECT_EQ(pool->stats().largest_free_bytes, int64_t{kMB});
}

TEST_F(MemoryPoolTest, OutOfMemorySaysWhoHoldsIt) {
  const auto pool = Make({.limit_bytes = 8 * kMB});
  MemoryPool::Block* const a = *pool->Allocate(4 * kMB, "dense/kernel");
  MemoryPool::Block* const b = *pool->Allocate(kMB, "dense/bias");
  MemoryPool::Block* const c = *pool->Allocate(kMB, "dense/bias");
  const Status status = pool->Allocate(3 * kMB, "late").status();
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(
      std::string(status.message()),
      AllOf(HasSubstr("asked were 3.00MiB (3145728 bytes) of numbers"),
            HasSubstr("6.00MiB (6291456 bytes) are in use"),
            HasSubstr("2.00MiB (2097152 bytes) free, the largest block "
                      "2.00MiB"),
            HasSubstr("most is held by dense/kernel 4.00MiB (4194304 bytes) in "
                      "1 block, dense/bias 2.00MiB (2097152 bytes) in 2 "
                      "blocks"),
            Not(HasSubstr("from device"))));
  EXPECT_EQ(pool->Allocate(~size_t{0}, "").status().code(),
            StatusCode::kResourceExhausted);
  pool->Free(c);
  MemoryPool::Block* const late = *pool->Allocate(3 * kMB, "late");
  for (MemoryPool::Block* block : {a, b, late}) pool->Free(block);
}

TEST_F(MemoryPoolTest, GrowsByDoublingAndReturnsWhatIsEmpty) {
  const auto pool = Make({.limit_bytes = 40 * kMB, .grows = true});
  std::vector<MemoryPool::Block*> blocks;
  for (int i = 0; i < 7; ++i) {
    blocks.push_back(*pool->Allocate(2 * kMB, ""));
  }
  std::vector<size_t> sizes;
  for (const auto& [address, bytes] : state_.taken) sizes.push_back(bytes);
  EXPECT_EQ(sizes, (std::vector<size_t>{2 * kMB, 4 * kMB, 8 * kMB}));
  // Above the double of the largest region, and not above the limit.
  blocks.push_back(*pool->Allocate(25 * kMB, ""));
  EXPECT_EQ(pool->stats().region_bytes, int64_t{40 * kMB});
  EXPECT_EQ(pool->Allocate(3 * kMB, "").status().code(),
            StatusCode::kResourceExhausted);
  pool->Free(blocks.back());
  blocks.pop_back();
  pool->ReturnEmpty(NowNanos());
  EXPECT_EQ(pool->stats().region_bytes, int64_t{14 * kMB});
  for (MemoryPool::Block* block : blocks) pool->Free(block);
  // Not yet: they were empty for less than that.
  pool->ReturnEmpty(NowNanos() - MemoryPool::kKeepEmptyNanos);
  EXPECT_EQ(pool->stats().regions, 3);
  pool->ReturnEmpty(NowNanos());
  EXPECT_EQ(pool->stats().regions, 0);
  EXPECT_EQ(state_.free_bytes, 64 * kMB);
}

TEST_F(MemoryPoolTest, AFractionIsAllOrNothing) {
  state_.free_bytes = 20 * kMB;
  const auto pool = Make({.limit_bytes = 40 * kMB});
  const Status status = pool->Allocate(kMB, "").status();
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("failed to allocate from device: "
                        "CUDA_ERROR_OUT_OF_MEMORY: out of memory (the device "
                        "has 20.00MiB (20971520 bytes) free)"));
  EXPECT_EQ(state_.calls, 1);
  // Another process has ended.
  state_.free_bytes = 50 * kMB;
  MemoryPool::Block* const block = *pool->Allocate(kMB, "");
  pool->Free(block);
}

TEST_F(MemoryPoolTest, AllOfACardIsWhatTheCardHas) {
  state_.free_bytes = 37 * kMB;
  const auto pool = Make({.limit_bytes = 40 * kMB, .takes_less = true});
  MemoryPool::Block* const block = *pool->Allocate(kMB, "");
  EXPECT_LE(pool->stats().region_bytes, int64_t{37 * kMB});
  EXPECT_GE(pool->stats().region_bytes, int64_t{35 * kMB});
  EXPECT_EQ(state_.calls, 2);
  pool->Free(block);
}

TEST_F(MemoryPoolTest, EmptyRegionsMakeRoom) {
  // In the limit, as soon as they are empty.
  const auto pool = Make({.limit_bytes = 40 * kMB, .grows = true});
  pool->Free(*pool->Allocate(10 * kMB, ""));
  MemoryPool::Block* const large = *pool->Allocate(35 * kMB, "large");
  EXPECT_EQ(pool->stats().regions, 1);
  pool->Free(large);
  // And in the source.
  state_.free_bytes = 64 * kMB;
  const auto other = Make({.limit_bytes = 200 * kMB, .grows = true});
  other->Free(*other->Allocate(20 * kMB, ""));
  other->Free(*other->Allocate(40 * kMB, ""));
  EXPECT_EQ(other->stats().regions, 2);
  MemoryPool::Block* const most = *other->Allocate(60 * kMB, "most");
  EXPECT_EQ(other->stats().regions, 1);
  other->Free(most);
}

TEST_F(MemoryPoolTest, EmptyRegionsStayWhereTheyWouldNotHelp) {
  const auto pool = Make({.limit_bytes = 40 * kMB, .grows = true});
  MemoryPool::Block* const held = *pool->Allocate(10 * kMB, "held");
  pool->Free(*pool->Allocate(20 * kMB, ""));
  EXPECT_EQ(pool->Allocate(35 * kMB, "").status().code(),
            StatusCode::kResourceExhausted);
  EXPECT_EQ(pool->stats().regions, 2);
  pool->Free(held);
}

TEST_F(MemoryPoolTest, WhatOthersGiveBackIsTakenLater) {
  state_.free_bytes = 20 * kMB;
  const auto pool = Make({.limit_bytes = 40 * kMB, .takes_less = true});
  MemoryPool::Block* const first = *pool->Allocate(kMB, "first");
  EXPECT_LE(pool->stats().region_bytes, int64_t{20 * kMB});
  // Others hold it still; the little that the first region left is the
  // driver's.
  const int calls = state_.calls;
  for (const size_t bytes : {19 * kMB, kMB * 19 + kMB / 2}) {
    const Status status = pool->Allocate(bytes, "late").status();
    EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
    EXPECT_THAT(std::string(status.message()),
                HasSubstr("failed to allocate from device: others hold the "
                          "rest (the device has 655360 bytes free)"))
        << status;
  }
  EXPECT_EQ(state_.calls, calls);
  state_.free_bytes += 25 * kMB;
  MemoryPool::Block* const late = *pool->Allocate(20 * kMB, "late");
  EXPECT_LE(pool->stats().region_bytes, int64_t{40 * kMB});
  EXPECT_EQ(pool->stats().regions, 2);
  EXPECT_GT(state_.free_bytes, kMB);
  pool->Free(late);
  // Regions that are both empty become one.
  pool->Free(first);
  MemoryPool::Block* const all = *pool->Allocate(39 * kMB, "all");
  EXPECT_EQ(pool->stats().regions, 1);
  pool->Free(all);
}

TEST_F(MemoryPoolTest, OtherErrorsOfTheDriverPass) {
  state_.error = Internal("GPU 0 has failed");
  const auto pool = Make({.limit_bytes = kMB});
  EXPECT_EQ(pool->Allocate(1, "").status(), state_.error);
  state_.error = OkStatus();
  pool->Free(*pool->Allocate(1, ""));
}

TEST_F(MemoryPoolTest, BlocksNeverOverlap) {
  const auto pool = Make({.limit_bytes = 8 * kMB, .grows = true});
  Rng rng(5);
  std::vector<MemoryPool::Block*> held;
  for (int i = 0; i < 20'000; ++i) {
    if (held.size() > 40 || (!held.empty() && rng.Uniform(2) == 0)) {
      const size_t k = rng.Uniform(held.size());
      pool->Free(held[k]);
      held[k] = held.back();
      held.pop_back();
    } else if (auto block = pool->Allocate(rng.Uniform(100'000), "");
               block.ok()) {
      held.push_back(*block);
    }
    if (i % 500 != 0) continue;
    std::vector<std::pair<uint64_t, uint64_t>> spans;
    for (const MemoryPool::Block* block : held) {
      spans.emplace_back(
          MemoryPool::AddressOf(block),
          MemoryPool::AddressOf(block) + MemoryPool::SizeOf(block));
    }
    std::sort(spans.begin(), spans.end());
    for (size_t k = 1; k < spans.size(); ++k) {
      ASSERT_LE(spans[k - 1].second, spans[k].first);
    }
    pool->ReturnEmpty(NowNanos());
  }
  for (MemoryPool::Block* block : held) pool->Free(block);
  EXPECT_EQ(pool->stats().in_use_bytes, 0);
}

TEST_F(MemoryPoolTest, ThreadsShareIt) {
  const auto pool = Make({.limit_bytes = 32 * kMB, .grows = true});
  std::vector<Thread> threads;
  for (uint64_t t = 0; t < 4; ++t) {
    threads.emplace_back("pool", [&pool, t] {
      Rng rng(t);
      for (int i = 0; i < 3000; ++i) {
        const auto block = pool->Allocate(rng.Uniform(1'000'000), "thread");
        ASSERT_TRUE(block.ok()) << block.status();
        pool->Free(*block);
      }
    });
  }
  for (Thread& thread : threads) thread.Join();
  EXPECT_EQ(pool->stats().in_use_bytes, 0);
}

TEST(MemoryPoolWaits, ForRegionsThatAreOnTheirWayBack) {
  const SimResult r = SimWorld({.seed = 1}).Run([] {
    SourceState state;
    state.free_bytes = 30 * kMB;
    Notification is_giving, may_give;
    state.on_give = [&] {
      is_giving.Notify();
      may_give.Wait();
    };
    const auto pool = std::make_shared<MemoryPool>(
        std::make_unique<NumberSource>(&state),
        MemoryPoolOptions{.limit_bytes = 32 * kMB, .grows = true}, nullptr);
    pool->Free(*pool->Allocate(30 * kMB, ""));
    Thread back("back", [&] { pool->ReturnEmpty(NowNanos()); });
    is_giving.Wait();
    StatusOr<MemoryPool::Block*> late = Unavailable("not asked");
    Thread asks("asks", [&] { late = pool->Allocate(30 * kMB, "late"); });
    SleepUntil(Deadline::AfterMillis(1000));  // until it waits
    may_give.Notify();
    back.Join();
    asks.Join();
    ASSERT_TRUE(late.ok()) << late.status();
    pool->Free(*late);
  });
  EXPECT_TRUE(r.status.ok()) << r.Report();
}

TEST(MemoryPoolWaits, ForWhatWorkUnderWayHolds) {
  const SimResult r = SimWorld({.seed = 2}).Run([] {
    SourceState state;
    const auto pool = std::make_shared<MemoryPool>(
        std::make_unique<NumberSource>(&state),
        MemoryPoolOptions{.limit_bytes = 10 * kMB}, nullptr);
    MemoryPool::Block* const copied = *pool->Allocate(8 * kMB, "copied");
    pool->Hold(8 * kMB);
    StatusOr<MemoryPool::Block*> late = Unavailable("not asked");
    bool has_ended = false;
    Thread asks("asks", [&] {
      late = pool->Allocate(6 * kMB, "late");
      has_ended = true;
    });
    SleepUntil(Deadline::AfterMillis(1000));
    EXPECT_FALSE(has_ended);
    pool->Free(copied);
    pool->EndHold(8 * kMB);
    asks.Join();
    ASSERT_TRUE(late.ok()) << late.status();
    // It helps nobody who needs more.
    pool->Hold(6 * kMB);
    const int64_t before = NowNanos();
    MemoryPool::Block* const small = *pool->Allocate(kMB, "small");
    EXPECT_FALSE(pool->Allocate(10 * kMB, "").ok());
    EXPECT_EQ(NowNanos(), before);
    // Others hold it, too.
    Thread ends("ends", [&] {
      SleepUntil(Deadline::AfterMillis(10));
      pool->EndHold(6 * kMB);
    });
    EXPECT_FALSE(pool->Allocate(6 * kMB, "").ok());
    EXPECT_LT(NowNanos(), before + 20'000'000);
    ends.Join();
    pool->Free(*late);
    pool->Free(small);
  });
  EXPECT_TRUE(r.status.ok()) << r.Report();
}

TEST(MemoryPoolWaits, ForTenSecondsAtMost) {
  const SimResult r = SimWorld({.seed = 3}).Run([] {
    SourceState state;
    const auto pool = std::make_shared<MemoryPool>(
        std::make_unique<NumberSource>(&state),
        MemoryPoolOptions{.limit_bytes = 10 * kMB}, nullptr);
    MemoryPool::Block* const copied = *pool->Allocate(8 * kMB, "copied");
    pool->Hold(8 * kMB);
    const int64_t before = NowNanos();
    const Status status = pool->Allocate(6 * kMB, "late").status();
    EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
    EXPECT_THAT(std::string(status.message()),
                AllOf(HasSubstr("most is held by copied 8.00MiB"),
                      HasSubstr("copies that are under way hold 8.00MiB "
                                "(8388608 bytes); waited 10 s for copies to "
                                "end")));
    EXPECT_EQ((NowNanos() - before) / 1'000'000, MemoryPool::kAwaitHeldMillis);
    pool->EndHold(8 * kMB);
    pool->Free(copied);
  });
  EXPECT_TRUE(r.status.ok()) << r.Report();
}

TEST(MemoryPoolIdle, GivesBackAfterTenSeconds) {
  const SimResult r = SimWorld({.seed = 3}).Run([] {
    SourceState state;
    const auto pool = std::make_shared<MemoryPool>(
        std::make_unique<NumberSource>(&state),
        MemoryPoolOptions{.limit_bytes = 32 * kMB, .grows = true},
        &Lanes::Process());
    MemoryPool::Block* const held = *pool->Allocate(kMB, "");
    // What is used again and again stays.
    for (int i = 0; i < 8; ++i) {
      pool->Free(*pool->Allocate(4 * kMB, ""));
      SleepUntil(Deadline::AfterMillis(3000));
    }
    EXPECT_EQ(state.calls, 2);
    SleepUntil(Deadline::AfterMillis(20'000));
    EXPECT_EQ(pool->stats().region_bytes, int64_t{2 * kMB});
    pool->Free(held);
    SleepUntil(Deadline::AfterMillis(20'100));
    EXPECT_EQ(pool->stats().region_bytes, 0);
    EXPECT_EQ(Lanes::Process().timer.pending(), 0u);
  });
  EXPECT_TRUE(r.status.ok()) << r.Report();
}

}  // namespace
}  // namespace millrace::cuda
