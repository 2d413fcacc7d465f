// Tests how parameter servers and the evaluator learn that a training is over,
// within a simulation.
#include "millrace/train/estimator/end_of_training.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "millrace/train/testing/estimator_tasks.h"

namespace millrace::train {
namespace {

using testing::AllOf;
using testing::Ge;
using testing::Le;

void ForEndSeeds(const std::function<void()>& body) {
  EXPECT_EQ(FirstFailure(kEstimatorSeeds, body,
                         [] { return testing::Test::HasFailure(); }),
            "");
}

// A ps and the tasks that tell it their end, without programs.
class EndOfPs {
 public:
  EndOfPs() : ps_(tasks_.Config(PsTask())) { StartServer(); }
  ~EndOfPs() { server_->Stop(0); }

  void StartServer() {
    auto server = StartTaskServer(ps_, {});
    MR_CHECK(server.ok(), server.status().ToString());
    server_ = *std::move(server);
  }
  void KillServer() {
    server_->Kill();
    server_->Join();
    server_.reset();
  }
  // Waits as the ps, for so many seconds at most, while `meanwhile` runs; no
  // value if it waits even then.
  std::optional<Status> Await(double seconds,
                              const std::function<void()>& meanwhile) {
    std::optional<Status> ended;
    Mutex mu;
    Coordinator stop;
    const int64_t begun = NowNanos();
    Thread ps("ps", [&] {
      const Status status = AwaitEnd(tasks_.Config(PsTask(), &stop));
      waited_seconds_ = static_cast<double>(NowNanos() - begun) * 1e-9;
      MutexLock lock(mu);
      ended = status;
    });
    meanwhile();
    SleepUntil(Deadline::AfterMillis(static_cast<int64_t>(seconds * 1000)));
    std::optional<Status> result;
    {
      MutexLock lock(mu);
      result = ended;
    }
    stop.RequestStop();
    ps.Join();
    return result;
  }
  // Of the last wait.
  double waited_seconds() const { return waited_seconds_; }
  void Say(const TaskName& task) { ReportEnd(tasks_.Config(task)); }
  void SayAll() {
    for (const TaskName& task : {ChiefTask(), FirstWorker(), SecondWorker()})
      Say(task);
  }

 private:
  EstimatorTasks tasks_{kUsualJobs};
  const RunConfig ps_;
  std::unique_ptr<Server> server_;
  double waited_seconds_ = 0;
};

TEST(AwaitEnd, LooksAgain) {
  ForEndSeeds([] {
    EndOfPs ps;
    const auto ended = ps.Await(5, [&ps] {
      SleepUntil(Deadline::AfterMillis(3'000));
      ps.KillServer();
      SleepUntil(Deadline::AfterMillis(60'000));
      ps.StartServer();
      ps.SayAll();
    });
    ASSERT_TRUE(ended.has_value());
    EXPECT_TRUE(ended->ok()) << *ended;
  });
  ForEndSeeds([] {
    EndOfPs ps;
    const auto ended = ps.Await(200, [&ps] { ps.KillServer(); });
    ASSERT_TRUE(ended.has_value());
    EXPECT_EQ(ended->code(), StatusCode::kUnavailable) << *ended;
    EXPECT_THAT(ps.waited_seconds(), AllOf(Ge(120), Le(140)));
    ps.StartServer();
  });
}

TEST(AwaitEnd, OfASecondTrainingOnTheServer) {
  ForEndSeeds([] {
    EndOfPs ps;
    const auto first = ps.Await(5, [&ps] { ps.SayAll(); });
    ASSERT_TRUE(first.has_value());
    EXPECT_TRUE(first->ok()) << *first;
    const auto none = ps.Await(60, [] {});
    EXPECT_FALSE(none.has_value()) << *none;
    const auto some = ps.Await(60, [&ps] { ps.Say(FirstWorker()); });
    EXPECT_FALSE(some.has_value()) << *some;
    const auto second = ps.Await(5, [&ps] { ps.SayAll(); });
    ASSERT_TRUE(second.has_value());
    EXPECT_TRUE(second->ok()) << *second;
  });
}

TEST(EndMarker, AnOldOneCountsLater) {
  ForEndSeeds([] {
    EstimatorTasks tasks(kUsualJobs);
    const RunConfig config = tasks.Config(EvaluatorTask());
    ASSERT_TRUE(DefaultFiles()->CreateDirRecursively("/model").ok());
    const EndMarker before(config);
    EXPECT_FALSE(before.IsThere());
    ASSERT_TRUE(before.Write("/model/model.ckpt-3").ok());
    EXPECT_TRUE(before.IsThere());
    SleepUntil(Deadline::AfterMillis(1'000));
    const EndMarker after(config);
    EXPECT_FALSE(after.IsThere());
    SleepUntil(Deadline::AfterMillis(120'000));
    EXPECT_TRUE(after.IsThere());
    EXPECT_TRUE(after.Remove().ok());
    EXPECT_TRUE(after.Remove().ok());
    EXPECT_FALSE(before.IsThere());
  });
}

}  // namespace
}  // namespace millrace::train
