#include "millrace/train/estimator/estimator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "millrace/base/files/memory_files.h"
#include "millrace/checkpoint/checkpoint_reader.h"
#include "millrace/checkpoint/records/record_reader.h"
#include "millrace/client/default_tables.h"
#include "millrace/client/ops.h"
#include "millrace/cluster/server.h"
#include "millrace/rpc/loopback/loopback.h"
#include "millrace/train/global_step.h"
#include "millrace/train/input/input_producers.h"
#include "millrace/train/layers/dense.h"
#include "millrace/train/losses.h"
#include "millrace/train/optimizers/gradient_descent.h"
#include "millrace/train/optimizers/momentum.h"

namespace millrace::train {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// y = w x for x = 2. The label is 2, and each step halves the distance of w,
// which begins at 0, from 1: after n steps the loss is 4^(1 - n).
EstimatorSpec Halving(const ModelArguments& model) {
  const Scope& s = model.scope;
  const ops::Variable w = VariableScope(s).GetVariable(
      "w", TensorShape(), {.initializer = Zeros()});
  const Output y = ops::Mul(s, model.Feature("x"), w);
  if (model.mode == ModelMode::kPredict) {
    return {.predictions = {{"y", y}, {"twice", ops::Mul(s, y, 2.0f)}}};
  }
  const Output loss = MeanSquaredError(s, model.Label(), y);
  GradientDescentOptimizer rule(0.0625f);
  EstimatorSpec spec;
  spec.loss = loss;
  spec.train_op = rule.Minimize(s, loss, {.global_step = model.global_step});
  spec.eval_metric_ops["mean"] = Mean(VariableScope(s), y);
  return spec;
}

// Without end, or so many batches of two examples.
InputFunction Batches(std::optional<int64_t> count = std::nullopt) {
  return [count](const Scope& s, ModelMode mode) {
    const Output x = LimitEpochs(s, ops::Const(s, {2.0f, 2.0f}), count);
    EstimatorInput input;
    input.features["x"] = x;
    if (mode != ModelMode::kPredict)
      input.labels[""] = ops::Const(s, {2.0f, 2.0f});
    return input;
  };
}

RunConfig InMemory(MemoryFiles* files) {
  RunConfig config;
  config.model_dir = "/m";
  config.files = files;
  return config;
}

// All bytes of the event files of a folder.
std::string EventBytes(FileSystem* files, const std::string& directory) {
  std::string all;
  const auto paths =
      files->GetMatchingPaths(JoinPath(directory, "events.out.tfevents.*"));
  EXPECT_TRUE(paths.ok()) << paths.status();
  for (const std::string& path : *paths) {
    const auto file = files->NewRandomAccessFile(path);
    EXPECT_TRUE(file.ok()) << file.status();
    RecordReader reader(file->get());
    std::string record;
    while (reader.Read(&record).ok()) all += record;
  }
  return all;
}

TEST(Estimator, TrainsEvaluatesAndPredicts) {
  MemoryFiles files;
  Estimator estimator(Halving, InMemory(&files));
  const auto trained = estimator.Train(Batches(), {.steps = 3});
  ASSERT_TRUE(trained.ok()) << trained.status();
  EXPECT_EQ(trained->global_step, 3);
  EXPECT_EQ(trained->runs, 3);
  EXPECT_EQ(trained->checkpoint, "/m/model.ckpt-3");
  ASSERT_TRUE(trained->loss.has_value());

  const auto result = estimator.Evaluate(Batches(), {.steps = 2});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->global_step, 3);
  EXPECT_EQ(result->batches, 2);
  EXPECT_EQ(result->checkpoint, "/m/model.ckpt-3");
  EXPECT_EQ(result->Number("loss").value(), 4.0 / 64);
  EXPECT_EQ(result->Number("mean").value(), 2 * 0.875);
  EXPECT_EQ(result->Number("global_step").value(), 3);
  EXPECT_THAT(std::string(result->Number("accuracy").status().message()),
              HasSubstr("no metric 'accuracy', there are 'global_step', "
                        "'loss', 'mean'"));

  std::vector<float> seen;
  const Status predicted =
      estimator.Predict(Batches(2), [&](const NamedTensors& batch) {
        EXPECT_EQ(batch.size(), 2u);
        for (const float y : batch.at("y").flat<float>()) seen.push_back(y);
        return OkStatus();
      });
  EXPECT_TRUE(predicted.ok()) << predicted;
  EXPECT_THAT(seen, ElementsAre(1.75f, 1.75f, 1.75f, 1.75f));
}

TEST(Estimator, GoesOnFromItsFolder) {
  MemoryFiles files;
  for (const int64_t runs : {5, 0}) {
    Estimator estimator(Halving, InMemory(&files));
    const auto trained = estimator.Train(Batches(), {.max_steps = 5});
    ASSERT_TRUE(trained.ok()) << trained.status();
    EXPECT_EQ(trained->runs, runs);
    EXPECT_EQ(trained->global_step, 5);
  }
  Estimator estimator(Halving, InMemory(&files));
  for (const int64_t last : {7, 9}) {
    const auto trained = estimator.Train(Batches(), {.steps = 2});
    ASSERT_TRUE(trained.ok()) << trained.status();
    EXPECT_EQ(trained->runs, 2);
    EXPECT_EQ(trained->global_step, last);
  }
  EXPECT_EQ(estimator.Evaluate(Batches(), {.steps = 1})->Number("mean").value(),
            2 * (1 - std::pow(0.5, 9)));
  // Another checkpoint than the newest.
  const auto older = estimator.Evaluate(
      Batches(), {.steps = 1, .checkpoint = "/m/model.ckpt-5"});
  ASSERT_TRUE(older.ok()) << older.status();
  EXPECT_EQ(older->global_step, 5);
  EXPECT_EQ(older->Number("mean").value(), 2 * (1 - std::pow(0.5, 5)));
}

TEST(Estimator, TheInputMayEnd) {
  MemoryFiles files;
  RunConfig config = InMemory(&files);
  config.save_checkpoints_steps = 2;
  config.keep_checkpoint_max = 2;
  Estimator estimator(Halving, config);
  const auto trained = estimator.Train(Batches(5));
  ASSERT_TRUE(trained.ok()) << trained.status();
  EXPECT_EQ(trained->runs, 5);
  EXPECT_EQ(trained->global_step, 5);
  EXPECT_FALSE(files.Exists("/m/model.ckpt-2.index").ok());
  EXPECT_TRUE(files.Exists("/m/model.ckpt-4.index").ok());
  EXPECT_TRUE(files.Exists("/m/model.ckpt-5.index").ok());
  EXPECT_EQ(estimator.Evaluate(Batches(4))->batches, 4);
  const auto none = estimator.Train(Batches(0));
  EXPECT_EQ(none.status().code(), StatusCode::kInvalidArgument);
}

// A data set's iterator is begun by each session.
TEST(Estimator, InputsBegin) {
  MemoryFiles files;
  Estimator estimator(Halving, InMemory(&files));
  const auto rows = [](const Scope& s, ModelMode) {
    const std::vector<DataType> types = {DataType::kFloat};
    const std::vector<PartialShape> shapes = {PartialShape({2})};
    const Output data = ops::TensorSliceDataset(
        s, {ops::Const(s, {{2.0f, 2.0f}, {2.0f, 2.0f}, {2.0f, 2.0f}})}, shapes);
    const Output iterator = ops::IteratorV2(s, "rows", "", types, shapes);
    const Output x = ops::IteratorGetNext(s, iterator, types, shapes)[0];
    return EstimatorInput{
        .features = {{"x", x}},
        .labels = {{"y", x}},
        .initializers = {ops::MakeIterator(s, data, iterator)}};
  };
  for (const int64_t last : {3, 6}) {
    const auto trained = estimator.Train(rows);
    ASSERT_TRUE(trained.ok()) << trained.status();
    EXPECT_EQ(trained->global_step, last);
  }
  EXPECT_EQ(estimator.Evaluate(rows)->batches, 3);
}

TEST(Estimator, WritesEvents) {
  MemoryFiles files;
  RunConfig config = InMemory(&files);
  config.save_summary_steps = 2;
  config.log_step_count_steps = 2;
  const ModelFunction model = [](const ModelArguments& m) {
    EstimatorSpec spec = Halving(m);
    if (m.mode == ModelMode::kTrain) {
      m.scope.graph().AddToCollection(
          graph_keys::kSummaries,
          ops::ScalarSummary(m.scope, "my own", spec.loss));
    }
    spec.eval_metric_ops["pair"] = {ops::Const(m.scope, {1.0f, 2.0f}),
                                    ops::Const(m.scope, 0)};
    return spec;
  };
  Estimator estimator(model, config);
  ASSERT_TRUE(estimator.Train(Batches(), {.steps = 5}).ok());
  EXPECT_THAT(EventBytes(&files, "/m"),
              AllOf(HasSubstr("loss"), HasSubstr("my own"),
                    HasSubstr("global_step/sec"), HasSubstr("/m/model.ckpt-5"),
                    HasSubstr("GradientDescent")));
  ASSERT_TRUE(estimator.Evaluate(Batches(), {.steps = 1}).ok());
  ASSERT_TRUE(
      estimator.Evaluate(Batches(), {.steps = 1, .name = "other"}).ok());
  for (const char* directory : {"/m/eval", "/m/eval_other"}) {
    EXPECT_THAT(
        EventBytes(&files, directory),
        AllOf(HasSubstr("loss"), HasSubstr("mean"), HasSubstr("pair"),
              HasSubstr("checkpoint_path"), HasSubstr("/m/model.ckpt-5")));
  }
  EXPECT_THAT(EventBytes(&files, "/m/eval"), Not(HasSubstr("my own")));

  config.model_dir = "/quiet";
  config.save_summary_steps = 0;
  config.log_step_count_steps = 0;
  Estimator quiet(model, config);
  ASSERT_TRUE(quiet.Train(Batches(), {.steps = 2}).ok());
  EXPECT_THAT(EventBytes(&files, "/quiet"), Not(HasSubstr("global_step/sec")));
}

// Remembers the global steps of the runs that it sees.
class Watcher final : public SessionHook {
 public:
  Status AfterRun(HookContext& context) override {
    steps.push_back(context.global_step);
    EXPECT_EQ(ScalarValue(context.fetches[0]).value(),
              static_cast<double>(context.global_step));
    return OkStatus();
  }
  std::vector<int64_t> steps;
};

TEST(Estimator, Hooks) {
  MemoryFiles files;
  std::map<std::string, std::shared_ptr<Watcher>> own;
  const ModelFunction model = [&own](const ModelArguments& m) {
    EstimatorSpec spec = Halving(m);
    const auto add = [&](const char* name,
                         std::vector<std::shared_ptr<SessionHook>>* hooks) {
      own[name] = std::make_shared<Watcher>();
      hooks->push_back(own[name]);
    };
    add("train", &spec.training_hooks);
    add("chief", &spec.training_chief_hooks);
    add("eval", &spec.evaluation_hooks);
    add("predict", &spec.prediction_hooks);
    return spec;
  };
  Estimator estimator(model, InMemory(&files));
  Watcher given;
  ASSERT_TRUE(estimator.Train(Batches(), {.steps = 2, .hooks = {&given}}).ok());
  EXPECT_THAT(given.steps, ElementsAre(1, 2));
  EXPECT_THAT(own["train"]->steps, ElementsAre(1, 2));
  EXPECT_THAT(own["chief"]->steps, ElementsAre(1, 2));
  ASSERT_TRUE(
      estimator.Evaluate(Batches(3), {.steps = std::nullopt, .hooks = {&given}})
          .ok());
  EXPECT_THAT(given.steps, ElementsAre(1, 2, 2, 2, 2));
  EXPECT_THAT(own["eval"]->steps, ElementsAre(2, 2, 2));
  ASSERT_TRUE(estimator
                  .Predict(Batches(),
                           [](const NamedTensors&) { return OkStatus(); },
                           {.batches = 2})
                  .ok());
  EXPECT_THAT(own["predict"]->steps, ElementsAre(2, 2));
  // A hook may end a training; what the hooks had is saved.
  StopAtStepHook stop(4);
  const auto trained = estimator.Train(Batches(), {.hooks = {&stop}});
  ASSERT_TRUE(trained.ok()) << trained.status();
  EXPECT_EQ(trained->checkpoint, "/m/model.ckpt-4");
}

// The values of an evaluation stay on the server, and the next one begins with
// its own checkpoint all the same.
TEST(Estimator, EvaluatesOnAServer) {
  MemoryFiles files;
  const auto network = std::make_shared<LoopbackNetwork>();
  ServerOptions options;
  options.cluster = ClusterSpec::Parse("worker=127.0.0.1:1001").value();
  options.task = {.job = "worker", .index = 0};
  options.transport = network;
  options.ops = &DefaultOps();
  options.kernels = &DefaultKernels();
  options.files = &files;
  const auto server = Server::Start(options);
  ASSERT_TRUE(server.ok()) << server.status();
  RunConfig config = InMemory(&files);
  config.save_checkpoints_steps = 1;
  config.session.transport = network;
  config.place.evaluation_master = (*server)->target();
  Estimator estimator(Halving, config);
  ASSERT_TRUE(estimator.Train(Batches(), {.steps = 3}).ok());
  for (const int step : {3, 1, 2, 3}) {
    const auto result = estimator.Evaluate(
        Batches(),
        {.steps = 1, .checkpoint = absl::StrCat("/m/model.ckpt-", step)});
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(result->global_step, step);
    EXPECT_EQ(result->Number("mean").value(), 2 * (1 - std::pow(0.5, step)));
  }
  // Predictions are made in this process.
  (*server)->Stop(0);
  EXPECT_TRUE(estimator
                  .Predict(Batches(),
                           [](const NamedTensors&) { return OkStatus(); },
                           {.batches = 1})
                  .ok());
}

TEST(Estimator, DevicesAsTold) {
  MemoryFiles files;
  RunConfig config = InMemory(&files);
  std::vector<std::string> variables;
  config.device_function = [&variables](const Node& node) {
    if (node.op->name == "VariableV2") variables.push_back(node.name);
    return std::string("/device:CPU:0");
  };
  Estimator estimator(Halving, config);
  ASSERT_TRUE(estimator.Train(Batches(), {.steps = 1}).ok());
  EXPECT_THAT(variables,
              ElementsAre("global_step", "w", "mean/total", "mean/count"));
}

TEST(Estimator, OneSeedOneModel) {
  const auto loss = [](int64_t seed) {
    MemoryFiles files;
    RunConfig config = InMemory(&files);
    config.tf_random_seed = seed;
    Estimator estimator(
        [](const ModelArguments& m) {
          const Scope& s = m.scope;
          const Output x = ops::Reshape(s, m.Feature(), {-1, 1});
          const Output y = Dense(VariableScope(s), x, 1);
          EstimatorSpec spec;
          spec.loss =
              MeanSquaredError(s, ops::Reshape(s, m.Label(), {-1, 1}), y);
          MomentumOptimizer rule(0.01f, 0.5f);
          spec.train_op =
              rule.Minimize(s, spec.loss, {.global_step = m.global_step});
          return spec;
        },
        config);
    EXPECT_TRUE(estimator.Train(Batches(), {.steps = 1}).ok());
    const auto result = estimator.Evaluate(Batches(), {.steps = 1});
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? result->Number("loss").value() : -1;
  };
  EXPECT_EQ(loss(1), loss(1));
  EXPECT_NE(loss(1), loss(2));
}

TEST(Estimator, AStopEndsIt) {
  MemoryFiles files;
  Coordinator stop;
  RunConfig config = InMemory(&files);
  config.stop = &stop;
  Estimator estimator(Halving, config);
  struct : SessionHook {
    Status AfterRun(HookContext& context) override {
      if (context.global_step == 3) stop->RequestStop();
      return OkStatus();
    }
    Coordinator* stop = nullptr;
  } stopper;
  stopper.stop = &stop;
  const auto trained = estimator.Train(Batches(), {.hooks = {&stopper}});
  ASSERT_TRUE(trained.ok()) << trained.status();
  EXPECT_EQ(trained->global_step, 3);
  EXPECT_EQ(trained->checkpoint, "/m/model.ckpt-3");
  EXPECT_EQ(estimator.Evaluate(Batches(), {.steps = 1}).status().code(),
            StatusCode::kCancelled);
}

TEST(Estimator, TimesWithoutEnd) {
  MemoryFiles files;
  RunConfig config = InMemory(&files);
  config.save_checkpoints_steps = std::nullopt;
  for (const double forever :
       {std::numeric_limits<double>::infinity(), 1e300, 1e17}) {
    config.model_dir = absl::StrCat("/m/", forever);
    config.save_checkpoints_secs = forever;
    config.session_creation_timeout_secs = forever;
    config.max_worker_delay_secs = forever;
    // A session whose first attempt fails is made again.
    struct : SessionHook {
      Status AfterCreate(HookContext&) override {
        return ++sessions == 1 ? Unavailable("not yet") : OkStatus();
      }
      int sessions = 0;
    } hook;
    Estimator estimator(Halving, config);
    const auto trained =
        estimator.Train(Batches(), {.steps = 3, .hooks = {&hook}});
    ASSERT_TRUE(trained.ok()) << trained.status();
    EXPECT_EQ(trained->global_step, 3);
    EXPECT_EQ(hook.sessions, 2);
    EXPECT_FALSE(
        files.Exists(absl::StrCat(config.model_dir, "/model.ckpt-2.index"))
            .ok());
  }
}

TEST(Estimator, WhatIsNotANumberIsNotSaved) {
  MemoryFiles files;
  RunConfig config = InMemory(&files);
  config.save_checkpoints_steps = 1;
  Estimator estimator(Halving, config);
  const auto bad = [](const Scope& s, ModelMode mode) {
    EstimatorInput input = Batches()(s, mode);
    const Output step = ops::Cast(s, GetGlobalStep(s), DataType::kFloat);
    // 2 in the first three steps, then infinite.
    const Output x = ops::Select(s, ops::Less(s, step, 2.5f),
                                 ops::Const(s, 2.0f), ops::Const(s, INFINITY));
    input.features["x"] = ops::Reshape(s, x, {1});
    input.labels[""] = input.features["x"];
    return input;
  };
  const Status status = estimator.Train(bad, {.steps = 10}).status();
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition) << status;
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("NaN loss during training, at step"));
  EXPECT_EQ(estimator.NewestCheckpoint().value(), "/m/model.ckpt-3");
}

// What the model of `spec` gives in `mode`, as a message.
std::string MessageOf(const ModelFunction& model, ModelMode mode) {
  MemoryFiles files;
  Estimator good(Halving, InMemory(&files));
  EXPECT_TRUE(good.Train(Batches(), {.steps = 1}).ok());
  Estimator estimator(model, InMemory(&files));
  Status status;
  switch (mode) {
    case ModelMode::kTrain:
      status = estimator.Train(Batches(), {.steps = 1}).status();
      break;
    case ModelMode::kEvaluate:
      status = estimator.Evaluate(Batches(), {.steps = 1}).status();
      break;
    case ModelMode::kPredict:
      status = estimator.Predict(Batches(),
                                 [](const NamedTensors&) { return OkStatus(); },
                                 {.batches = 1});
      break;
  }
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << status;
  return std::string(status.message());
}

ModelFunction Changed(
    const std::function<void(const ModelArguments&, EstimatorSpec*)>& change) {
  return [change](const ModelArguments& m) {
    EstimatorSpec spec = Halving(m);
    change(m, &spec);
    return spec;
  };
}

TEST(Estimator, WhatAModeNeeds) {
  using Spec = EstimatorSpec;
  const auto no_loss =
      Changed([](const ModelArguments&, Spec* spec) { spec->loss = Output(); });
  EXPECT_THAT(MessageOf(no_loss, ModelMode::kTrain),
              HasSubstr("returned no loss, which training needs"));
  EXPECT_THAT(MessageOf(no_loss, ModelMode::kEvaluate),
              HasSubstr("returned no loss, which evaluation needs"));
  EXPECT_THAT(MessageOf(Changed([](const ModelArguments&, Spec* spec) {
                          spec->train_op = Operation();
                        }),
                        ModelMode::kTrain),
              HasSubstr("returned no train_op, which training needs"));
  EXPECT_THAT(MessageOf(Changed([](const ModelArguments&, Spec* spec) {
                          spec->predictions.clear();
                        }),
                        ModelMode::kPredict),
              HasSubstr("returned no predictions, which prediction needs"));
  EXPECT_THAT(MessageOf(Changed([](const ModelArguments& m, Spec* spec) {
                          spec->loss = ops::Const(m.scope, {1.0f, 2.0f});
                        }),
                        ModelMode::kEvaluate),
              HasSubstr("the loss has shape [2], expected one number"));
  EXPECT_THAT(MessageOf(Changed([](const ModelArguments& m, Spec* spec) {
                          spec->loss = ops::Const(m.scope, 1);
                        }),
                        ModelMode::kEvaluate),
              HasSubstr("the loss has type int32, expected a floating-point"));
  const Scope other = Scope::NewRoot();
  EXPECT_THAT(MessageOf(Changed([&other](const ModelArguments&, Spec* spec) {
                          spec->predictions["y"] = ops::Const(other, 1.0f);
                        }),
                        ModelMode::kPredict),
              HasSubstr("predictions['y'] is of another graph"));
  EXPECT_THAT(MessageOf(Changed([](const ModelArguments&, Spec* spec) {
                          spec->eval_metric_ops["loss"] =
                              spec->eval_metric_ops["mean"];
                        }),
                        ModelMode::kEvaluate),
              HasSubstr("eval_metric_ops has 'loss', which each evaluation "
                        "has by itself"));
  EXPECT_THAT(
      MessageOf(Changed([](const ModelArguments& m, Spec*) { m.Feature("z"); }),
                ModelMode::kTrain),
      AllOf(HasSubstr("the model: "),
            HasSubstr("the input has no feature 'z', expected one of "
                      "'x'")));
}

TEST(Estimator, Errors) {
  MemoryFiles files;
  Estimator estimator(Halving, InMemory(&files));
  const Status evaluated = estimator.Evaluate(Batches()).status();
  EXPECT_EQ(evaluated.code(), StatusCode::kNotFound);
  EXPECT_THAT(std::string(evaluated.message()),
              HasSubstr("no checkpoint to evaluate in /m"));
  const PredictionFunction nothing = [](const NamedTensors&) {
    return OkStatus();
  };
  const Status predicted = estimator.Predict(Batches(), nothing);
  EXPECT_EQ(predicted.code(), StatusCode::kNotFound);
  EXPECT_THAT(std::string(predicted.message()),
              HasSubstr("no checkpoint to predict from in /m"));
  const auto message = [](const Status& status) {
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << status;
    return std::string(status.message());
  };
  EXPECT_THAT(
      message(
          estimator.Train(Batches(), {.steps = 1, .max_steps = 2}).status()),
      HasSubstr("steps and max_steps are both set (1 and 2)"));
  EXPECT_THAT(message(estimator.Train(Batches(), {.steps = 0}).status()),
              HasSubstr("steps is 0, expected more than 0"));
  EXPECT_THAT(message(estimator.Train({}, {.steps = 1}).status()),
              HasSubstr("got an empty input function"));
  Estimator nowhere(Halving, {});
  EXPECT_THAT(message(nowhere.Train(Batches()).status()),
              HasSubstr("model_dir is empty"));

  ASSERT_TRUE(estimator.Train(Batches(), {.steps = 1}).ok());
  const Status missing =
      estimator.Evaluate(Batches(), {.checkpoint = "/m/model.ckpt-7"}).status();
  EXPECT_EQ(missing.code(), StatusCode::kNotFound) << missing;
  EXPECT_THAT(message(estimator.Predict(Batches(), {})),
              HasSubstr("nothing takes the predictions"));
  EXPECT_THAT(message(estimator.Predict(Batches(), nothing, {.keys = {"z"}})),
              HasSubstr("no prediction 'z', expected one of 'twice', 'y'"));
  // The function that takes predictions ends them, or fails.
  int calls = 0;
  EXPECT_TRUE(estimator
                  .Predict(Batches(),
                           [&](const NamedTensors& batch) {
                             EXPECT_EQ(batch.size(), 1u);
                             return ++calls < 3 ? OkStatus()
                                                : OutOfRange("enough");
                           },
                           {.keys = {"twice"}})
                  .ok());
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(estimator
                .Predict(Batches(),
                         [](const NamedTensors&) { return DataLoss("broken"); })
                .code(),
            StatusCode::kDataLoss);
}

}  // namespace
}  // namespace millrace::train
