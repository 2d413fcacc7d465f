#include "millrace/base/threads/thread.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "millrace/base/check.h"
#include "millrace/base/clock.h"
#include "millrace/base/log.h"
#include "millrace/base/threads/done.h"
#include "millrace/base/threads/wait.h"

namespace millrace {
namespace {

using ::testing::MatchesRegex;

TEST(MutexTest, Excludes) {
  Mutex mu;
  int count = 0;
  std::vector<Thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back("counter", [&] {
      for (int k = 0; k < 1000; ++k) {
        MutexLock lock(mu);
        ++count;
      }
    });
  }
  for (Thread& t : threads) t.Join();
  EXPECT_EQ(count, 4000);
}

TEST(MutexTest, TryLockAndWindows) {
  Mutex mu;
  ASSERT_TRUE(mu.TryLock());
  Thread("other", [&] { EXPECT_FALSE(mu.TryLock()); }).Join();
  mu.Unlock();
  MutexLock lock(mu);
  lock.Unlock();
  EXPECT_TRUE(mu.TryLock());
  mu.Unlock();
  lock.Lock();
  Thread("other", [&] { EXPECT_FALSE(mu.TryLock()); }).Join();
}

TEST(CondVarTest, WaitsAndTimesOut) {
  Mutex mu;
  CondVar cv;
  bool ready = false;
  Thread t("notifier", [&] {
    MutexLock lock(mu);
    ready = true;
    cv.NotifyOne();
  });
  {
    MutexLock lock(mu);
    while (!ready) cv.Wait(mu);
    const Deadline soon = Deadline::AfterMillis(2);
    while (!cv.WaitUntil(mu, soon)) {
    }
    EXPECT_TRUE(soon.expired());
  }
  t.Join();
}

TEST(SharedMutexTest, ManyReadersOneWriter) {
  SharedMutex mu;
  mu.LockShared();
  Thread("reader", [&] {
    EXPECT_TRUE(mu.TryLockShared());
    EXPECT_FALSE(mu.TryLock());
    mu.UnlockShared();
  }).Join();
  mu.UnlockShared();
  WriterLock lock(mu);
  Thread("reader", [&] { EXPECT_FALSE(mu.TryLockShared()); }).Join();
}

TEST(NotificationTest, MayDieRightAfterWait) {
  for (int i = 0; i < 200; ++i) {
    auto n = std::make_unique<Notification>();
    Thread t("notifier", [p = n.get()] { p->Notify(); });
    n->Wait();
    EXPECT_TRUE(n->HasBeenNotified());
    n = nullptr;
    t.Join();
  }
  Notification never;
  EXPECT_FALSE(never.WaitUntil(Deadline::AfterMillis(1)));
}

TEST(ThreadTest, HasAName) {
  EXPECT_EQ(CurrentThreadName(), "main");
  std::string name;
  int64_t id = 0;
  Thread t("a-rather-long-name-of-a-thread", [&] {
    name = CurrentThreadName();
    id = CurrentThreadId();
    char os_name[16];
    pthread_getname_np(pthread_self(), os_name, sizeof(os_name));
    EXPECT_STREQ(os_name, "a-rather-long-n");
  });
  t.Join();
  EXPECT_FALSE(t.joinable());
  EXPECT_EQ(name, "a-rather-long-name-of-a-thread");
  EXPECT_NE(id, CurrentThreadId());
}

TEST(ThreadDeathTest, MustBeJoined) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(Thread("lost", [] {}), "must be joined");
}

TEST(CheckDeathTest, SaysPlaceAndMessage) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  MR_CHECK(true);
  MR_CHECK(true, "not ", "built");
  EXPECT_DEATH(MR_CHECK(1 == 2, "got ", 7),
               "thread_test.cc.*Check failed: 1 == 2 got 7");
}

TEST(DoneDeathTest, CalledTwice) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        Done done([](Status) {});
        std::move(done)(OkStatus());
        std::move(done)(OkStatus());
      },
      "called twice");
}

TEST(DoneTest, DroppedIsAnErrorThatNamesThePlace) {
  Status seen;
  const auto take = [](Done) {};
  int line = __LINE__ + 2;
  {
    Done done([&](Status s) { seen = s; });
    Done moved = std::move(done);
    EXPECT_FALSE(done);
    EXPECT_TRUE(moved);
    EXPECT_TRUE(seen.ok());
  }
  EXPECT_EQ(seen, Internal("callback was dropped: thread_test.cc:", line));
  line = __LINE__ + 1;
  take([&](Status s) { seen = s; });
  EXPECT_EQ(seen, Internal("callback was dropped: thread_test.cc:", line));
}

TEST(WaitTest, ListsWhoWaits) {
  WaitScope outer("the mail");
  Thread t("waiter", [] {
    WaitScope inner("queue q1");
    const std::vector<WaitInfo> waits = ListWaits();
    ASSERT_EQ(waits.size(), 2u);
    EXPECT_EQ(waits[0].what, "the mail");
    EXPECT_EQ(waits[0].thread_name, "main");
    EXPECT_EQ(waits[1].what, "queue q1");
    EXPECT_EQ(waits[1].thread_name, "waiter");
    EXPECT_EQ(waits[1].thread_id, CurrentThreadId());
    EXPECT_GE(waits[1].since_nanos, waits[0].since_nanos);
  });
  t.Join();
  EXPECT_EQ(ListWaits().size(), 1u);
}

TEST(WaitTest, SaysHowManyAreMissing) {
  WaitScope wait("take from accumulator a", "gradient", 3);
  const auto what = [] { return ListWaits().back().what; };
  EXPECT_EQ(what(), "take from accumulator a: 3 gradients missing");
  Thread("other", [&] { wait.set_missing(1); }).Join();
  EXPECT_EQ(what(), "take from accumulator a: 1 gradient missing");
}

TEST(DeadlineTest, Values) {
  EXPECT_TRUE(Deadline().infinite());
  EXPECT_FALSE(Deadline::Infinite().expired());
  EXPECT_TRUE(Deadline::After(INT64_MAX).infinite());
  EXPECT_TRUE(Deadline::AfterMillis(INT64_MAX / 2).infinite());
  EXPECT_TRUE(Deadline::After(0).expired());
  EXPECT_EQ(Deadline::After(-5).remaining_nanos(), 0);
  const Deadline later = Deadline::AfterMillis(100'000);
  EXPECT_EQ(later.remaining_millis(), 100'000);
  EXPECT_EQ(Deadline::Min(later, Deadline::Infinite()), later);
  EXPECT_LT(Deadline::At(1), Deadline::At(2));
}

struct Named {
  std::string ToString() const { return "named"; }
};

TEST(LogTest, LineHasPrefixAndText) {
  std::vector<std::string> lines;
  SetLogSink(
      [&](LogLevel, absl::string_view line) { lines.emplace_back(line); });
  MR_LOG(Info) << "n=" << 3 << ' ' << true << " " << Named() << " "
               << InvalidArgument("bad") << " " << 0.5;
  SetLogLevel(LogLevel::kError);
  int evaluated = 0;
  MR_LOG(Warning) << ++evaluated;
  SetLogLevel(LogLevel::kInfo);
  SetLogSink(nullptr);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(evaluated, 0);
  EXPECT_THAT(lines[0],
              MatchesRegex("I[0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{6} "
                           "[0-9]+ thread_test.cc:[0-9]+\\] n=3 true named "
                           "INVALID_ARGUMENT: bad 0.5"));
}

TEST(LogTest, LimitedByTime) {
  int lines = 0;
  SetLogSink([&](LogLevel, absl::string_view) { ++lines; });
  for (int i = 0; i < 5; ++i) MR_LOG_EVERY_SECONDS(Error, 1000) << "once";
  SetLogSink(nullptr);
  EXPECT_LE(lines, 1);
  std::atomic<int64_t> next{0};
  EXPECT_TRUE(internal::LogDue(next, 1000));
  EXPECT_FALSE(internal::LogDue(next, 1000));
}

}  // namespace
}  // namespace millrace
