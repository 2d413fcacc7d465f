// Rooms: train client session ops.grad ops.cpu ops.gpu ops.op
// A task of an estimator by the C++ library, for tests/python/libraries/
// test_estimator_cpp.py, whose model in Python has the same variables.
//
//   estimator_task FOLDER MAX_STEPS [GATE_STEP GATE_FILE]
//
// does what TF_CONFIG says. A training that has come to the step GATE_STEP says
// "at the gate", and goes on once GATE_FILE is there. Prints "predicted Y Y Y"
// if MAX_STEPS is 0, else "evaluated STEP LOSS MEAN" for the last evaluation,
// if there was one.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "millrace/millrace.h"

namespace millrace {
namespace {

train::EstimatorInput Input(const Scope& s, train::ModelMode /*mode*/) {
  return {
      .features = {{"x",
                    ops::Const(s, {{1.0f, 0.0f}, {0.0f, 1.0f}, {1.0f, 1.0f}})}},
      .labels = {{"", ops::Const(s, {3.0f, 1.0f, 3.5f})}}};
}

train::EstimatorSpec Model(const train::ModelArguments& model) {
  const Scope& s = model.scope;
  const VariableScope variables(s);
  const ops::Variable w =
      variables.GetVariable("w", TensorShape({2}), {.initializer = Zeros()});
  const ops::Variable b =
      variables.GetVariable("b", TensorShape(), {.initializer = Zeros()});
  const Output y =
      ops::AddV2(s, ops::Sum(s, ops::Mul(s, model.Feature("x"), w), {1}), b);
  if (model.mode == train::ModelMode::kPredict)
    return {.predictions = {{"y", y}}};
  train::EstimatorSpec spec;
  spec.loss = ops::Mean(s, ops::Square(s, ops::Sub(s, y, model.Label())), {0});
  train::GradientDescentOptimizer rule(0.05f);
  spec.train_op =
      rule.Minimize(s, spec.loss, {.global_step = model.global_step});
  spec.eval_metric_ops["mean"] = train::Mean(variables, model.Label());
  return spec;
}

class Gate final : public train::SessionHook {
 public:
  Gate(int64_t step, std::string file) : step_(step), file_(std::move(file)) {}
  Status AfterRun(train::HookContext& context) override {
    if (context.global_step < step_) return OkStatus();
    if (!std::exchange(was_here_, true)) {
      std::printf("at the gate\n");
      std::fflush(stdout);
    }
    while (!DefaultFiles()->Exists(file_).ok())
      SleepUntil(Deadline::AfterMillis(5));
    return OkStatus();
  }

 private:
  const int64_t step_;
  const std::string file_;
  bool was_here_ = false;
};

Status Run(const std::string& folder, int64_t max_steps, Gate* gate) {
  MR_ASSIGN_OR_RETURN(
      const train::RunConfig config,
      train::RunConfig::FromEnvironment({.model_dir = folder,
                                         .save_summary_steps = 5,
                                         .save_checkpoints_steps = 5,
                                         .log_step_count_steps = 5,
                                         .max_worker_delay_secs = 0.1,
                                         .session_creation_timeout_secs = 60}));
  train::Estimator estimator(Model, config);
  if (max_steps == 0) {
    return estimator.Predict(Input,
                             [](const train::NamedTensors& batch) {
                               std::printf("predicted");
                               for (const float y : batch.at("y").flat<float>())
                                 std::printf(" %.6g", static_cast<double>(y));
                               std::printf("\n");
                               return OkStatus();
                             },
                             {.batches = 1});
  }
  MR_ASSIGN_OR_RETURN(
      const auto result,
      train::TrainAndEvaluate(
          estimator, {.input = Input, .max_steps = max_steps, .hooks = {gate}},
          {.input = Input,
           .steps = 2,
           .start_delay_secs = 0,
           .throttle_secs = 0.05}));
  if (result) {
    std::printf("evaluated %d %.6g %.6g\n",
                static_cast<int>(result->global_step),
                result->Number("loss").value_or(-1),
                result->Number("mean").value_or(-1));
  }
  return OkStatus();
}

}  // namespace
}  // namespace millrace

int main(int argc, char** argv) {
  if (argc != 3 && argc != 5) {
    std::fprintf(stderr,
                 "usage: estimator_task FOLDER MAX_STEPS [GATE_STEP "
                 "GATE_FILE]\n");
    return 2;
  }
  millrace::Gate gate(argc == 5 ? std::atoll(argv[3]) : INT64_MAX,
                      argc == 5 ? argv[4] : "");
  const millrace::Status status =
      millrace::Run(argv[1], std::atoll(argv[2]), &gate);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return millrace::train::ExitCodeFor(status);
}
