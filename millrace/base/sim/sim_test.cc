#include "millrace/base/sim/sim.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "millrace/base/clock.h"
#include "millrace/base/log.h"
#include "millrace/base/sim/fault_point.h"
#include "millrace/base/threads/lanes.h"
#include "millrace/base/threads/thread.h"
#include "millrace/base/threads/wait.h"

namespace millrace {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kSecond = 1'000'000'000;

// Threads that meet at locks, conditions, timers and pools.
SimResult RunMixedWork(uint64_t seed) {
  return SimWorld({.seed = seed}).Run([] {
    Mutex mu;
    CondVar changed;
    int turns = 0;
    std::vector<Thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back("worker", [&, i] {
        for (int k = 0; k < 5; ++k) {
          SleepUntil(Deadline::After(static_cast<int64_t>(SimRandom(1000))));
          MutexLock lock(mu);
          ++turns;
          RecordEvent(absl::StrCat("turn ", i));
          changed.NotifyAll();
        }
      });
    }
    {
      MutexLock lock(mu);
      while (turns < 20) changed.Wait(mu);
    }
    for (Thread& t : threads) t.Join();
    Notification rang;
    Lanes::Process().timer.RunAt(Deadline::After(kSecond), [&] {
      Lanes::Process().control.Schedule([&] { rang.Notify(); });
    });
    rang.Wait();
  });
}

TEST(SimTest, SameSeedGivesSameHash) {
  std::set<uint64_t> hashes;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const SimResult a = RunMixedWork(seed);
    const SimResult b = RunMixedWork(seed);
    ASSERT_TRUE(a.status.ok()) << a.Report();
    EXPECT_EQ(a.hash, b.hash) << "seed " << seed;
    EXPECT_EQ(a.events, b.events);
    EXPECT_EQ(a.virtual_nanos, b.virtual_nanos);
    hashes.insert(a.hash);
  }
  EXPECT_EQ(hashes.size(), 20u) << "each seed is another run";
}

TEST(SimTest, TimeStandsStillWhileSomebodyRunsAndThenJumps) {
  const SimResult r = SimWorld({}).Run([] {
    const int64_t start = NowNanos();
    const int64_t wall = WallMicros();
    volatile int64_t sum = 0;
    for (int i = 0; i < 100000; ++i) sum = sum + i;
    EXPECT_EQ(NowNanos(), start);
    SleepUntil(Deadline::After(3600 * kSecond));
    EXPECT_EQ(NowNanos(), start + 3600 * kSecond);
    EXPECT_EQ(WallMicros(), wall + 3600'000'000);
    Notification never;
    EXPECT_FALSE(never.WaitUntil(Deadline::AfterMillis(5)));
    EXPECT_EQ(NowNanos(), start + 3600 * kSecond + 5'000'000);
  });
  EXPECT_TRUE(r.status.ok()) << r.Report();
  EXPECT_EQ(r.virtual_nanos, 3600 * kSecond + 5'000'000);
}

// Reads, lets others run, writes: only some orders lose an update.
int LostUpdates(uint64_t seed) {
  int lost = 0;
  SimWorld({.seed = seed}).Run([&] {
    Mutex mu;
    int value = 0;
    const auto increment = [&] {
      mu.Lock();
      const int seen = value;
      mu.Unlock();
      mu.Lock();
      value = seen + 1;
      mu.Unlock();
    };
    Thread a("a", increment);
    Thread b("b", increment);
    a.Join();
    b.Join();
    lost = 2 - value;
  });
  return lost;
}

TEST(SimTest, SeedsFindRaces) {
  int found = 0;
  int seeds = 400;
  for (int seed = 1; seed <= seeds; ++seed) found += LostUpdates(seed);
  EXPECT_GT(found, 0);
  EXPECT_LT(found, seeds);
}

TEST(SimTest, DeadlockIsReportedByName) {
  // The objects outlive the parked threads.
  auto* first = new Mutex;
  auto* second = new Mutex;
  const SimResult r = SimWorld({.seed = 3}).Run([=] {
    auto* both = new Notification[2];
    const auto take = [=](Mutex* one, Mutex* other, int me) {
      MutexLock a(*one);
      both[me].Notify();
      both[1 - me].Wait();
      WaitScope why("the other half");
      MutexLock b(*other);
    };
    auto* left = new Thread("left", [=] { take(first, second, 0); });
    auto* right = new Thread("right", [=] { take(second, first, 1); });
    left->Join();
    right->Join();
  });
  EXPECT_EQ(r.status.code(), StatusCode::kInternal);
  const std::string text(r.status.message());
  EXPECT_THAT(text, HasSubstr("Deadlock"));
  EXPECT_THAT(text, HasSubstr("'left' #1 waits for a Mutex of 'right' #2"));
  EXPECT_THAT(text, HasSubstr("'right' #2 waits for a Mutex of 'left' #1"));
  EXPECT_THAT(text, HasSubstr("'main' #0 waits for the end of a thread"));
  EXPECT_THAT(text, HasSubstr("[the other half]"));
  EXPECT_FALSE(r.trace.empty());
  EXPECT_THAT(r.Report(), HasSubstr("seed 3"));
}

TEST(SimTest, ThreadThatNeverEndsIsReported) {
  const SimResult r = SimWorld({}).Run([] {
    auto* never = new Notification;
    // Reachable, so that a leak checker is content.
    static std::vector<Thread>& kept = *new std::vector<Thread>;
    kept.emplace_back("forgotten", [=] { never->Wait(); });
  });
  EXPECT_THAT(std::string(r.status.message()), HasSubstr("'forgotten'"));
}

TEST(SimTest, LimitsEndTheRun) {
  const SimResult events = SimWorld({.max_events = 1000}).Run([] {
    while (true) Yield();
  });
  EXPECT_EQ(events.status.code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(events.status.message()), HasSubstr("1000 events"));
  const SimResult time = SimWorld({.max_virtual_nanos = 60 * kSecond}).Run([] {
    while (true) SleepUntil(Deadline::After(kSecond));
  });
  EXPECT_EQ(time.status.code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(time.status.message()), HasSubstr("60 s"));
}

TEST(SimTest, EndlessLoopMeetsItsDeadlineIfSwitchesCostTime) {
  const SimResult r = SimWorld({.nanos_per_switch = 1000}).Run([] {
    std::atomic<bool> stop{false};
    Lanes::Process().timer.RunAt(Deadline::AfterMillis(1),
                                 [&] { stop.store(true); });
    while (!stop.load()) Yield();
  });
  EXPECT_TRUE(r.status.ok()) << r.Report();
}

TEST(SimTest, FrozenProcessDoesNotRun) {
  const SimResult r = SimWorld({}).Run([] {
    SimWorld* world = SimWorld::Current();
    const SimProcess ps = world->AddProcess("ps0");
    EXPECT_EQ(world->ProcessName(ps), "ps0");
    const int64_t start = NowNanos();
    std::atomic<int> ticks{0};
    std::atomic<bool> stop{false};
    Thread ticker;
    {
      SimProcessScope scope(ps);
      ticker = Thread("ticker", [&] {
        EXPECT_EQ(CurrentSimProcess(), ps);
        while (!stop.load()) {
          SleepUntil(Deadline::After(kSecond));
          ++ticks;
        }
      });
    }
    EXPECT_EQ(CurrentSimProcess(), 0);
    SleepUntil(Deadline::At(start + 10 * kSecond + 1));
    EXPECT_EQ(ticks.load(), 10);
    world->Freeze(ps);
    EXPECT_TRUE(world->IsFrozen(ps));
    SleepUntil(Deadline::At(start + 20 * kSecond + 1));
    EXPECT_EQ(ticks.load(), 10);
    world->Thaw(ps);
    SleepUntil(Deadline::At(start + 21 * kSecond + 2));
    EXPECT_EQ(ticks.load(), 12) << "the timeout had passed meanwhile";
    world->FreezeUntil(ps, start + 30 * kSecond);
    SleepUntil(Deadline::At(start + 30 * kSecond - 1));
    EXPECT_EQ(ticks.load(), 12);
    stop.store(true);
    ticker.Join();
    EXPECT_GE(NowNanos(), start + 30 * kSecond);
  });
  EXPECT_TRUE(r.status.ok()) << r.Report();
}

TEST(SimTest, ProcessCanFreezeItself) {
  const SimResult r = SimWorld({}).Run([] {
    SimWorld* world = SimWorld::Current();
    const SimProcess p = world->AddProcess("p");
    SimProcessScope scope(p);
    const int64_t start = NowNanos();
    world->FreezeUntil(p, start + kSecond);
    EXPECT_EQ(NowNanos(), start + kSecond);
  });
  EXPECT_TRUE(r.status.ok()) << r.Report();
}

TEST(SimTest, WhatIsFrozenAtTheEndThaws) {
  const SimResult r = SimWorld({}).Run([] {
    SimWorld* world = SimWorld::Current();
    const SimProcess p = world->AddProcess("p");
    {
      SimProcessScope scope(p);
      Notification ran;
      Lanes::Process().control.Schedule([&] { ran.Notify(); });
      ran.Wait();
    }
    world->Freeze(p);
  });
  EXPECT_TRUE(r.status.ok()) << r.Report();
}

TEST(SimTest, LanesAreLocalToTheProcess) {
  const SimResult r = SimWorld({}).Run([] {
    SimWorld* world = SimWorld::Current();
    const SimProcess p = world->AddProcess("p");
    Lanes* mine = &Lanes::Process();
    Lanes* theirs;
    {
      SimProcessScope scope(p);
      theirs = &Lanes::Process();
    }
    EXPECT_NE(mine, theirs);
    EXPECT_EQ(mine, &Lanes::Process());
    // Threads belong to the pool's process, whichever process posts the task.
    Notification done;
    theirs->control.Schedule([&] {
      EXPECT_EQ(CurrentSimProcess(), p);
      done.Notify();
    });
    done.Wait();
  });
  EXPECT_TRUE(r.status.ok()) << r.Report();
}

TEST(SimTest, FaultPointsFireBySeed) {
  EXPECT_FALSE(MR_FAULT_POINT("outside"));
  int runs_with_fault = 0;
  int fired = 0;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    int here = 0;
    SimWorld({.seed = seed, .fault_points = true}).Run([&] {
      for (int i = 0; i < 20; ++i) here += MR_FAULT_POINT("disk");
    });
    runs_with_fault += here > 0;
    fired += here;
  }
  EXPECT_GT(runs_with_fault, 20);
  EXPECT_LT(runs_with_fault, 90);
  EXPECT_GT(fired, runs_with_fault);
  SimWorld({.seed = 1}).Run([] {
    for (int i = 0; i < 100; ++i) EXPECT_FALSE(MR_FAULT_POINT("disk"));
  });
}

TEST(SimTest, SharedMutexLetsReadersInAndWritersFirst) {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    const SimResult r = SimWorld({.seed = seed}).Run([] {
      SharedMutex mu;
      int readers = 0;
      int most = 0;
      bool writing = false;
      std::vector<Thread> threads;
      for (int i = 0; i < 3; ++i) {
        threads.emplace_back("reader", [&] {
          for (int k = 0; k < 3; ++k) {
            ReaderLock lock(mu);
            EXPECT_FALSE(writing);
            most = std::max(most, ++readers);
            Yield();
            --readers;
          }
        });
      }
      threads.emplace_back("writer", [&] {
        for (int k = 0; k < 3; ++k) {
          WriterLock lock(mu);
          EXPECT_EQ(readers, 0);
          writing = true;
          Yield();
          writing = false;
        }
      });
      for (Thread& t : threads) t.Join();
    });
    ASSERT_TRUE(r.status.ok()) << r.Report();
  }
}

TEST(SimTest, LogLinesAreVirtual) {
  std::vector<std::string> lines;
  SetLogSink(
      [&](LogLevel, absl::string_view line) { lines.emplace_back(line); });
  for (int run = 0; run < 2; ++run) {
    SimWorld({}).Run([] {
      Thread t("t", [] { MR_LOG(Warning) << "hello"; });
      t.Join();
    });
  }
  SetLogSink(nullptr);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0], lines[1]);
  EXPECT_THAT(lines[0], HasSubstr(" 1 sim_test.cc:"));
}

TEST(SimTest, ManyWorldsAreCheap) {
  for (uint64_t seed = 1; seed <= 1000; ++seed) {
    const SimResult r = SimWorld({.seed = seed}).Run([] {
      std::vector<Thread> threads;
      for (int i = 0; i < 10; ++i) threads.emplace_back("t", [] { Yield(); });
      for (Thread& t : threads) t.Join();
    });
    ASSERT_TRUE(r.status.ok());
  }
}

}  // namespace
}  // namespace millrace
