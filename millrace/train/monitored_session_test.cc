#include "millrace/train/monitored_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "millrace/base/files/memory_files.h"
#include "millrace/client/default_tables.h"
#include "millrace/client/ops.h"
#include "millrace/cluster/server.h"
#include "millrace/rpc/loopback/loopback.h"
#include "millrace/train/global_step.h"
#include "millrace/train/input/input_producers.h"
#include "millrace/train/input/queue_runner.h"
#include "millrace/train/optimizers/gradient_descent.h"
#include "millrace/train/replica_device_setter.h"

namespace millrace::train {
namespace {

// A network of one weight, which each step decrements.
struct Model {
  explicit Model(const Scope& s) {
    step = CreateGlobalStep(s);
    w = ops::Variable(s.WithOpName("w"), Tensor::Scalar(100.0f));
    GradientDescentOptimizer optimizer(1.0f);
    const Operation op =
        optimizer.Minimize(s, ops::Identity(s, w), {.global_step = step});
    EXPECT_TRUE(s.ok()) << s.status();
    train = {op.output(0), w};
  }
  ops::Variable step;
  ops::Variable w;
  std::vector<Output> train;  // fetches of a step, the global step first
};

MonitoredCallable Training(MonitoredSession& session, const Model& model) {
  return session.Prepare({}, model.train, {}, {.step_fetch = 0});
}

MonitoredSessionOptions Options(FileSystem* files) {
  MonitoredSessionOptions options;
  options.session.files = files;
  options.checkpoint_dir = "/d";
  options.save_seconds = 0;
  options.saver.files = files;
  options.poll_ms = 10;
  return options;
}

TEST(MonitoredSession, TrainsSavesAndGoesOn) {
  MemoryFiles files;
  for (int64_t last : {5, 8}) {
    const Scope s = Scope::NewRoot();
    Model model(s);
    StopAtStepHook stop(last);
    MonitoredSessionOptions options = Options(&files);
    options.save_steps = 2;
    options.hooks = {&stop};
    MonitoredSession session(s, options);
    const MonitoredCallable train = Training(session, model);
    const Status started = session.Start();
    ASSERT_TRUE(started.ok()) << started;
    EXPECT_EQ(session.restored_from(), last == 5 ? "" : "/d/model.ckpt-5");
    while (!session.ShouldStop()) {
      auto out = train.Run();
      ASSERT_TRUE(out.ok()) << out.status();
    }
    EXPECT_EQ(session.global_step(), last);
    EXPECT_TRUE(session.Close().ok());
    EXPECT_EQ(*LatestCheckpoint(&files, "/d"),
              absl::StrCat("/d/model.ckpt-", last));
    EXPECT_EQ(train.Run().status().code(), StatusCode::kFailedPrecondition);
  }
}

TEST(MonitoredSession, OthersWaitForTheChief) {
  MemoryFiles files;
  const Scope s = Scope::NewRoot();
  Model model(s);
  MonitoredSessionOptions options = Options(&files);
  // A local session shares no variables: no other task ever initializes it.
  options.is_chief = [] { return false; };
  options.ready_timeout_ms = 30;
  MonitoredSession session(s, options);
  const Status status = session.Start();
  EXPECT_EQ(status.code(), StatusCode::kDeadlineExceeded);
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr("w"));
}

TEST(MonitoredSession, WhoWaitsMayBecomeChief) {
  MemoryFiles files;
  const Scope s = Scope::NewRoot();
  Model model(s);
  MonitoredSessionOptions options = Options(&files);
  int asked = 0;
  options.is_chief = [&asked] { return ++asked > 3; };
  MonitoredSession session(s, options);
  EXPECT_TRUE(session.Start().ok());
  EXPECT_EQ(*LatestCheckpoint(&files, "/d"), "/d/model.ckpt-0");
}

TEST(MonitoredSession, AStopEndsTheWait) {
  MemoryFiles files;
  const Scope s = Scope::NewRoot();
  Model model(s);
  Coordinator coordinator;
  MonitoredSessionOptions options = Options(&files);
  options.is_chief = [&coordinator] {
    coordinator.RequestStop();
    return false;
  };
  options.coordinator = &coordinator;
  MonitoredSession session(s, options);
  EXPECT_EQ(session.Start().code(), StatusCode::kCancelled);
}

// A cluster of a ps and a worker in this process.
class Cluster {
 public:
  Cluster() {
    auto spec = ClusterSpec::Parse("ps=127.0.0.1:1001;worker=127.0.0.1:1002");
    MR_CHECK(spec.ok(), spec.status().ToString());
    spec_ = *std::move(spec);
    ps_ = StartTask("ps");
    worker_ = StartTask("worker");
  }
  ~Cluster() {
    worker_->Stop(0);
    ps_->Stop(0);
  }
  void RestartPs() { Restart(ps_, "ps"); }
  // The sessions are lost, the variables are not.
  void RestartWorker() { Restart(worker_, "worker"); }
  SessionOptions Session() {
    return {.target = worker_->target(), .transport = network_};
  }
  MemoryFiles files;

 private:
  void Restart(std::unique_ptr<Server>& task, const std::string& job) {
    task->Kill();
    task->Join();
    task.reset();
    task = StartTask(job);
  }
  std::unique_ptr<Server> StartTask(const std::string& job) {
    ServerOptions options;
    options.cluster = spec_;
    options.task = {.job = job, .index = 0};
    options.transport = network_;
    options.ops = &DefaultOps();
    options.kernels = &DefaultKernels();
    options.files = &files;
    auto server = Server::Start(options);
    MR_CHECK(server.ok(), server.status().ToString());
    return *std::move(server);
  }
  std::shared_ptr<LoopbackNetwork> network_ =
      std::make_shared<LoopbackNetwork>();
  ClusterSpec spec_;
  std::unique_ptr<Server> ps_;
  std::unique_ptr<Server> worker_;
};

TEST(MonitoredSession, RecoversFromALostPs) {
  Cluster cluster;
  const Scope root = Scope::NewRoot();
  const Scope s = root.WithDevice(ReplicaDeviceSetter(
      {.ps_tasks = 1, .worker_device = "/job:worker/task:0"}));
  Model model(s);
  MonitoredSessionOptions options = Options(&cluster.files);
  options.session = cluster.Session();
  options.save_steps = 3;
  MonitoredSession session(root, options);
  const MonitoredCallable train = Training(session, model);
  const Status started = session.Start();
  ASSERT_TRUE(started.ok()) << started;
  for (int i = 0; i < 5; ++i) {
    auto out = train.Run();
    ASSERT_TRUE(out.ok()) << out.status();
  }
  EXPECT_EQ(session.global_step(), 5);
  cluster.RestartPs();
  // The checkpoint of step 3 and one step.
  auto out = train.Run();
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(session.global_step(), 4);
  EXPECT_EQ(session.recoveries(), 1);
  EXPECT_EQ(session.restored_from(), "/d/model.ckpt-3");
  const Status closed = session.Close();
  EXPECT_TRUE(closed.ok()) << closed;
  EXPECT_EQ(*LatestCheckpoint(&cluster.files, "/d"), "/d/model.ckpt-4");
}

// The model on a cluster, as a program that trains builds it.
struct Program {
  explicit Program(Cluster& cluster)
      : root(Scope::NewRoot()),
        model(root.WithDevice(ReplicaDeviceSetter(
            {.ps_tasks = 1, .worker_device = "/job:worker/task:0"}))),
        options(Options(&cluster.files)) {
    options.session = cluster.Session();
  }
  Scope root;
  Model model;
  MonitoredSessionOptions options;
};

void Train(const MonitoredCallable& run, int steps) {
  for (int i = 0; i < steps; ++i) {
    auto out = run.Run();
    ASSERT_TRUE(out.ok()) << out.status();
  }
}

// Makes the first write of a checkpoint whose name ends in `suffix` fail.
MemoryFiles::Fault UnavailableOnce(std::string suffix) {
  return [suffix = std::move(suffix), failed = false](
             FileOp op, const std::string& path) mutable {
    if (failed || op != FileOp::kOpenWrite ||
        path.find(suffix) == std::string::npos) {
      return OkStatus();
    }
    failed = true;
    return Unavailable("the disk is not there");
  };
}

TEST(MonitoredSession, CloseSavesTheEndOfALostSession) {
  Cluster cluster;
  Program program(cluster);
  program.options.save_steps = 5;
  StopAtStepHook stop(5);
  struct : SessionHook {
    Status AtEnd(HookContext&) override {
      ++ends;
      return OkStatus();
    }
    int ends = 0;
  } counter;
  program.options.hooks = {&stop, &counter};
  MonitoredSession session(program.root, program.options);
  const MonitoredCallable train = Training(session, program.model);
  ASSERT_TRUE(session.Start().ok());
  cluster.files.SetFault(UnavailableOnce("model.ckpt-5"));
  Train(train, 5);
  EXPECT_TRUE(session.ShouldStop());
  EXPECT_EQ(*LatestCheckpoint(&cluster.files, "/d"), "/d/model.ckpt-0");
  const Status closed = session.Close();
  EXPECT_TRUE(closed.ok()) << closed;
  EXPECT_EQ(*LatestCheckpoint(&cluster.files, "/d"), "/d/model.ckpt-5");
  EXPECT_EQ(counter.ends, 1);
}

TEST(MonitoredSession, CloseTellsThatTheEndIsLost) {
  MemoryFiles files;
  const Scope s = Scope::NewRoot();
  Model model(s);
  MonitoredSessionOptions options = Options(&files);
  options.save_steps = 5;
  StopAtStepHook stop(5);
  options.hooks = {&stop};
  MonitoredSession session(s, options);
  const MonitoredCallable train = Training(session, model);
  ASSERT_TRUE(session.Start().ok());
  files.SetFault(UnavailableOnce("model.ckpt-5"));
  Train(train, 5);
  // The values were those of the session in this process.
  const Status closed = session.Close();
  EXPECT_EQ(closed.code(), StatusCode::kDataLoss) << closed;
  EXPECT_THAT(std::string(closed.message()), testing::HasSubstr("step 5"));
  EXPECT_EQ(*LatestCheckpoint(&files, "/d"), "/d/model.ckpt-0");
}

TEST(MonitoredSession, CloseSavesWhatOutlivedASession) {
  Cluster cluster;
  Program program(cluster);
  MonitoredSession session(program.root, program.options);
  const MonitoredCallable train = Training(session, program.model);
  const MonitoredCallable read = session.Prepare({}, {program.model.w});
  ASSERT_TRUE(session.Start().ok());
  Train(train, 3);
  cluster.RestartWorker();
  ASSERT_TRUE(read.Run().ok());
  EXPECT_EQ(session.recoveries(), 1);
  EXPECT_EQ(session.restored_from(), "");
  const Status closed = session.Close();
  EXPECT_TRUE(closed.ok()) << closed;
  EXPECT_EQ(*LatestCheckpoint(&cluster.files, "/d"), "/d/model.ckpt-3");
}

TEST(MonitoredSession, ARecoveryWithoutACheckpointPutsNoneOff) {
  Cluster cluster;
  Program program(cluster);
  program.options.save_steps = 3;
  MonitoredSession session(program.root, program.options);
  const MonitoredCallable train = Training(session, program.model);
  ASSERT_TRUE(session.Start().ok());
  Train(train, 2);
  cluster.RestartWorker();
  Train(train, 1);
  EXPECT_EQ(session.recoveries(), 1);
  EXPECT_EQ(*LatestCheckpoint(&cluster.files, "/d"), "/d/model.ckpt-3");
}

TEST(MonitoredSession, SavesWhatAnEarlierProgramLeft) {
  Cluster cluster;
  {
    Program program(cluster);
    program.options.checkpoint_dir.clear();
    MonitoredSession session(program.root, program.options);
    const MonitoredCallable train = Training(session, program.model);
    ASSERT_TRUE(session.Start().ok());
    Train(train, 2);
  }
  Program program(cluster);
  MonitoredSession session(program.root, program.options);
  ASSERT_TRUE(session.Start().ok());
  EXPECT_EQ(*LatestCheckpoint(&cluster.files, "/d"), "/d/model.ckpt-2");
}

TEST(MonitoredSession, StartsOnce) {
  MemoryFiles files;
  const Scope s = Scope::NewRoot();
  Model model(s);
  const Queue queue = RangeInputProducer(s, 3, {.shuffle = false});
  model.train.push_back(queue.Dequeue(s)[0]);
  struct : SessionHook {
    Status AfterCreate(HookContext&) override {
      ++sessions;
      return OkStatus();
    }
    int sessions = 0;
  } counter;
  MonitoredSessionOptions options = Options(&files);
  options.hooks = {&counter};
  MonitoredSession session(s, options);
  const MonitoredCallable train = Training(session, model);
  ASSERT_TRUE(session.Start().ok());
  Train(train, 2);
  EXPECT_TRUE(session.Start().ok());
  EXPECT_EQ(counter.sessions, 1);
  Train(train, 1);
  EXPECT_EQ(session.global_step(), 3);
  const Status closed = session.Close();
  EXPECT_TRUE(closed.ok()) << closed;
  EXPECT_EQ(session.Start().code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(session.SaveNow().code(), StatusCode::kFailedPrecondition);
}

TEST(MonitoredSession, ACallableMayOutliveItsSession) {
  MemoryFiles files;
  const Scope s = Scope::NewRoot();
  Model model(s);
  MonitoredCallable train;
  EXPECT_EQ(train.Run().status().code(), StatusCode::kFailedPrecondition);
  {
    MonitoredSession session(s, Options(&files));
    ASSERT_TRUE(session.Start().ok());
    train = Training(session, model);
    ASSERT_TRUE(train.Run().ok());
  }
  EXPECT_EQ(train.Run().status().code(), StatusCode::kFailedPrecondition);
}

// The initializers have run by then, so every variable has a value.
TEST(MonitoredSession, ARestoreThatFailedIsDoneAgain) {
  Cluster cluster;
  const auto customize = [](Program& program) {
    program.options.save_steps = 3;
    program.options.saver.variables = {{"w", program.model.w},
                                       {"global_step", program.model.step}};
  };
  {
    Program program(cluster);
    customize(program);
    MonitoredSession session(program.root, program.options);
    const MonitoredCallable train = Training(session, program.model);
    ASSERT_TRUE(session.Start().ok());
    Train(train, 3);
  }
  const std::string data = "/d/model.ckpt-3.data-00000-of-00001";
  const std::string bytes = *ReadFileToString(&cluster.files, data);
  std::string damaged = bytes;
  damaged[0] ^= 1;
  ASSERT_TRUE(WriteStringToFile(&cluster.files, data, damaged).ok());
  cluster.RestartPs();
  Program program(cluster);
  customize(program);
  MonitoredSession session(program.root, program.options);
  const MonitoredCallable train = Training(session, program.model);
  EXPECT_EQ(session.Start().code(), StatusCode::kDataLoss);
  ASSERT_TRUE(WriteStringToFile(&cluster.files, data, bytes).ok());
  const Status started = session.Start();
  ASSERT_TRUE(started.ok()) << started;
  EXPECT_EQ(session.restored_from(), "/d/model.ckpt-3");
  EXPECT_EQ(session.global_step(), 3);
  auto out = train.Run();
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(session.recoveries(), 0);
  EXPECT_EQ(session.global_step(), 4);
}

TEST(MonitoredSession, RunsTheGraphsQueueRunners) {
  MemoryFiles files;
  const Scope s = Scope::NewRoot();
  Model model(s);
  const Queue queue =
      RangeInputProducer(s, 3, {.num_epochs = 2, .shuffle = false});
  model.train.push_back(queue.Dequeue(s)[0]);
  MonitoredSession session(s, Options(&files));
  const MonitoredCallable train = Training(session, model);
  const Status started = session.Start();
  ASSERT_TRUE(started.ok()) << started;
  std::vector<int32_t> seen;
  StatusOr<std::vector<Tensor>> out = std::vector<Tensor>();
  while ((out = train.Run()).ok()) {
    seen.push_back((*out)[2].scalar<int32_t>());
  }
  EXPECT_EQ(out.status().code(), StatusCode::kOutOfRange);
  EXPECT_THAT(seen, testing::ElementsAre(0, 1, 2, 0, 1, 2));
  EXPECT_FALSE(session.ShouldStop());
  const Status closed = session.Close();
  EXPECT_TRUE(closed.ok()) << closed;
}

TEST(MonitoredSession, AQueueRunnersErrorIsTheReason) {
  MemoryFiles files;
  const Scope s = Scope::NewRoot();
  Model model(s);
  const Output bad = ops::CheckNumerics(
      s, ops::Fill(s, {2}, std::numeric_limits<float>::infinity()), "broken");
  const Queue queue =
      InputProducer(s, bad, {.element_shape = PartialShape({})});
  model.train.push_back(queue.Dequeue(s)[0]);
  MonitoredSession session(s, Options(&files));
  const MonitoredCallable train = Training(session, model);
  ASSERT_TRUE(session.Start().ok());
  const Status status = train.Run().status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr("broken"));
  EXPECT_TRUE(session.ShouldStop());
  EXPECT_EQ(session.Close().code(), StatusCode::kInvalidArgument);
}

TEST(MonitoredSession, AStopEndsARunThatWaitsForAQueue) {
  MemoryFiles files;
  const Scope s = Scope::NewRoot();
  Model model(s);
  // No example is enqueued in the first queue, so the runner of the second
  // waits, too.
  const FIFOQueue first(s, {DataType::kFloat});
  const FIFOQueue second(s, {DataType::kFloat});
  AddQueueRunner(s,
                 QueueRunner(s, second, {second.Enqueue(s, first.Dequeue(s))}));
  model.train.push_back(second.Dequeue(s)[0]);
  Coordinator coordinator;
  MonitoredSessionOptions options = Options(&files);
  options.coordinator = &coordinator;
  MonitoredSession session(s, options);
  const MonitoredCallable train = Training(session, model);
  ASSERT_TRUE(session.Start().ok());
  Thread stopper("stopper", [&] { coordinator.RequestStop(); });
  EXPECT_EQ(train.Run().status().code(), StatusCode::kOutOfRange);
  stopper.Join();
  const Status closed = session.Close();
  EXPECT_TRUE(closed.ok()) << closed;
}

TEST(MonitoredSession, QueuesGoOnAfterALostPs) {
  Cluster cluster;
  const Scope root = Scope::NewRoot();
  const Scope s = root.WithDevice(ReplicaDeviceSetter(
      {.ps_tasks = 1, .worker_device = "/job:worker/task:0"}));
  Model model(s);
  const Queue queue = RangeInputProducer(root.WithDevice("/job:worker/task:0"),
                                         3, {.shuffle = false});
  model.train.push_back(queue.Dequeue(s)[0]);
  MonitoredSessionOptions options = Options(&cluster.files);
  options.session = cluster.Session();
  options.save_steps = 1;
  MonitoredSession session(root, options);
  const MonitoredCallable train = Training(session, model);
  ASSERT_TRUE(session.Start().ok());
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(train.Run().ok());
  cluster.RestartPs();
  for (int i = 0; i < 4; ++i) {
    auto out = train.Run();
    ASSERT_TRUE(out.ok()) << out.status();
  }
  EXPECT_EQ(session.recoveries(), 1);
  EXPECT_EQ(session.global_step(), 8);
  const Status closed = session.Close();
  EXPECT_TRUE(closed.ok()) << closed;
}

}  // namespace
}  // namespace millrace::train
