// A small network answers single queries, from as many threads as there are: in
// this process, and on the server at $MILLRACE_SERVER (grpc://host:port), if
// that is set. benchmarks/protocol/serving.py starts one.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "millrace/client/ops.h"
#include "millrace/client/session.h"
#include "millrace/client/variables/variable_scope.h"
#include "millrace/client/variables/variables.h"
#include "millrace/train/layers/dense.h"

namespace millrace {
namespace {

const char* ServerTarget() {
  const char* const target = std::getenv("MILLRACE_SERVER");
  return target != nullptr ? target : "";
}

// 784-300-100-10 with ReLU and softmax; a query is one row.
class ServedNetwork {
 public:
  explicit ServedNetwork(const std::string& target)
      : scope_(Scope::NewRoot()),
        pixels_(ops::Placeholder(scope_, DataType::kFloat,
                                 {.shape = PartialShape({-1, 784})})) {
    const VariableScope variables(scope_);
    Output x = pixels_;
    for (const int64_t units : {300, 100}) {
      x = train::Dense(variables, x, units, {.activation = ops::Relu});
    }
    classes_ = ops::Softmax(scope_, train::Dense(variables, x, 10));
    session_ =
        std::make_unique<Session>(scope_, SessionOptions{.target = target});
    status_ = session_->RunTargets({ops::GlobalVariablesInitializer(scope_)});
    if (!status_.ok()) return;
    auto answer = session_->Prepare({pixels_}, {classes_});
    status_ = answer.status();
    if (status_.ok()) answer_ = *answer;
  }

  // Returns whether it could be created.
  const Status& status() const { return status_; }
  // Runs one query. Thread-safe.
  Status Ask(const Tensor& query) const {
    return answer_.Run({query}).status();
  }

 private:
  const Scope scope_;
  const Output pixels_;
  Output classes_;
  std::unique_ptr<Session> session_;
  Callable answer_;
  Status status_;
};

// Returns what the threads of a benchmark share, from its setup to its
// teardown.
std::unique_ptr<ServedNetwork>& Served() {
  static std::unique_ptr<ServedNetwork> served;
  return served;
}

void ServeHere(const benchmark::State&) {
  Served() = std::make_unique<ServedNetwork>("");
}
void ServeRemotely(const benchmark::State&) {
  if (*ServerTarget() != '\0')
    Served() = std::make_unique<ServedNetwork>(ServerTarget());
}
void StopServing(const benchmark::State&) { Served().reset(); }

void AskAgainAndAgain(benchmark::State& state) {
  const ServedNetwork* const network = Served().get();
  if (network == nullptr) {
    state.SkipWithError("MILLRACE_SERVER names no server");
    return;
  }
  if (!network->status().ok()) {
    state.SkipWithError(network->status().ToString().c_str());
    return;
  }
  const Tensor query = Tensor::Zeros(DataType::kFloat, TensorShape({1, 784}));
  for (auto _ : state) {
    const Status status = network->Ask(query);
    if (!status.ok()) {
      state.SkipWithError(status.ToString().c_str());
      break;
    }
  }
  state.SetItemsProcessed(state.iterations());
}

void BM_InProcess(benchmark::State& state) { AskAgainAndAgain(state); }
BENCHMARK(BM_InProcess)
    ->Setup(ServeHere)
    ->Teardown(StopServing)
    ->Threads(1)
    ->Threads(8)
    ->UseRealTime();

void BM_OverGrpc(benchmark::State& state) { AskAgainAndAgain(state); }
BENCHMARK(BM_OverGrpc)
    ->Setup(ServeRemotely)
    ->Teardown(StopServing)
    ->Threads(1)
    ->Threads(8)
    ->UseRealTime();

}  // namespace
}  // namespace millrace
