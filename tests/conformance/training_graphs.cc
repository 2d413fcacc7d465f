// Rooms: train client session ops.grad ops.cpu ops.gpu ops.op
// The program behind test_training_graphs.py.
//
//   training_graphs FOLDER   writes, for each model, MODEL.graph (a GraphDef)
//                            and a line of models.txt: MODEL INIT TRAIN
//                            [FETCH]... ("-" for no op)
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "millrace/base/files/file.h"
#include "millrace/client/op_builder.h"
#include "millrace/client/ops.h"
#include "millrace/client/variables/embedding.h"
#include "millrace/client/variables/initializers.h"
#include "millrace/client/variables/partitioned_variable.h"
#include "millrace/client/variables/variable_scope.h"
#include "millrace/graph/graph_proto.h"
#include "millrace/train/global_step.h"
#include "millrace/train/layers/batch_normalization.h"
#include "millrace/train/layers/dropout.h"
#include "millrace/train/losses.h"
#include "millrace/train/metrics.h"
#include "millrace/train/optimizers/adadelta.h"
#include "millrace/train/optimizers/adagrad.h"
#include "millrace/train/optimizers/adagrad_da.h"
#include "millrace/train/optimizers/adam.h"
#include "millrace/train/optimizers/clip_gradients.h"
#include "millrace/train/optimizers/ftrl.h"
#include "millrace/train/optimizers/gradient_descent.h"
#include "millrace/train/optimizers/learning_rate_decay.h"
#include "millrace/train/optimizers/momentum.h"
#include "millrace/train/optimizers/moving_average.h"
#include "millrace/train/optimizers/proximal_adagrad.h"
#include "millrace/train/optimizers/proximal_gradient_descent.h"
#include "millrace/train/optimizers/rms_prop.h"
#include "millrace/train/rnn/basic_rnn_cell.h"
#include "millrace/train/rnn/dynamic_rnn.h"

namespace millrace {
namespace {

struct Model {
  Operation train;
  std::vector<Output> fetches;
};
using Build = std::function<Model(const Scope&)>;
struct Named {
  std::string name;
  Build build;
};

using MakeOptimizer =
    std::function<std::unique_ptr<train::Optimizer>(const ops::Variable& step)>;

// Half the sum of squares of a matrix, or of three of its rows.
Model Training(const Scope& s, const MakeOptimizer& make, bool use_resource,
               bool rows) {
  const ops::Variable step = train::CreateGlobalStep(s);
  const ops::Variable w(
      s.WithOpName("w"),
      ops::Const(s, {{3.0f, -2.0f}, {0.5f, 1.0f}, {-0.25f, 0.0f}}),
      {.use_resource = use_resource});
  Output x = w;
  const Output ids = ops::Const(s, {0, 2, 2});
  if (rows && use_resource) {
    OpBuilder gather(s, "ResourceGather");
    gather.In(w.handle()).In(ids).Attr("dtype", DataType::kFloat);
    x = gather.Finish().output(0);
  } else if (rows) {
    x = ops::GatherV2(s, w, ids, 0);
  }
  const Output loss = ops::Mul(s, ops::Sum(s, ops::Square(s, x), {0, 1}), 0.5f);
  return {make(step)->Minimize(s, loss, {.global_step = step}), {}};
}

std::vector<std::pair<std::string, MakeOptimizer>> Optimizers() {
  using ops::Variable;
  static constexpr double kRate = 0.25;
  return {
      {"GradientDescent",
       [](const Variable&) {
         return std::make_unique<train::GradientDescentOptimizer>(kRate);
       }},
      {"Momentum",
       [](const Variable&) {
         return std::make_unique<train::MomentumOptimizer>(kRate, 0.9);
       }},
      {"Adam",
       [](const Variable&) {
         return std::make_unique<train::AdamOptimizer>(kRate);
       }},
      {"Adagrad",
       [](const Variable&) {
         return std::make_unique<train::AdagradOptimizer>(kRate);
       }},
      {"AdagradDA",
       [](const Variable& step) {
         return std::make_unique<train::AdagradDAOptimizer>(
             kRate, step,
             train::AdagradDAOptimizerOptions{
                 .l1_regularization_strength = 0.1,
                 .l2_regularization_strength = 0.3});
       }},
      {"Adadelta",
       [](const Variable&) {
         return std::make_unique<train::AdadeltaOptimizer>(kRate);
       }},
      {"RMSProp",
       [](const Variable&) {
         return std::make_unique<train::RMSPropOptimizer>(
             kRate, train::RMSPropOptimizerOptions{.momentum = 0.5});
       }},
      {"CenteredRMSProp",
       [](const Variable&) {
         return std::make_unique<train::RMSPropOptimizer>(
             kRate,
             train::RMSPropOptimizerOptions{.momentum = 0.5, .centered = true});
       }},
      {"Ftrl",
       [](const Variable&) {
         return std::make_unique<train::FtrlOptimizer>(
             kRate,
             train::FtrlOptimizerOptions{.l1_regularization_strength = 0.1,
                                         .l2_regularization_strength = 0.3});
       }},
      {"FtrlWithShrinkage",
       [](const Variable&) {
         return std::make_unique<train::FtrlOptimizer>(
             kRate, train::FtrlOptimizerOptions{
                        .l2_shrinkage_regularization_strength = 0.2});
       }},
      {"ProximalAdagrad",
       [](const Variable&) {
         return std::make_unique<train::ProximalAdagradOptimizer>(
             kRate, train::ProximalAdagradOptimizerOptions{
                        .l1_regularization_strength = 0.1,
                        .l2_regularization_strength = 0.3});
       }},
      {"ProximalGradientDescent",
       [](const Variable&) {
         return std::make_unique<train::ProximalGradientDescentOptimizer>(
             kRate, train::ProximalGradientDescentOptimizerOptions{
                        .l1_regularization_strength = 0.1,
                        .l2_regularization_strength = 0.3});
       }},
  };
}

// Fetches in the order of the test's list.
Model Schedules(const Scope& s) {
  const Output step =
      ops::Placeholder(s.WithOpName("step"), DataType::kInt64,
                       {.shape = PartialShape(std::vector<int64_t>{})});
  const train::DecayOptions stairs = {.staircase = true};
  return {{},
          {train::ExponentialDecay(s, 0.5, step, 10, 0.9),
           train::ExponentialDecay(s, 0.5, step, 10, 0.9, stairs),
           train::NaturalExpDecay(s, 0.5, step, 10, 0.9),
           train::NaturalExpDecay(s, 0.5, step, 10, 0.9, stairs),
           train::InverseTimeDecay(s, 0.5, step, 10, 0.9),
           train::InverseTimeDecay(s, 0.5, step, 10, 0.9, stairs),
           train::PolynomialDecay(s, 0.5, step, 10,
                                  {.end_learning_rate = 0.1, .power = 2.0}),
           train::PolynomialDecay(s, 0.5, step, 10, {.cycle = true}),
           train::PiecewiseConstant(s, step, {3, 12}, {1.0, 0.5, 0.25}),
           train::CosineDecay(s, 0.5, step, 20, {.alpha = 0.1}),
           train::CosineDecayRestarts(s, 0.5, step, 10, {.m_mul = 0.5}),
           train::CosineDecayRestarts(s, 0.5, step, 10,
                                      {.t_mul = 1.0, .alpha = 0.1}),
           train::LinearCosineDecay(s, 0.5, step, 20),
           train::NoisyLinearCosineDecay(s, 0.5, step, 20, {.seed = 4})}};
}

Model Clips(const Scope& s) {
  const Output x = ops::Const(s, {{3.0f, -4.0f}, {0.0f, 1.0f}});
  const Output y = ops::Const(s, {2.0f, -12.0f});
  const auto global = train::ClipByGlobalNorm(s, {x, y}, 2.0);
  return {{},
          {train::ClipByValue(s, x, -1.0, 2.0).tensor,
           train::ClipByNorm(s, x, 2.0).tensor,
           train::ClipByNorm(s, x, 2.0, {.axes = {1}}).tensor,
           train::ClipByAverageNorm(s, x, 0.5).tensor, global.norm,
           global.gradients[0].tensor, global.gradients[1].tensor}};
}

// A variable that grows, averaged in three ways.
Model MovingAverages(const Scope& s) {
  const ops::Variable step = train::CreateGlobalStep(s);
  const ops::Variable w(s.WithOpName("w"), ops::Const(s, {1.0f, 10.0f}));
  const Output grown = w.AssignAdd(s, {1.0f, 2.0f});
  const Output count = step.AssignAdd(s, 1);
  const Scope after = s.WithControlDependencies({grown, count});
  train::ExponentialMovingAverage plain(0.9);
  train::ExponentialMovingAverage numbered(
      0.9, {.num_updates = count, .name = "Numbered"});
  train::ExponentialMovingAverage debiased(
      0.5, {.zero_debias = true, .name = "Debiased"});
  const Output tensor = ops::Mul(s.WithOpName("tensor"), grown, 2.0f);
  const Operation train =
      ops::Group(s, {plain.Apply(after), numbered.Apply(after),
                     debiased.ApplyToTensors(s, {tensor})});
  return {train, {}};
}

Model RandomValues(const Scope& s) {
  const std::pair<const char*, Initializer> list[] = {
      {"uniform", RandomUniform({.min = -0.5, .max = 2, .seed = 1})},
      {"normal", RandomNormal({.mean = 1, .stddev = 0.5, .seed = 2})},
      {"truncated", TruncatedNormal({.mean = 0, .stddev = 0.1, .seed = 3})},
      {"scaled",
       VarianceScaling(
           {.scale = 3, .mode = VarianceScalingMode::kFanOut, .seed = 4})},
      {"glorot_uniform", GlorotUniform({.seed = 5})},
      {"glorot_normal", GlorotNormal({.seed = 6})},
      {"he_normal", HeNormal({.seed = 7})},
      {"he_uniform", HeUniform({.seed = 8})},
      {"lecun_normal", LecunNormal({.seed = 9})},
      {"lecun_uniform", LecunUniform({.seed = 10})},
      {"orthogonal", Orthogonal({.gain = 1.5, .seed = 11})}};
  for (const auto& [name, initializer] : list) {
    ops::MakeVariable(s.WithOpName(name), TensorShape({3, 5, 4}),
                      DataType::kFloat, initializer);
    ops::MakeVariable(s.WithOpName(absl::StrCat(name, "_double")),
                      TensorShape({6, 7}), DataType::kDouble, initializer);
  }
  return {};
}

Model Embeddings(const Scope& s) {
  Model model;
  for (const auto strategy :
       {ops::PartitionStrategy::kMod, ops::PartitionStrategy::kDiv}) {
    const ops::PartitionedVariable table(
        s.WithOpName(strategy == ops::PartitionStrategy::kMod ? "mod" : "div"),
        TensorShape({7, 3}), DataType::kFloat,
        RandomNormal({.mean = 0, .stddev = 1, .seed = 1}),
        FixedSizePartitioner(3));
    const Output ids = ops::Const(s, {{6, 0, 3}, {3, 5, 4}});
    model.fetches.push_back(
        ops::EmbeddingLookup(s, table.parts(), ids, {.strategy = strategy}));
    model.fetches.push_back(ops::EmbeddingLookup(
        s, table.parts(), ids, {.strategy = strategy, .max_norm = 1}));
    const ops::SparseIds sparse = {
        ops::Reshape(
            s, ops::Const(s, Tensor::Vector<int64_t>({0, 0, 0, 1, 0, 2, 2, 0})),
            {4, 2}),
        ops::Const(s, Tensor::Vector<int64_t>({2, 5, 2, 1})),
        ops::Const(s, Tensor::Vector<int64_t>({3, 3}))};
    const Output weights = ops::Const(s, {1.0f, 2.0f, 3.0f, 0.5f});
    for (const auto combiner :
         {ops::EmbeddingCombiner::kSum, ops::EmbeddingCombiner::kMean,
          ops::EmbeddingCombiner::kSqrtN}) {
      for (const Output& weight : {Output(), weights}) {
        model.fetches.push_back(ops::EmbeddingLookupSparse(
            s, table.parts(), sparse,
            {.weights = weight, .combiner = combiner, .strategy = strategy}));
      }
    }
  }
  return model;
}

Model Losses(const Scope& s) {
  const Output y = ops::Const(s, {{0.0f, 1.0f}, {1.0f, 0.0f}, {0.0f, 1.0f}});
  const Output x =
      ops::Const(s, {{0.5f, 0.25f}, {1.0f, 3.0f}, {-2.0f, 0.125f}});
  const Output p = ops::Sigmoid(s, x);
  const Output each = ops::Const(s, {{1.0f}, {0.0f}, {2.0f}});
  const Output rows = ops::Const(s, {1.0f, 0.0f, 2.0f});
  Model model;
  using train::Reduction;
  for (const Reduction reduction :
       {Reduction::kNone, Reduction::kSum, Reduction::kMean,
        Reduction::kSumOverBatchSize, Reduction::kSumByNonzeroWeights}) {
    const train::LossOptions by_each = {.weights = each,
                                        .reduction = reduction};
    const train::LossOptions by_row = {.weights = rows, .reduction = reduction};
    for (const Output& loss :
         {train::AbsoluteDifference(s, y, x, by_each),
          train::MeanSquaredError(s, y, x, by_each),
          train::HuberLoss(
              s, y, x, {.delta = 1.5, .weights = each, .reduction = reduction}),
          train::HingeLoss(s, y, x, by_each),
          train::LogLoss(s, y, p, {.weights = each, .reduction = reduction}),
          train::CosineDistance(s, y, x, 1, by_each),
          train::SigmoidCrossEntropy(s, y, x,
                                     {.label_smoothing = 0.1,
                                     .weights = each,
                                     .reduction = reduction}),
          train::SoftmaxCrossEntropy(s, y, x,
                                     {.label_smoothing = 0.1,
                                     .weights = rows,
                                     .reduction = reduction}),
          train::SparseSoftmaxCrossEntropy(s, ops::Const(s, {1, 0, 1}), x,
                                           by_row)}) {
      model.fetches.push_back(loss);
    }
  }
  return model;
}

Model Metrics(const Scope& s) {
  const VariableScope v(s);
  const Output y = ops::Const(s, {true, false, true, true, false});
  const Output p = ops::Const(s, {0.75f, 0.25f, 0.5f, 0.25f, 0.625f});
  const Output w = ops::Const(s, {1.0f, 2.0f, 0.5f, 0.0f, 1.0f});
  const Output said = ops::Greater(s, p, 0.4f);
  std::vector<ControlInput> updates;
  Model model;
  for (const Output& weights : {Output(), w}) {
    for (const train::Metric& metric :
         {train::Mean(v, p, {.weights = weights}),
          train::Accuracy(v, y, said, {.weights = weights}),
          train::Precision(v, y, said, {.weights = weights}),
          train::Recall(v, y, said, {.weights = weights}),
          train::Auc(v, y, p, {.weights = weights}),
          train::Auc(v, y, p,
                     {.weights = weights,
                     .num_thresholds = 10,
                     .curve = train::AucCurve::kPr})}) {
      updates.push_back(metric.update);
      model.fetches.push_back(metric.value);
    }
  }
  model.train = ops::Group(s, updates);
  return model;
}

// What is left of 1, 2, 3, ..., and a batch normalization's averages.
Model Noise(const Scope& s) {
  const Output x =
      ops::Reshape(s, ops::Range(s, 1.0f, 121.0f, 1.0f), {2, 3, 4, 5});
  Model model;
  model.fetches = {train::Dropout(s, x, 0.4, {.seed = 5})};
  const VariableScope v(s);
  for (const bool fused : {true, false}) {
    model.fetches.push_back(
        train::BatchNormalization(v, x,
                                  {.momentum = 0.75,
                                   .training = true,
                                   .fused = fused,
                                   .name = fused ? "fused" : "composed"}));
  }
  model.train = ops::Group(s, train::UpdateOps(s));
  return model;
}

// A loop over sequences, of which the second ends first, and its gradient.
Model DynamicRnn(const Scope& s) {
  std::vector<float> kernel;
  for (int i = 0; i < 15; ++i)
    kernel.push_back(static_cast<float>(i % 7 - 3) / 4);
  const VariableScope v =
      VariableScope(s).WithInitializer(Constant(Tensor::Vector<float>(kernel)));
  const Output x =
      ops::Reshape(s, ops::Sin(s, ops::Range(s, 0.0f, 20.0f, 1.0f)), {2, 5, 2});
  train::BasicRnnCell cell(3);
  const train::DynamicRnnResult rnn =
      train::DynamicRnn(v, cell, x, {.sequence_length = ops::Const(s, {5, 3})});
  const Output loss =
      ops::AddV2(s, ops::Sum(s, ops::Square(s, rnn.outputs), {0, 1, 2}),
                 ops::Sum(s, rnn.state[0], {0, 1}));
  train::GradientDescentOptimizer rule(0.1);
  return {rule.Minimize(s, loss), {rnn.outputs, rnn.state[0]}};
}

std::vector<Named> Models() {
  std::vector<Named> models;
  for (const auto& [name, make] : Optimizers()) {
    for (const bool use_resource : {false, true}) {
      for (const bool rows : {false, true}) {
        models.push_back(
            {absl::StrCat(name, use_resource ? "_resource" : "_reference",
                          rows ? "_rows" : "_dense"),
             [=, make = make](const Scope& s) {
               return Training(s, make, use_resource, rows);
             }});
      }
    }
  }
  models.push_back({"schedules", Schedules});
  models.push_back({"clips", Clips});
  models.push_back({"moving_averages", MovingAverages});
  models.push_back({"random_values", RandomValues});
  models.push_back({"embeddings", Embeddings});
  models.push_back({"losses", Losses});
  models.push_back({"metrics", Metrics});
  models.push_back({"noise", Noise});
  models.push_back({"dynamic_rnn", DynamicRnn});
  return models;
}

Status Write(const std::string& folder, const Named& named, std::string* list) {
  const Scope s = Scope::NewRoot();
  const Model model = named.build(s);
  const Operation init = ops::Group(
      s.WithOpName("start"),
      {ops::GlobalVariablesInitializer(s), ops::LocalVariablesInitializer(s)});
  MR_RETURN_IF_ERROR(s.status());
  absl::StrAppend(list, named.name, " ", init.name(), " ",
                  model.train ? model.train.name() : "-");
  for (const Output& fetch : model.fetches) {
    absl::StrAppend(list, " ", fetch.name());
  }
  absl::StrAppend(list, "\n");
  return WriteStringToFile(PosixFiles(),
                           JoinPath(folder, named.name + ".graph"),
                           SerializeGraphDef(s.graph().Export()));
}

Status WriteAll(const std::string& folder) {
  std::string list;
  for (const Named& model : Models()) {
    const Status status = Write(folder, model, &list);
    if (!status.ok()) return Prefix(absl::StrCat(model.name, ": "), status);
  }
  return WriteStringToFile(PosixFiles(), JoinPath(folder, "models.txt"), list);
}

}  // namespace
}  // namespace millrace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const millrace::Status status = millrace::WriteAll(argv[1]);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
