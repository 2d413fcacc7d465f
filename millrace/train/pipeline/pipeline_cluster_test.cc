// Tests pipelines over the tasks of clusters within a simulation: in virtual
// time, each test from several seeds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "millrace/base/files/memory_files.h"
#include "millrace/base/sim/sim.h"
#include "millrace/client/default_tables.h"
#include "millrace/cluster/server.h"
#include "millrace/rpc/loopback/loopback.h"
#include "millrace/train/layers/dense.h"
#include "millrace/train/losses.h"
#include "millrace/train/optimizers/gradient_descent.h"
#include "millrace/train/pipeline/pipeline_training.h"
#include "millrace/train/testing/cpus_suite.h"

namespace millrace::train {
namespace {

using testing::AnyOf;
using testing::Eq;

constexpr uint64_t kPipelineSeeds = 8;
constexpr int kPipelineTasks = 3;

class StageTasks {
 public:
  StageTasks() {
    auto spec = ClusterSpec::Parse(
        "worker=127.0.0.1:1001,127.0.0.1:1002,127.0.0.1:1003");
    MR_CHECK(spec.ok(), spec.status().ToString());
    spec_ = *std::move(spec);
    for (int i = 0; i < kPipelineTasks; ++i) tasks_[i] = Start(i);
  }
  ~StageTasks() {
    for (std::unique_ptr<Server>& task : tasks_) task->Stop(0);
  }
  void Restart(int i) {
    tasks_[i]->Kill();
    tasks_[i]->Join();
    tasks_[i].reset();
    tasks_[i] = Start(i);
  }
  SessionOptions Master() const {
    return {.target = "grpc://127.0.0.1:1001", .transport = network_};
  }

 private:
  std::unique_ptr<Server> Start(int index) {
    ServerOptions options;
    options.cluster = spec_;
    options.task = {.job = "worker", .index = index};
    options.transport = network_;
    options.ops = &DefaultOps();
    options.kernels = &DefaultKernels();
    options.files = &files_;
    auto server = Server::Start(options);
    MR_CHECK(server.ok(), server.status().ToString());
    return *std::move(server);
  }
  MemoryFiles files_;
  std::shared_ptr<LoopbackNetwork> network_ =
      std::make_shared<LoopbackNetwork>();
  ClusterSpec spec_;
  std::unique_ptr<Server> tasks_[kPipelineTasks];
};

std::string TaskOf(int stage) {
  return absl::StrCat("/job:worker/task:", stage);
}

// Three dense layers, each on a task.
struct StagedNetwork {
  StagedNetwork(int64_t micro_batches, PipelineOrder order) {
    std::vector<PipelineStage> stages;
    for (int i = 0; i < kPipelineTasks; ++i) {
      stages.push_back({TaskOf(i), [i](const VariableScope& at,
                                       const std::vector<Output>& x) {
                          return std::vector<Output>{
                              Dense(at, x[0], 4,
                                    {.activation = ops::Tanh,
                                     .kernel_initializer = RandomNormal(
                                         {.stddev = 1, .seed = i + 1})})};
                        }});
    }
    const Scope first = s.WithDevice(TaskOf(0));
    training = TrainingPipeline(
        VariableScope(s), stages, {Waves(first, {8, 4})},
        {Waves(first, {8, 4})},
        [](const VariableScope& at, const std::vector<Output>& outputs,
           const std::vector<Output>& labels) {
          return MeanSquaredError(at.scope(), labels[0], outputs[0]);
        },
        {.micro_batches = micro_batches, .order = order});
    train_op = rule.ApplyGradients(s, training.gradients);
    init = ops::GlobalVariablesInitializer(s);
    MR_CHECK(s.ok(), s.status().ToString());
  }
  const Scope s = Scope::NewRoot();
  GradientDescentOptimizer rule{0.5};
  PipelineTraining training;
  Operation train_op;
  Operation init;
};

// Trains for three steps from the beginning.
void TrainThreeSteps(Session& session, const StagedNetwork& net, float* loss) {
  ASSERT_TRUE(session.RunTargets({net.init}).ok());
  for (int i = 0; i < 3; ++i) {
    const Status status = session.RunTargets({net.train_op});
    ASSERT_TRUE(status.ok()) << status;
  }
  const auto value = session.Run({net.training.loss});
  ASSERT_TRUE(value.ok()) << value.status();
  *loss = (*value)[0].scalar<float>();
}

void ForPipelineSeeds(const std::function<void()>& body) {
  DefaultOps();
  DefaultKernels();
  for (uint64_t seed = 1; seed <= kPipelineSeeds; ++seed) {
    SimWorld world({.seed = seed});
    const SimResult result = world.Run([&] { body(); });
    ASSERT_TRUE(result.status.ok()) << result.Report();
    ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
  }
}

TEST(PipelineOverTasks, TrainsAsOnOneMicroBatch) {
  ForPipelineSeeds([] {
    std::vector<float> losses;
    for (const int64_t m : {1, 4}) {
      for (const PipelineOrder order :
           {PipelineOrder::kForwardFirst, PipelineOrder::kAlternating}) {
        const StageTasks tasks;
        const StagedNetwork net(m, order);
        Session session(net.s, tasks.Master());
        losses.emplace_back();
        TrainThreeSteps(session, net, &losses.back());
        EXPECT_NEAR(losses.back(), losses[0], 1e-5);
        EXPECT_GT(losses.back(), 0);
      }
    }
  });
}

// The step fails on all stages when one is lost, and a new session goes on with
// the task that came back.
TEST(PipelineOverTasks, ALostStageEndsTheStep) {
  ForPipelineSeeds([] {
    StageTasks tasks;
    const StagedNetwork net(4, PipelineOrder::kAlternating);
    float first = 0;
    float again = -1;
    {
      Session session(net.s, tasks.Master());
      TrainThreeSteps(session, net, &first);
      tasks.Restart(1);
      const Status lost = session.RunTargets({net.train_op});
      EXPECT_THAT(lost.code(),
                  AnyOf(Eq(StatusCode::kAborted), Eq(StatusCode::kUnavailable)))
          << lost;
    }
    Session session(net.s, tasks.Master());
    // The variables of the stage that was lost have no values.
    EXPECT_EQ(session.RunTargets({net.train_op}).code(),
              StatusCode::kFailedPrecondition);
    TrainThreeSteps(session, net, &again);
    EXPECT_EQ(first, again);
  });
}

}  // namespace
}  // namespace millrace::train
