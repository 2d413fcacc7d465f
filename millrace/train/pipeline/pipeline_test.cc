#include "millrace/train/pipeline/pipeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "millrace/train/layers/dense.h"
#include "millrace/train/losses.h"
#include "millrace/train/optimizers/gradient_descent.h"
#include "millrace/train/pipeline/pipeline_trace.h"
#include "millrace/train/pipeline/pipeline_training.h"
#include "millrace/train/replica_device_setter.h"
#include "millrace/train/testing/cpus_suite.h"

namespace millrace::train {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr double kPipelineRounding = 1e-5;
constexpr int kStages = 3;
constexpr int64_t kBatch = 8;

DenseOptions SeededLayer(int64_t seed) {
  return {.activation = ops::Tanh,
          .kernel_initializer = RandomNormal({.stddev = 0.5, .seed = seed}),
          .bias_initializer = RandomNormal({.stddev = 0.5, .seed = seed + 1})};
}

// The layers of the stages: words by rows of a table, which is trained
// sparsely; a layer; and one that also takes the number that the first one
// passes on, past the layer between.
using StageLayers = std::function<std::vector<Output>(
    const VariableScope& at, const std::vector<Output>& inputs)>;
std::vector<StageLayers> LayersOfStages() {
  return {
      [](const VariableScope& at, const std::vector<Output>& x) {
        const Output table = at.GetVariable(
            "table", TensorShape({5, 4}),
            {.initializer = RandomNormal({.stddev = 1, .seed = 1})});
        const Output rows = ops::GatherV2(at.scope(), table, x[0], 0);
        return std::vector<Output>{Dense(at, rows, 6, SeededLayer(2)), x[0]};
      },
      [](const VariableScope& at, const std::vector<Output>& x) {
        return std::vector<Output>{Dense(at, x[0], 6, SeededLayer(4)), x[1]};
      },
      [](const VariableScope& at, const std::vector<Output>& x) {
        const Output numbers = ops::ExpandDims(
            at.scope(), ops::Cast(at.scope(), x[1], DataType::kFloat), -1);
        return std::vector<Output>{
            ops::Mul(at.scope(), Dense(at, x[0], 3, SeededLayer(6)), numbers)};
      }};
}

std::vector<PipelineStage> Stages() {
  std::vector<PipelineStage> stages;
  for (const StageLayers& layers : LayersOfStages()) {
    stages.push_back({Cpus(kStages)[stages.size()], layers});
  }
  return stages;
}

Output Words(const Scope& s) {
  return ops::Const(s, std::vector<int32_t>{0, 1, 2, 3, 4, 0, 2, 1});
}

Output LossOf(const VariableScope& at, const std::vector<Output>& outputs,
              const std::vector<Output>& labels) {
  return MeanSquaredError(at.scope(), labels[0], outputs[0]);
}

// The same network without a pipeline, in the same block of variables.
std::vector<Output> WithoutPipeline(const VariableScope& v,
                                    const std::vector<Output>& inputs) {
  const VariableScope at = v.Sub("pipeline");
  std::vector<Output> x = inputs;
  for (const StageLayers& layers : LayersOfStages()) x = layers(at, x);
  return x;
}

// Checks that each stage did its tasks in their order, one after the other.
void CheckOrder(const PipelineTrace& trace, PipelineOrder order,
                int64_t micro_batches) {
  ASSERT_EQ(trace.stages.size(), static_cast<size_t>(kStages));
  for (size_t i = 0; i < trace.stages.size(); ++i) {
    std::vector<PipelineTask> tasks;
    int64_t end = 0;
    for (const StageTrace::Run& run : trace.stages[i].runs) {
      tasks.push_back(run.task);
      EXPECT_GE(run.start_nanos, end)
          << "task " << tasks.size() << " of stage " << i << " began too early";
      end = run.end_nanos;
    }
    EXPECT_EQ(tasks, TasksOfStage(order, static_cast<int64_t>(i), kStages,
                                  micro_batches));
  }
}

TEST(Pipelines, HaveTheValuesOfTheNetworkWithoutOne) {
  const Scope s = Scope::NewRoot();
  const VariableScope v(s);
  const Output expected = WithoutPipeline(v, {Words(s)})[0];
  ValuesOnCpus values(s, kStages);
  const Tensor whole = values.Of({expected})[0];
  for (const int64_t m : {1, 2, 4}) {
    const PipelineOutputs y = Pipeline(v.WithReuse(Reuse::kYes), Stages(),
                                       {Words(s)}, {.micro_batches = m});
    ASSERT_TRUE(y) << s.status();
    RunMetadata metadata;
    EXPECT_LT(Difference(whole, values.Of(y.outputs, &metadata)[0]),
              kPipelineRounding);
    const auto trace = TracePipeline(metadata.step_stats, y.block);
    ASSERT_TRUE(trace.ok()) << trace.status();
    for (const StageTrace& stage : trace->stages) {
      ASSERT_EQ(stage.runs.size(), static_cast<size_t>(m));
      for (size_t i = 0; i < stage.runs.size(); ++i) {
        EXPECT_EQ(stage.runs[i].task, (PipelineTask{PipelinePass::kForward,
                                                    static_cast<int64_t>(i)}));
        if (i == 0) continue;
        EXPECT_GE(stage.runs[i].start_nanos, stage.runs[i - 1].end_nanos);
      }
    }
    // Each stage is on its own device.
    for (int i = 0; i < kStages; ++i) {
      EXPECT_EQ(RunsOf(metadata, "MatMul", i), m);
    }
  }
}

struct TrainingForm {
  PipelineOrder order;
  int64_t micro_batches;
  bool use_resource;
};
class PipelineTrainings : public testing::TestWithParam<TrainingForm> {};
INSTANTIATE_TEST_SUITE_P(
    All, PipelineTrainings,
    testing::Values(TrainingForm{PipelineOrder::kForwardFirst, 1, false},
                    TrainingForm{PipelineOrder::kForwardFirst, 4, true},
                    TrainingForm{PipelineOrder::kAlternating, 2, true},
                    TrainingForm{PipelineOrder::kAlternating, 8, false}));

TEST_P(PipelineTrainings, TakeTheStepOfTheNetworkWithoutOne) {
  const TrainingForm& form = GetParam();
  std::vector<std::vector<Tensor>> trained;
  for (const bool is_pipeline : {false, true}) {
    const Scope s = Scope::NewRoot();
    const VariableScope v = VariableScope(s).WithResources(form.use_resource);
    const Output labels = Waves(s, {kBatch, 3});
    GradientDescentOptimizer rule(0.5);
    std::vector<GradientAndVariable> gradients;
    Output loss;
    PipelineTraining training;
    if (is_pipeline) {
      training = TrainingPipeline(
          v, Stages(), {Words(s)}, {labels}, LossOf,
          {.micro_batches = form.micro_batches, .order = form.order});
      ASSERT_TRUE(training) << s.status();
      loss = training.loss;
      gradients = training.gradients;
    } else {
      loss = LossOf(v, WithoutPipeline(v, {Words(s)}), {labels});
      gradients = rule.ComputeGradients(s, loss, {.gradients = {.gate = true}});
    }
    const std::vector<ops::Variable> variables = ops::TrainableVariables(s);
    ASSERT_EQ(variables.size(), 7u);
    EXPECT_EQ(variables[1].op_name(), "pipeline/dense/kernel");
    EXPECT_TRUE(gradients[0].gradient.is_slices());
    EXPECT_FALSE(gradients[1].gradient.is_slices());
    const Operation train_op = rule.ApplyGradients(s, gradients);
    ValuesOnCpus values(s, kStages);
    for (int step = 0; step < 2; ++step) values.Do(train_op);
    std::vector<Output> all = {loss};
    for (const ops::Variable& variable : variables) all.push_back(variable);
    trained.push_back(values.Of(all));
    if (!is_pipeline) continue;
    RunMetadata metadata;
    const Status traced = values.session().RunTargets(
        {train_op}, {.options = {.trace_level = TraceLevel::kFull},
                     .metadata = &metadata,
                     .cancel = nullptr});
    ASSERT_TRUE(traced.ok()) << traced;
    const auto trace = TracePipeline(metadata.step_stats, training.block);
    ASSERT_TRUE(trace.ok()) << trace.status();
    CheckOrder(*trace, form.order, form.micro_batches);
  }
  for (size_t i = 0; i < trained[0].size(); ++i) {
    EXPECT_LT(Difference(trained[0][i], trained[1][i]), kPipelineRounding)
        << "value " << i;
  }
}

// A variable that two stages use gets the gradients of both, and one of which
// the loss knows nothing gets none.
TEST(PipelineTraining, VariablesOfSeveralStages) {
  const Scope s = Scope::NewRoot();
  const VariableScope v(s);
  const auto layer = [](const VariableScope& at, const std::vector<Output>& x) {
    const Output w = at.WithReuse(Reuse::kAuto)
                         .GetVariable("tied", TensorShape({2, 2}),
                                      {.initializer = Constant(0.5)});
    return std::vector<Output>{ops::MatMul(at.scope(), x[0], w)};
  };
  const ops::Variable other(s.WithOpName("other"), Tensor::Scalar(1.0f));
  const Output x = Waves(s, {4, 2});
  const auto loss = [](const VariableScope& at,
                       const std::vector<Output>& outputs,
                       const std::vector<Output>& labels) {
    EXPECT_THAT(labels, IsEmpty());
    return ops::Mean(at.scope(), outputs[0], {0, 1});
  };
  const PipelineTraining training =
      TrainingPipeline(v, {{Cpus(2)[0], layer}, {Cpus(2)[1], layer}}, {x}, {},
                       loss, {.micro_batches = 2});
  ASSERT_TRUE(training) << s.status();
  ASSERT_EQ(training.gradients.size(), 2u);
  EXPECT_FALSE(training.gradients[0].gradient);
  const ops::Variable& tied = training.gradients[1].variable;
  const Output mean =
      ops::Mean(s, ops::MatMul(s, ops::MatMul(s, x, tied), tied), {0, 1});
  const Gradient expected = ops::Gradients(s, {mean}, {tied.handle()})[0];
  const std::vector<Tensor> values = ValuesOnCpus(s, 2).Of(
      {expected.tensor, training.gradients[1].gradient.tensor, mean,
       training.loss});
  EXPECT_LT(Difference(values[0], values[1]), kPipelineRounding);
  EXPECT_LT(Difference(values[2], values[3]), kPipelineRounding);
}

// Layers may place their variables on parameter servers, for several pipelines
// that share them.
TEST(PipelineTraining, VariablesOnParameterServers) {
  const Scope s = Scope::NewRoot();
  std::vector<PipelineStage> stages;
  for (int i = 0; i < 2; ++i) {
    const std::string worker = absl::StrCat("/job:worker/task:", i);
    const DeviceFunction setter =
        ReplicaDeviceSetter({.ps_tasks = 1, .worker_device = worker});
    stages.push_back(
        {worker,
         [setter](const VariableScope& at, const std::vector<Output>& x) {
           const Scope there = at.scope().WithDevice(setter);
           return std::vector<Output>{Dense(at.WithScope(there), x[0], 2)};
         }});
  }
  const PipelineTraining training =
      TrainingPipeline(VariableScope(s), stages, {Waves(s, {4, 2})}, {},
                       [](const VariableScope& at, const std::vector<Output>& y,
                          const std::vector<Output>&) {
                         return ops::Mean(at.scope(), y[0], {0, 1});
                       },
                       {.micro_batches = 2});
  ASSERT_TRUE(training) << s.status();
  for (const GradientAndVariable& pair : training.gradients) {
    EXPECT_EQ(pair.variable.op().device(), "/job:ps/task:0");
  }
  EXPECT_EQ(training.gradients.size(), 4u);
  EXPECT_EQ(
      s.graph().Find("pipeline/forward_1/stage_1/dense_1/MatMul").device(),
      "/job:worker/task:1");
  EXPECT_EQ(training.loss.op().device(), "/job:worker/task:1");
}

// Of each of the stages' errors one.
TEST(Pipelines, WhatIsRefused) {
  const auto error = [](const std::vector<PipelineStage>& stages,
                        const std::vector<int64_t>& shape, int64_t m) {
    const Scope s = Scope::NewRoot();
    const PipelineOutputs y = Pipeline(VariableScope(s), stages,
                                       {Waves(s, shape)}, {.micro_batches = m});
    EXPECT_FALSE(y);
    EXPECT_EQ(s.status().code(), StatusCode::kInvalidArgument);
    return std::string(s.status().message());
  };
  const PipelineStage pass{
      "", [](const VariableScope&, const std::vector<Output>& x) { return x; }};
  const PipelineStage nothing{
      "", [](const VariableScope&, const std::vector<Output>&) {
        return std::vector<Output>();
      }};
  EXPECT_THAT(error({}, {4}, 2), HasSubstr("at least one stage, got none"));
  EXPECT_THAT(error({pass, {}}, {4}, 2),
              HasSubstr("stage 1 has no function for its layers"));
  EXPECT_THAT(error({pass, nothing}, {4}, 2),
              HasSubstr("stage 1 of a pipeline should return at least one"));
  EXPECT_THAT(error({pass}, {10, 3}, 4),
              HasSubstr("a batch of 10 examples cannot be cut into 4"));
  EXPECT_THAT(error({pass}, {4}, 0),
              HasSubstr("got 1 tensors and 0 micro-batches"));
  EXPECT_THAT(error({pass}, {}, 1), HasSubstr("found the scalar"));
  const PipelineStage total{
      "", [](const VariableScope& at, const std::vector<Output>& x) {
        return std::vector<Output>{ops::Sum(at.scope(), x[0], {0})};
      }};
  EXPECT_THAT(error({total}, {4}, 2), HasSubstr("found the scalar"));
  const Scope s = Scope::NewRoot();
  EXPECT_FALSE(Pipeline(VariableScope(s), {pass}, {}));
  EXPECT_THAT(s.status().message(), HasSubstr("got 0 tensors"));
}

TEST(PipelineTraining, WhatIsRefused) {
  const auto error = [](const PipelineLoss& loss, bool has_variable) {
    const Scope s = Scope::NewRoot();
    const auto layers = [&](const VariableScope& at,
                            const std::vector<Output>& x) {
      if (!has_variable) return x;
      return std::vector<Output>{Dense(at, x[0], 2)};
    };
    EXPECT_FALSE(TrainingPipeline(VariableScope(s), {{"", layers}},
                                  {Waves(s, {4, 2})}, {}, loss,
                                  {.micro_batches = 2}));
    return std::string(s.status().message());
  };
  const auto outputs = [](const VariableScope&, const std::vector<Output>& y,
                          const std::vector<Output>&) { return y[0]; };
  const auto total = [](const VariableScope& at, const std::vector<Output>& y,
                        const std::vector<Output>&) {
    return ops::Sum(at.scope(), y[0], {0, 1});
  };
  const auto none = [](const VariableScope&, const std::vector<Output>&,
                       const std::vector<Output>&) { return Output(); };
  EXPECT_THAT(error({}, true), HasSubstr("a function for the loss, got none"));
  EXPECT_THAT(error(none, true), HasSubstr("the loss of a pipeline is null"));
  EXPECT_THAT(error(outputs, true), HasSubstr("and shape [2,2]"));
  EXPECT_THAT(error(total, false), HasSubstr("No variables to optimize"));
}

// The batch is known only when it is fed; one that does not fit fails the run.
TEST(Pipelines, OfBatchesWhoseSizeIsOpen) {
  const Scope s = Scope::NewRoot();
  const Output x =
      ops::Placeholder(s, DataType::kFloat, {.shape = PartialShape({-1, 2})});
  const PipelineOutputs y =
      Pipeline(VariableScope(s),
               {{"",
                 [](const VariableScope& at, const std::vector<Output>& in) {
                   return std::vector<Output>{ops::Neg(at.scope(), in[0])};
                 }}},
               {x}, {.micro_batches = 3});
  ASSERT_TRUE(y) << s.status();
  Session session(s);
  const auto run = [&](int64_t rows) {
    Tensor value = Tensor::New(DataType::kFloat, TensorShape({rows, 2}));
    for (float& number : value.mutable_flat<float>()) number = 1;
    return session.Run({{x, value}}, y.outputs);
  };
  const auto six = run(6);
  ASSERT_TRUE(six.ok()) << six.status();
  EXPECT_EQ((*six)[0].shape(), TensorShape({6, 2}));
  const auto five = run(5);
  EXPECT_EQ(five.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(FailedNode(five.status()), HasSubstr("micro_batches"));
}

}  // namespace
}  // namespace millrace::train
