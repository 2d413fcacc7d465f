// A recurrent network that tells whether the numbers of a sequence sum to more
// than 0: trained and evaluated by this process, or by the tasks of the cluster
// that TF_CONFIG names, each of which runs this program.
#include <cstdio>
#include <string>

#include "millrace/millrace.h"

using namespace millrace;

constexpr int32_t kLongest = 10;

// Batches of 64 sequences of 1 to 10 numbers, without end.
train::EstimatorInput Sequences(const Scope& s, train::ModelMode /*mode*/) {
  const Output length = ops::RandomUniformInt(s, {64}, 1, kLongest + 1);
  const Output is_inside = ops::Cast(s,
                                     ops::Less(s, ops::Range(s, 0, kLongest, 1),
                                               ops::ExpandDims(s, length, 1)),
                                     DataType::kFloat);
  const Output numbers =
      ops::RandomUniform(s, {64, kLongest}, DataType::kFloat);
  const Output x = ops::Mul(s, ops::Sub(s, numbers, 0.5f), is_inside);
  const Output is_positive = ops::Greater(s, ops::Sum(s, x, {1}), 0.0f);
  return {.features = {{"x", ops::ExpandDims(s, x, 2)}, {"length", length}},
          .labels = {{"y", ops::Cast(s, is_positive, DataType::kFloat)}}};
}

// The same function builds the model for training, evaluation and prediction.
train::EstimatorSpec Network(const train::ModelArguments& model) {
  const Scope& s = model.scope;
  const VariableScope variables(s);
  train::GruCell cell(16);
  const train::DynamicRnnResult rnn =
      train::DynamicRnn(variables, cell, model.Feature("x"),
                        {.sequence_length = model.Feature("length")});
  const Output logits =
      ops::Reshape(s, train::Dense(variables, rnn.state[0], 1), {-1});
  const Output y =
      ops::Cast(s, ops::Greater(s, logits, 0.0f), DataType::kFloat);
  train::EstimatorSpec spec;
  spec.predictions = {{"y", y}};
  if (model.mode == train::ModelMode::kPredict) return spec;
  spec.loss = train::SigmoidCrossEntropy(s, model.Label(), logits);
  spec.eval_metric_ops["accuracy"] =
      train::Accuracy(variables, model.Label(), y);
  train::AdamOptimizer rule(0.01f);
  spec.train_op =
      rule.Minimize(s, spec.loss, {.global_step = model.global_step});
  return spec;
}

int main(int argc, char** argv) {
  if (argc != 2 || argv[1][0] == '-') {
    std::puts("estimator FOLDER: trains a network, as TF_CONFIG says");
    return argc == 2 && std::string(argv[1]) == "--help" ? 0 : 2;
  }
  const auto config = train::RunConfig::FromEnvironment(
      {.model_dir = argv[1], .tf_random_seed = 1});
  if (!config.ok()) {
    std::fprintf(stderr, "%s\n", config.status().ToString().c_str());
    return train::ExitCodeFor(config.status());
  }
  train::Estimator estimator(Network, *config);
  const auto result = train::TrainAndEvaluate(
      estimator, {.input = Sequences, .max_steps = 300},
      {.input = Sequences, .start_delay_secs = 1, .throttle_secs = 1});
  if (!result.ok()) {
    std::fprintf(stderr, "%s\n", result.status().ToString().c_str());
  } else if (result->has_value()) {  // a task that evaluates
    const bool learned = (*result)->Number("accuracy").value_or(0) > 0.9;
    std::printf("step %d, learned: %s\n",
                static_cast<int>((*result)->global_step),
                learned ? "yes" : "no");
  }
  return train::ExitCodeFor(result.status());
}
