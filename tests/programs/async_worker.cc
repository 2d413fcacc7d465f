// Rooms: train client session ops.grad ops.cpu ops.gpu ops.op
// A replica of an asynchronous training by the C++ library, beside replicas in
// Python (tests/python/parallel/test_mixed_async_replicas.py has the same graph
// there). It is no chief.
//
//   async_worker TARGET REPLICA REPLICAS STEPS MAX_AHEAD
//
// makes STEPS steps of its own, says on standard error for whom it waits, and
// prints the greatest staleness of its gradients. Each adds 1/8 to the elements
// of "w".
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "millrace/millrace.h"

namespace millrace {
namespace {

struct Arguments {
  std::string target;
  int64_t replica = 0;
  int64_t replicas = 0;
  int64_t steps = 0;
  int64_t max_ahead = 0;
};

Status Train(const Arguments& arguments) {
  const Scope root = Scope::NewRoot();
  const Scope s = root.WithDevice(train::ReplicaDeviceSetter(
      {.ps_tasks = 1,
       .worker_device = absl::StrCat("/job:worker/task:", arguments.replica)}));
  const ops::Variable step = train::CreateGlobalStep(s);
  const ops::Variable w(s.WithOpName("w"),
                        Tensor::Zeros(DataType::kFloat, TensorShape({2})));
  const Output loss = ops::Neg(s, ops::Sum(s, w.value(), 0));
  train::GradientDescentOptimizer rule(0.125f);
  train::AsyncReplicas async(&rule, {.replicas = arguments.replicas,
                                     .replica = arguments.replica,
                                     .max_ahead = arguments.max_ahead});
  const Operation train_op = async.Minimize(s, loss, {.global_step = step});
  MR_RETURN_IF_ERROR(s.status());

  train::AsyncReplicasHook hook(async, {.report_ms = 0});
  train::MonitoredSession session(s, {.session = {.target = arguments.target},
                                      .is_chief = [] { return false; },
                                      .poll_ms = 50,
                                      .hooks = {&hook}});
  const train::MonitoredCallable training = session.Prepare(
      {}, {train_op.output(0), async.ops().staleness}, {}, {.step_fetch = 0});
  MR_RETURN_IF_ERROR(session.Start());
  int64_t greatest = 0;
  for (int64_t i = 0; i < arguments.steps; ++i) {
    MR_ASSIGN_OR_RETURN(const std::vector<Tensor> values, training.Run());
    greatest = std::max(greatest, values[1].scalar<int64_t>());
  }
  std::printf("%lld\n", static_cast<long long>(greatest));
  return session.Close();
}

}  // namespace
}  // namespace millrace

int main(int argc, char** argv) {
  if (argc != 6) {
    std::fprintf(
        stderr,
        "usage: async_worker TARGET REPLICA REPLICAS STEPS MAX_AHEAD\n");
    return 2;
  }
  const millrace::Status status =
      millrace::Train({.target = argv[1],
                       .replica = std::atoll(argv[2]),
                       .replicas = std::atoll(argv[3]),
                       .steps = std::atoll(argv[4]),
                       .max_ahead = std::atoll(argv[5])});
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
