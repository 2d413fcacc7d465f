// What a run costs that computes nothing, and what building a node costs.
#include <benchmark/benchmark.h>

#include "millrace/client/ops.h"
#include "millrace/client/session.h"
#include "millrace/client/variables.h"

namespace millrace {
namespace {

void BM_NullStep(benchmark::State& state) {
  const Scope s = Scope::NewRoot();
  const Operation nothing = ops::NoOp(s);
  Session session(s);
  const std::vector<ControlInput> targets = {nothing};
  for (auto _ : state) {
    if (!session.RunTargets(targets).ok()) state.SkipWithError("failed");
  }
}
BENCHMARK(BM_NullStep);

void BM_NullStepPrepared(benchmark::State& state) {
  const Scope s = Scope::NewRoot();
  const Operation nothing = ops::NoOp(s);
  Session session(s);
  const auto callable = session.Prepare({}, {}, {nothing});
  for (auto _ : state) {
    if (!callable->Run().ok()) state.SkipWithError("failed");
  }
}
BENCHMARK(BM_NullStepPrepared);

void BM_FeedAndFetch(benchmark::State& state) {
  const Scope s = Scope::NewRoot();
  const Output x = ops::Placeholder(s, DataType::kFloat);
  const Output y = ops::Neg(s, x);
  Session session(s);
  const auto callable = session.Prepare({x}, {y});
  for (auto _ : state) {
    if (!callable->Run({Tensor::Scalar(1.0f)}).ok())
      state.SkipWithError("failed");
  }
}
BENCHMARK(BM_FeedAndFetch);

void BM_BuildNode(benchmark::State& state) {
  Scope s = Scope::NewRoot();
  Output x = ops::Const(s, 1.0f);
  int64_t n = 0;
  for (auto _ : state) {
    if (++n % 10'000 == 0) {
      s = Scope::NewRoot();
      x = ops::Const(s, 1.0f);
    }
    benchmark::DoNotOptimize(ops::Neg(s, x));
  }
}
BENCHMARK(BM_BuildNode);

}  // namespace
}  // namespace millrace
