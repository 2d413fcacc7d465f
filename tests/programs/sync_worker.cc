// Rooms: train client session ops.grad ops.cpu ops.gpu ops.op
// A replica of a synchronous training by the C++ library, beside replicas of
// TensorFlow's client (tests/conformance/test_mixed_replicas.py has the same
// graph in Python).
//
//   sync_worker TARGET TASK CHIEF LAST_STEP REPLICAS
//
// trains until the global step is LAST_STEP, and prints the step and, if this
// is the chief (CHIEF is 1), the elements of both variables.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "millrace/millrace.h"

namespace millrace {
namespace {

constexpr int64_t kRows = 6;
constexpr int64_t kWidth = 3;
constexpr float kRate = 0.25f;

Tensor Goal(int64_t rows, float scale) {
  std::vector<float> values;
  for (int64_t i = 0; i < rows * kWidth; ++i)
    values.push_back(scale * static_cast<float>(i) - 1);
  return Tensor::Of(TensorShape({rows, kWidth}),
                    absl::Span<const float>(values));
}

struct Arguments {
  std::string target;
  int task = 0;
  bool is_chief = false;
  int64_t last_step = 0;
  int64_t replicas = 0;
};

Status Train(const Arguments& arguments) {
  const Scope root = Scope::NewRoot();
  const Scope s = root.WithDevice(train::ReplicaDeviceSetter(
      {.ps_tasks = 1,
       .worker_device = absl::StrCat("/job:worker/task:", arguments.task)}));
  const ops::Variable step = train::CreateGlobalStep(s);
  const Tensor zeros =
      Tensor::Zeros(DataType::kFloat, TensorShape({kRows, kWidth}));
  const ops::Variable dense(s.WithOpName("dense"), zeros);
  const ops::Variable table(s.WithOpName("table"), zeros);
  const Output rows = ops::GatherV2(s, table.value(), {4, 1}, 0);
  const auto squares = [&](const Output& x, const Tensor& goal) {
    return ops::Sum(s, ops::Square(s, ops::Sub(s, x, ops::Const(s, goal))),
                    {0, 1});
  };
  const Output loss =
      ops::Mul(s,
               ops::AddV2(s, squares(dense, Goal(kRows, 0.125f)),
                          squares(rows, Goal(2, 0.5f))),
               0.5f);
  train::GradientDescentOptimizer rule(kRate);
  train::SyncReplicas sync(&rule, {.gradients_per_step = arguments.replicas,
                                   .replicas = arguments.replicas});
  const Operation train_op = sync.Minimize(s, loss, {.global_step = step});
  MR_RETURN_IF_ERROR(s.status());

  const auto is_chief = [&] { return arguments.is_chief; };
  train::SyncReplicasHook hook(
      sync, {.is_chief = is_chief, .poll_ms = 50, .leave_timeout_ms = 2'000});
  train::StopAtStepHook stop(arguments.last_step);
  train::MonitoredSession session(s, {.session = {.target = arguments.target},
                                      .is_chief = is_chief,
                                      .poll_ms = 50,
                                      .hooks = {&hook, &stop}});
  const train::MonitoredCallable training =
      session.Prepare({}, {train_op.output(0)}, {}, {.step_fetch = 0});
  const train::MonitoredCallable values =
      session.Prepare({}, {step, dense, table});
  MR_RETURN_IF_ERROR(session.Start());
  while (!session.ShouldStop()) MR_RETURN_IF_ERROR(training.Run().status());
  if (arguments.is_chief) {
    MR_ASSIGN_OR_RETURN(const std::vector<Tensor> end, values.Run());
    std::printf("%lld", static_cast<long long>(end[0].scalar<int64_t>()));
    for (size_t i = 1; i < end.size(); ++i) {
      for (const float value : end[i].flat<float>())
        std::printf(" %.9g", static_cast<double>(value));
    }
    std::printf("\n");
  }
  return session.Close();
}

}  // namespace
}  // namespace millrace

int main(int argc, char** argv) {
  if (argc != 6) {
    std::fprintf(stderr,
                 "usage: sync_worker TARGET TASK CHIEF LAST_STEP REPLICAS\n");
    return 2;
  }
  const millrace::Status status =
      millrace::Train({.target = argv[1],
                       .task = std::atoi(argv[2]),
                       .is_chief = std::string(argv[3]) == "1",
                       .last_step = std::atoll(argv[4]),
                       .replicas = std::atoll(argv[5])});
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
