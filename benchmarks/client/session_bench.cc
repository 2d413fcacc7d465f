// Measures the cost of a run that computes nothing, and of building a node.
#include <benchmark/benchmark.h>

#include "millrace/client/ops.h"
#include "millrace/client/session.h"
#include "millrace/client/variables/variables.h"

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

SessionOptions Rewriting(bool on) {
  SessionOptions options;
  options.config.graph_options.rewrite_options.disable_meta_optimizer = !on;
  return options;
}

// Six elementwise ops on 16 MB; argument 1: rewritten, 0: not.
void BM_ElementwiseChain(benchmark::State& state) {
  const Scope s = Scope::NewRoot();
  const Output x = ops::Placeholder(s, DataType::kFloat);
  const Output a = ops::Placeholder(s, DataType::kFloat);
  Output y = x;
  for (int i = 0; i < 2; ++i) {
    y = ops::AddV2(s, ops::Relu(s, ops::Mul(s, y, a)), a);
  }
  Session session(s, Rewriting(state.range(0) != 0));
  const auto callable = session.Prepare({x, a}, {y});
  const std::vector<Tensor> feeds = {
      Tensor::Zeros(DataType::kFloat, {4'000'000}), Tensor::Scalar(0.5f)};
  for (auto _ : state) {
    if (!callable->Run(feeds).ok()) state.SkipWithError("failed");
  }
}
BENCHMARK(BM_ElementwiseChain)->Arg(0)->Arg(1)->UseRealTime();

// The first step of a session whose graph has 10,000 sums of scalars, in
// chains and of constants.
void BM_FirstStep10000(benchmark::State& state) {
  const Scope s = Scope::NewRoot();
  const Output x = ops::Placeholder(s, DataType::kFloat);
  const Output one = ops::Const(s, 1.0f);
  Output fed = x, constant = one;
  for (int i = 0; i < 5'000; ++i) {
    fed = ops::AddV2(s, fed, one);
    constant = ops::AddV2(s, constant, one);
  }
  for (auto _ : state) {
    Session session(s, Rewriting(state.range(0) != 0));
    const auto callable = session.Prepare({x}, {fed, constant});
    if (!callable->Run({Tensor::Scalar(1.0f)}).ok())
      state.SkipWithError("failed");
  }
}
BENCHMARK(BM_FirstStep10000)->Arg(0)->Arg(1)->UseRealTime();

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
