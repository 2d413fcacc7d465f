#include "millrace/base/threads/lanes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <new>
#include <set>
#include <vector>

#include "millrace/base/denormals.h"
#include "millrace/base/memory/memory_budget.h"
#include "millrace/base/sim/sim.h"

namespace millrace {
namespace {

TEST(InlineQueueTest, RunsInOrder) {
  InlineQueue queue;
  std::vector<int> order;
  queue.Schedule([&] {
    order.push_back(1);
    queue.Schedule([&] { order.push_back(3); });
  });
  queue.Schedule([&] { order.push_back(2); });
  EXPECT_EQ(queue.size(), 2u);
  EXPECT_EQ(queue.RunAll(), 3);
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
  EXPECT_FALSE(queue.RunOne());
}

TEST(ThreadPoolTest, RunsAllAndDrains) {
  for (const int threads : {1, 2, 5, 20}) {
    std::atomic<int> ran{0};
    {
      ThreadPool pool("pool", threads);
      EXPECT_EQ(pool.width(), threads);
      for (int i = 0; i < 1000; ++i) {
        pool.Schedule([&, i] {
          EXPECT_TRUE(pool.IsPoolThread());
          ++ran;
          if (i % 10 == 0) pool.Schedule([&] { ++ran; });
        });
      }
    }
    EXPECT_EQ(ran.load(), 1100);
  }
}

TEST(ThreadPoolTest, RunsAsManyAtOnceAsItIsWide) {
  ThreadPool pool("pool", 3);
  std::atomic<int> inside{0};
  Notification all;
  Notification go;
  for (int i = 0; i < 3; ++i) {
    pool.Schedule([&] {
      if (inside.fetch_add(1) == 2) all.Notify();
      go.Wait();
    });
  }
  all.Wait();
  go.Notify();
}

// One thread runs a long task, the other one keeps scheduling new tasks: tasks
// that wait behind the first must not wait for its end.
TEST(ThreadPoolTest, NoTaskWaitsForALongOneWhileOthersFeedThemselves) {
  constexpr int kRounds = 10'000;
  int rounds = 0;  // of the thread that runs the loop and all else
  int ran = 0;
  int rounds_then = 0;
  std::function<void()> again;
  Notification long_runs, loop_runs, loop_may_go, long_may_end, all_ran;
  ThreadPool pool("pool", 2);
  again = [&] {
    if (++rounds < kRounds) pool.Schedule(again);
  };
  pool.Schedule([&] {
    long_runs.Notify();
    long_may_end.Wait();
  });
  pool.Schedule([&] {
    loop_runs.Notify();
    loop_may_go.Wait();
    again();
  });
  long_runs.Wait();
  loop_runs.Wait();
  for (int i = 0; i < 8; ++i) {
    pool.Schedule([&] {
      rounds_then = rounds;
      if (++ran == 8) all_ran.Notify();
    });
  }
  loop_may_go.Notify();
  all_ran.Wait();
  EXPECT_LT(rounds_then, 1'000);
  long_may_end.Notify();
}

TEST(ThreadPoolTest, BoundedQueueRefusesAndWaits) {
  Notification go;
  Notification started;
  ThreadPool pool("pool", {.threads = 1, .max_queued = 2});
  pool.Schedule([&] {
    started.Notify();
    go.Wait();
  });
  started.Wait();
  EXPECT_TRUE(pool.TrySchedule([] {}).ok());
  EXPECT_TRUE(pool.TrySchedule([] {}).ok());
  EXPECT_EQ(pool.TrySchedule([] {}).code(), StatusCode::kResourceExhausted);
  std::atomic<bool> ran{false};
  Thread waiting("waiting", [&] { pool.Schedule([&] { ran = true; }); });
  go.Notify();
  waiting.Join();
  Notification after;
  pool.Schedule([&] { after.Notify(); });
  after.Wait();
  EXPECT_TRUE(ran.load());
}

TEST(ThreadPoolTest, FlushesDenormalsIfAsked) {
  ThreadPool pool("pool", {.threads = 1, .flush_denormals = true});
  Notification done;
  pool.Schedule([&] {
    EXPECT_TRUE(FlushesDenormals());
    done.Notify();
  });
  done.Wait();
}

TEST(ThreadPoolTest, NoTaskIsLostUnderAnySeed) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    const SimResult r = SimWorld({.seed = seed}).Run([] {
      int ran = 0;
      {
        ThreadPool pool("pool", {.threads = 2, .max_queued = 3});
        Thread other("other", [&] {
          for (int i = 0; i < 5; ++i) pool.Schedule([&] { ++ran; });
        });
        for (int i = 0; i < 5; ++i) {
          pool.Schedule([&] {
            ++ran;
            pool.Schedule([&] { ++ran; });
          });
        }
        other.Join();
      }
      EXPECT_EQ(ran, 15);
    });
    ASSERT_TRUE(r.status.ok()) << r.Report();
  }
}

TEST(ThreadPoolTest, AThreadIsAwakeBeforeItsFirstTask) {
  for (int round = 0; round < 500; ++round) {
    std::atomic<int> awake{0};
    {
      ThreadPool pool("pool", 1);
      pool.Schedule([&] { awake = pool.awake(); });
    }
    ASSERT_EQ(awake.load(), 1) << "in round " << round;
  }
}

TEST(DenormalsTest, ScopeEnds) {
  volatile float tiny = 1e-38f;
  EXPECT_FALSE(FlushesDenormals());
  {
    ScopedFlushDenormals scope;
    EXPECT_TRUE(FlushesDenormals());
    EXPECT_EQ(tiny * 0.01f, 0.0f);
  }
  EXPECT_FALSE(FlushesDenormals());
  EXPECT_GT(tiny * 0.01f, 0.0f);
}

TEST(ParallelForTest, CoversTheRangeOnce) {
  for (const int width : {1, 2, 4, 70}) {
    IntraOpPool pool("intra", width);
    for (const int64_t total : {int64_t{1}, int64_t{7}, int64_t{1000}}) {
      for (const int64_t cost :
           {int64_t{0}, int64_t{100}, int64_t{1'000'000}}) {
        std::vector<std::atomic<int>> seen(total);
        pool.ParallelFor(total, cost, [&](int64_t begin, int64_t end) {
          EXPECT_LT(begin, end);
          for (int64_t i = begin; i < end; ++i) ++seen[i];
        });
        for (auto& count : seen) ASSERT_EQ(count.load(), 1);
      }
    }
    pool.ParallelFor(0, 1, [](int64_t, int64_t) { FAIL(); });
  }
}

TEST(ParallelForTest, ShardsDependOnTheWorkOnly) {
  // Small work is one or two shards, large work several per thread, long work
  // pieces of 100 ms at most.
  EXPECT_EQ(IntraOpPool::ShardSize(1000, 5, 8), 1000);
  EXPECT_EQ(IntraOpPool::ShardSize(1000, 10, 8), 500);
  EXPECT_EQ(IntraOpPool::ShardSize(1000, 1'000'000, 1), 100);
  EXPECT_EQ(IntraOpPool::ShardSize(3200, 1000, 8), 100);
  EXPECT_EQ(IntraOpPool::ShardSize(4, 10, 8), 4);
  EXPECT_EQ(IntraOpPool::ShardSize(4, 10'000'000'000, 8), 1);
  EXPECT_EQ(IntraOpPool::ShardSize(INT64_MAX, 1000, 1),
            INT64_MAX / 92233720368547 + 1);

  IntraOpPool pool("intra", 4);
  const auto shards = [&] {
    Mutex mu;
    std::set<std::pair<int64_t, int64_t>> result;
    pool.ParallelFor(10'000, 100, [&](int64_t begin, int64_t end) {
      MutexLock lock(mu);
      result.emplace(begin, end);
    });
    return result;
  };
  const auto alone = [&] {
    IntraOpPool::Team busy = pool.Reserve(4);
    return shards();
  }();
  EXPECT_EQ(shards(), alone);
  EXPECT_GT(alone.size(), 4u);
}

TEST(ParallelForTest, CancelledScopeStopsIt) {
  IntraOpPool pool("intra", 2);
  CancelScope scope;
  std::atomic<int> shards{0};
  const Status status =
      pool.ParallelFor(1000, 100'000'000, &scope, [&](int64_t, int64_t) {
        ++shards;
        scope.Cancel(Aborted("enough"));
      });
  EXPECT_EQ(status.code(), StatusCode::kAborted);
  EXPECT_LE(shards.load(), 2);
}

TEST(ParallelForTest, WhatAShardThrowsIsThrownAfterTheLast) {
  IntraOpPool pool("intra", 4);
  for (int round = 0; round < 100; ++round) {
    std::atomic<int> running{0}, begun{0};
    bool thrown = false;
    try {
      pool.ParallelFor(1000, 1'000'000, [&](int64_t begin, int64_t) {
        ++running;
        ++begun;
        const bool bad = begin >= 20 * (round % 3);
        --running;
        if (bad) throw std::bad_alloc();
      });
    } catch (const std::bad_alloc&) {
      thrown = true;
    }
    EXPECT_TRUE(thrown);
    EXPECT_EQ(running.load(), 0);
    EXPECT_LT(begun.load(), 100);
  }
  // The workers are available for the next call.
  std::atomic<int64_t> sum{0};
  pool.ParallelFor(1000, 1'000'000,
                   [&](int64_t begin, int64_t end) { sum += end - begin; });
  EXPECT_EQ(sum.load(), 1000);
}

TEST(ParallelForTest, AMembersExceptionIsThrownByItsTeam) {
  IntraOpPool pool("intra", 3);
  IntraOpPool::Team team = pool.Reserve(3);
  for (int member = 0; member < team.width(); ++member) {
    EXPECT_THROW(team.Run([&](int index, int) {
      if (index == member) throw std::bad_alloc();
    }),
                 std::bad_alloc);
  }
}

TEST(ParallelForTest, ShardsHaveTheCallersMemoryLimit) {
  IntraOpPool pool("intra", 4);
  for (const bool on : {true, false}) {
    const ScopedMemoryLimit limit(on);
    std::atomic<int> others{0};
    pool.ParallelFor(1000, 1'000'000, [&](int64_t, int64_t) {
      if (ScopedMemoryLimit::active() != on) ++others;
    });
    EXPECT_EQ(others.load(), 0);
  }
  EXPECT_FALSE(ScopedMemoryLimit::active());
}

TEST(ParallelForTest, NestsAndRunsFromManyThreads) {
  IntraOpPool pool("intra", 3);
  std::atomic<int64_t> sum{0};
  std::vector<Thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back("caller", [&] {
      for (int k = 0; k < 50; ++k) {
        pool.ParallelFor(8, 10'000, [&](int64_t begin, int64_t end) {
          pool.ParallelFor(end - begin, 30'000,
                           [&](int64_t b, int64_t e) { sum += e - b; });
        });
      }
    });
  }
  for (Thread& t : threads) t.Join();
  EXPECT_EQ(sum.load(), 4 * 50 * 8);
}

TEST(TeamTest, MembersRunAtTheSameTime) {
  IntraOpPool pool("intra", 3);
  IntraOpPool::Team team = pool.Reserve(8);
  EXPECT_EQ(team.width(), 3);
  EXPECT_EQ(pool.Reserve(3).width(), 1) << "all workers are taken";
  for (int round = 0; round < 100; ++round) {
    std::atomic<int> arrived{0};
    std::atomic<int> members{0};
    team.Run([&](int index, int width) {
      EXPECT_EQ(width, 3);
      members |= 1 << index;
      ++arrived;
      while (arrived.load() < width) Yield();
    });
    EXPECT_EQ(members.load(), 7);
  }
  team.Release();
  EXPECT_EQ(pool.Reserve(2).width(), 2);
}

TEST(TeamTest, SharedWorkIsDoneByWhoComes) {
  IntraOpPool pool("intra", 3);
  IntraOpPool::Team team = pool.Reserve(3);
  ASSERT_EQ(team.width(), 3);
  for (int round = 0; round < 300; ++round) {
    // Too little work for workers that sleep.
    std::atomic<int> next{0}, done{0}, inside{0};
    std::atomic<int> members{0};
    team.Share([&](int index, int width) {
      EXPECT_EQ(width, 3);
      EXPECT_EQ(members.fetch_or(1 << index) & (1 << index), 0)
          << "member " << index << " twice";
      ++inside;
      while (next++ < 5) ++done;
      --inside;
    });
    EXPECT_EQ(done.load(), 5);
    EXPECT_EQ(inside.load(), 0) << "returned before a member did";
    EXPECT_EQ(members.load() & 1, 1) << "the caller is one of them";
  }
  // Members that have arrived are waited for, and their exceptions are thrown.
  std::atomic<bool> came{false};
  EXPECT_THROW(team.Share([&](int index, int) {
    if (index == 0) {
      while (!came.load()) Yield();
      return;
    }
    came.store(true);
    throw std::bad_alloc();
  }),
               std::bad_alloc);
  // No member is left with work of the previous call.
  for (int round = 0; round < 100; ++round) {
    std::atomic<int> members{0};
    team.Share([](int, int) {});
    team.Run([&](int index, int) { members |= 1 << index; });
    EXPECT_EQ(members.load(), 7);
  }
}

TEST(TeamTest, KernelsBesideEachOtherShareTheCores) {
  ThreadPool callers("callers", 2);
  IntraOpPool pool("intra", 2, &callers);
  {
    // This thread does not belong to the pool.
    IntraOpPool::Team alone = pool.Reserve(1);
    EXPECT_EQ(alone.width(), 1);
    Notification done;
    callers.Schedule([&] {
      EXPECT_EQ(pool.Reserve(2).width(), 1) << "the other core is taken";
      done.Notify();
    });
    done.Wait();
    // It releases what it held only once.
    IntraOpPool::Team moved = std::move(alone);
    alone.Release();
    moved.Release();
    moved.Release();
  }
  while (callers.awake() > 0) Yield();
  EXPECT_EQ(pool.Reserve(2).width(), 2);
  Notification done;
  callers.Schedule([&] {
    EXPECT_EQ(pool.Reserve(2).width(), 2);
    done.Notify();
  });
  done.Wait();
}

TEST(TeamTest, OfThoseThatAreAwake) {
  IntraOpPool pool("intra", 3);
  EXPECT_EQ(pool.ReserveAwake(3).width(), 1) << "no worker has started";
  // ReserveAwake was called: workers are prepared and spin, once they have a
  // core.
  IntraOpPool::Team team;
  while (team.width() < 3) {
    team.Release();
    pool.Prepare();
    Yield();
    team = pool.ReserveAwake(3);
  }
  EXPECT_EQ(pool.Reserve(3).width(), 1) << "all workers are taken";
  for (int round = 0; round < 100; ++round) {
    std::atomic<int> members{0};
    team.Run([&](int index, int) { members |= 1 << index; });
    EXPECT_EQ(members.load(), 7);
  }
}

TEST(TeamTest, PreparedWorkersSleepWhenNothingComes) {
  IntraOpPool pool("intra", 2);
  while (pool.ReserveAwake(2).width() < 2) {
    pool.Prepare();
    Yield();
  }
  while (pool.ReserveAwake(2).width() == 2) Yield();
  EXPECT_EQ(pool.ReserveAwake(2, 2).width(), 2) << "one that sleeps";
  EXPECT_EQ(pool.Reserve(2).width(), 2);
}

TEST(LanesTest, ProcessHasOneSet) {
  Lanes& lanes = Lanes::Process();
  EXPECT_EQ(&lanes, &Lanes::Process());
  EXPECT_EQ(lanes.control.width(), 2);
  EXPECT_EQ(lanes.intra_op.width(), UsableCores());
  std::atomic<int64_t> sum{0};
  ParallelFor(100, 10'000, [&](int64_t b, int64_t e) { sum += e - b; });
  EXPECT_EQ(sum.load(), 100);
  EXPECT_GT(UsableMemoryBytes(), int64_t{64} << 20);
}

}  // namespace
}  // namespace millrace
