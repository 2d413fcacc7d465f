// Tests hooks, and what a monitored session does for them.
#include "millrace/train/session_hook.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "millrace/base/files/memory_files.h"
#include "millrace/client/ops.h"
#include "millrace/train/global_step.h"
#include "millrace/train/monitored_session.h"
#include "millrace/train/optimizers/gradient_descent.h"

namespace millrace::train {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

// A weight of 100 that each step decrements; steps, the weight after them, and
// what `hooks` make of them.
class Hooked {
 public:
  Hooked(MemoryFiles* files, std::vector<SessionHook*> hooks,
         MonitoredSessionOptions options = {})
      : step_(CreateGlobalStep(s_)),
        w_(s_.WithOpName("w"), Tensor::Scalar(100.0f)) {
    GradientDescentOptimizer rule(1.0f);
    const Operation op =
        rule.Minimize(s_, ops::Identity(s_, w_), {.global_step = step_});
    EXPECT_TRUE(s_.ok()) << s_.status();
    options.session.files = files;
    options.saver.files = files;
    options.save_seconds = 0;
    options.hooks = std::move(hooks);
    train_ = {op.output(0), w_.Read(s_.WithControlDependencies({op}))};
    options_ = std::move(options);
  }

  MonitoredSession& Start() {
    session_.emplace(s_, options_);
    run_ = session_->Prepare({}, train_, {}, {.step_fetch = 0});
    read_ = session_->Prepare({}, {w_});
    const Status started = session_->Start();
    EXPECT_TRUE(started.ok()) << started;
    return *session_;
  }
  // Returns the status of the first run that fails, OK after a stop.
  Status RunUntilStop(int at_most = 100) {
    for (int i = 0; i < at_most && !session_->ShouldStop(); ++i)
      MR_RETURN_IF_ERROR(run_.Run().status());
    return OkStatus();
  }
  float Weight() const { return (*read_.Run())[0].scalar<float>(); }
  const Scope& scope() const { return s_; }

 private:
  const Scope s_ = Scope::NewRoot();
  ops::Variable step_;
  ops::Variable w_;
  std::vector<Output> train_;
  MonitoredSessionOptions options_;
  std::optional<MonitoredSession> session_;
  MonitoredCallable run_;
  MonitoredCallable read_;
};

class Saves final : public SessionHook {
 public:
  Status AfterSave(HookContext& context,
                   const std::string& checkpoint) override {
    checkpoints.push_back(checkpoint);
    steps.push_back(context.global_step);
    return result;
  }
  std::vector<std::string> checkpoints;
  std::vector<int64_t> steps;
  Status result;
};

TEST(SessionHook, HearsOfCheckpoints) {
  MemoryFiles files;
  Saves saves;
  StopAtStepHook stop(5);
  Hooked hooked(&files, {&saves, &stop},
                {.checkpoint_dir = "/d", .save_steps = 2});
  MonitoredSession& session = hooked.Start();
  EXPECT_TRUE(saves.checkpoints.empty());  // the first one is not told
  EXPECT_TRUE(hooked.RunUntilStop().ok());
  ASSERT_TRUE(session.Close().ok());
  EXPECT_THAT(
      saves.checkpoints,
      ElementsAre("/d/model.ckpt-2", "/d/model.ckpt-4", "/d/model.ckpt-5"));
  EXPECT_THAT(saves.steps, ElementsAre(2, 4, 5));
}

TEST(SessionHook, AnErrorAfterACheckpointEndsTheRun) {
  MemoryFiles files;
  Saves saves;
  saves.result = DataLoss("not evaluated");
  Hooked hooked(&files, {&saves}, {.checkpoint_dir = "/d", .save_steps = 2});
  MonitoredSession& session = hooked.Start();
  EXPECT_EQ(hooked.RunUntilStop().code(), StatusCode::kDataLoss);
  EXPECT_EQ(session.SaveNow().code(), StatusCode::kDataLoss);
  EXPECT_EQ(saves.checkpoints.size(), 2u);
  EXPECT_TRUE(session.CloseWithoutSaving().ok());
}

// The session is not lost with what a hook does beside it.
TEST(SessionHook, ALossAfterACheckpointIsNotTheSessions) {
  for (const bool at_end : {false, true}) {
    MemoryFiles files;
    Saves saves;
    saves.result = Unavailable("no evaluation");
    StopAtStepHook stop(3);
    Hooked hooked(
        &files, {&saves, &stop},
        {.checkpoint_dir = "/d", .save_steps = at_end ? int64_t{100} : 2});
    MonitoredSession& session = hooked.Start();
    const Status ran = hooked.RunUntilStop();
    if (at_end) {
      ASSERT_TRUE(ran.ok()) << ran;
    }
    const Status failed = at_end ? session.Close() : ran;
    EXPECT_EQ(failed.code(), StatusCode::kUnavailable) << failed;
    EXPECT_THAT(std::string(failed.message()), HasSubstr("no evaluation"));
    EXPECT_EQ(saves.checkpoints.size(), 1u);
    EXPECT_EQ(session.global_step(), at_end ? 3 : 2);
    saves.result = OkStatus();
    EXPECT_TRUE(session.SaveNow().ok() || at_end);
    EXPECT_TRUE(session.CloseWithoutSaving().ok());
    EXPECT_EQ(session.recoveries(), 0);
  }
}

// Only a run that finds no more input is the end of it.
TEST(SessionHook, NoHookEndsTheInput) {
  for (const Status& result :
       {OutOfRange("of its own"), Cancelled("of its own")}) {
    MemoryFiles files;
    Saves saves;
    saves.result = result;
    Hooked saved(&files, {&saves}, {.checkpoint_dir = "/d", .save_steps = 2});
    saved.Start();
    const Status after_save = saved.RunUntilStop();
    EXPECT_EQ(after_save.code(), StatusCode::kInternal) << after_save;
    EXPECT_THAT(std::string(after_save.message()),
                AllOf(HasSubstr("a hook's AfterSave of /d/model.ckpt-2"),
                      HasSubstr("of its own")));
  }
  struct : SessionHook {
    Status AfterRun(HookContext&) override { return OutOfRange("its own"); }
  } hook;
  MemoryFiles files;
  Hooked run(&files, {&hook}, {.checkpoint_dir = "/d"});
  run.Start();
  const Status after_run = run.RunUntilStop();
  EXPECT_EQ(after_run.code(), StatusCode::kInternal) << after_run;
  EXPECT_THAT(std::string(after_run.message()),
              HasSubstr("a hook's AfterRun of step 1"));
}

TEST(SessionHook, StopsAfterSteps) {
  MemoryFiles files;
  for (const int64_t last : {3, 6}) {
    StopAfterStepsHook stop(3);
    Hooked hooked(&files, {&stop}, {.checkpoint_dir = "/d"});
    MonitoredSession& session = hooked.Start();
    EXPECT_TRUE(hooked.RunUntilStop().ok());
    EXPECT_EQ(session.global_step(), last);
    EXPECT_TRUE(session.Close().ok());
  }
}

TEST(SessionHook, NotANumber) {
  MemoryFiles files;
  const Scope s = Scope::NewRoot();
  Session session(s, {.files = &files});
  Coordinator coordinator;
  const auto status = [&](const Tensor& loss, size_t fetch) {
    const std::vector<Tensor> fetches = {Tensor::Scalar(int64_t{7}), loss};
    HookContext context{.session = session,
                        .coordinator = coordinator,
                        .global_step = 7,
                        .fetches = fetches};
    return NanHook(fetch, "loss").AfterRun(context);
  };
  EXPECT_TRUE(status(Tensor::Scalar(1.0f), 1).ok());
  EXPECT_TRUE(status(Tensor::Scalar(INFINITY), 1).ok());
  const Status nan = status(Tensor::Scalar(std::nan("")), 1);
  EXPECT_EQ(nan.code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(nan.message()),
              HasSubstr("NaN loss during training, at step 7"));
  EXPECT_THAT(std::string(status(Tensor::Scalar(1.0f), 2).message()),
              HasSubstr("the run gives no fetch 2 for the loss, it has 2"));
}

TEST(MonitoredSession, MayCloseWithoutSaving) {
  MemoryFiles files;
  struct : SessionHook {
    Status AtEnd(HookContext&) override {
      ++ends;
      return OkStatus();
    }
    int ends = 0;
  } ends;
  Hooked hooked(&files, {&ends}, {.checkpoint_dir = "/d"});
  MonitoredSession& session = hooked.Start();
  EXPECT_TRUE(hooked.RunUntilStop(3).ok());
  EXPECT_TRUE(session.CloseWithoutSaving().ok());
  EXPECT_EQ(ends.ends, 1);
  EXPECT_TRUE(session.Close().ok());
  EXPECT_EQ(ends.ends, 1);
  EXPECT_EQ(*LatestCheckpoint(&files, "/d"), "/d/model.ckpt-0");
}

TEST(MonitoredSession, BeginsWithTheCheckpointThatIsAsked) {
  MemoryFiles files;
  {
    StopAtStepHook stop(5);
    Hooked hooked(&files, {&stop}, {.checkpoint_dir = "/d", .save_steps = 2});
    MonitoredSession& session = hooked.Start();
    EXPECT_TRUE(hooked.RunUntilStop().ok());
    ASSERT_TRUE(session.Close().ok());
  }
  Saves saves;
  Hooked hooked(&files, {&saves},
                {.restore_from = "/d/model.ckpt-2", .save_steps = 1});
  MonitoredSession& session = hooked.Start();
  EXPECT_EQ(session.restored_from(), "/d/model.ckpt-2");
  EXPECT_EQ(session.global_step(), 2);
  EXPECT_EQ(hooked.Weight(), 98);
  // Nothing is saved.
  EXPECT_TRUE(hooked.RunUntilStop(2).ok());
  EXPECT_TRUE(session.Close().ok());
  EXPECT_TRUE(saves.checkpoints.empty());
  EXPECT_EQ(*LatestCheckpoint(&files, "/d"), "/d/model.ckpt-5");

  const Scope s = Scope::NewRoot();
  CreateGlobalStep(s);
  MonitoredSession missing(s, {.session = {.files = &files},
                               .restore_from = "/d/model.ckpt-9",
                               .saver = {.files = &files}});
  EXPECT_EQ(missing.Start().code(), StatusCode::kNotFound);
}

// Each session begins tables and iterators.
TEST(MonitoredSession, RunsTheInitializersOfTables) {
  MemoryFiles files;
  const Scope s = Scope::NewRoot();
  CreateGlobalStep(s);
  const std::vector<DataType> types = {DataType::kInt64};
  const std::vector<PartialShape> shapes = {PartialShape({})};
  const Output data =
      ops::RangeDataset(s, ops::Const(s, int64_t{3}), ops::Const(s, int64_t{9}),
                        ops::Const(s, int64_t{1}), types, shapes);
  const Output iterator = ops::IteratorV2(s, "numbers", "", types, shapes);
  s.graph().AddToCollection(graph_keys::kTableInitializers,
                            ops::MakeIterator(s, data, iterator));
  const Output next = ops::IteratorGetNext(s, iterator, types, shapes)[0];
  MonitoredSession session(s, {.session = {.files = &files}});
  const MonitoredCallable run = session.Prepare({}, {next});
  ASSERT_TRUE(session.Start().ok());
  for (const int64_t value : {3, 4}) {
    const auto out = run.Run();
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ((*out)[0].scalar<int64_t>(), value);
  }
}

}  // namespace
}  // namespace millrace::train
