// Measures reading, importing and shape inference of large graphs: the cost of
// a session before its first step.
#include <benchmark/benchmark.h>

#include "absl/strings/str_cat.h"
#include "millrace/graph/graph_proto.h"
#include "millrace/graph/import.h"
#include "millrace/graph/shape_refiner.h"

namespace millrace {
namespace {

constexpr OpDecl kConst = {"Const",
                           {.outputs = "output: dtype",
                            .attrs = "value: tensor; dtype: type",
                            .shape = [](ShapeContext& c) -> Status {
                              MR_ASSIGN_OR_RETURN(Tensor value,
                                                  c.Attr<Tensor>("value"));
                              return c.Return(value.shape());
                            }}};
constexpr OpDecl kAdd = {"AddV2",
                         {.inputs = "x: T, y: T",
                          .outputs = "z: T",
                          .attrs = "T: numbertype",
                          .shape = shapes::Broadcast}};

const OpRegistry& Ops() {
  static const OpDecl* const decls[] = {&kConst, &kAdd};
  static const OpRegistry* const ops = OpRegistry::Build(decls)->release();
  return *ops;
}

// A chain of additions, each with a second input from the same constant.
std::string Chain(int64_t nodes) {
  const auto name = [](int64_t i) {
    return absl::StrCat("scope/layer/add_", i);
  };
  const char kDevice[] = "/job:worker/task:0";
  GraphDef def;
  def.nodes.push_back(
      {"c",
       "Const",
       {},
       kDevice,
       {{"dtype", DataType::kFloat}, {"value", Tensor::Scalar(1.0f)}}});
  for (int64_t i = 1; i < nodes; ++i) {
    def.nodes.push_back({name(i),
                         "AddV2",
                         {i == 1 ? "c" : name(i - 1), "c"},
                         kDevice,
                         {{"T", DataType::kFloat}}});
  }
  return SerializeGraphDef(def);
}

void BM_ParseGraphDef(benchmark::State& state) {
  const std::string bytes = Chain(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(ParseGraphDef(bytes));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_ParseGraphDef)
    ->Arg(10'000)
    ->Arg(1'000'000)
    ->Unit(benchmark::kMillisecond);

void BM_ImportGraphDef(benchmark::State& state) {
  const GraphDef def = *ParseGraphDef(Chain(state.range(0)));
  for (auto _ : state) {
    Graph graph(&Ops());
    MR_CHECK(ImportGraphDef({}, def, &graph).ok());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_ImportGraphDef)
    ->Arg(10'000)
    ->Arg(1'000'000)
    ->Unit(benchmark::kMillisecond);

void BM_RefineShapes(benchmark::State& state) {
  Graph graph(&Ops());
  MR_CHECK(
      ImportGraphDef({}, *ParseGraphDef(Chain(state.range(0))), &graph).ok());
  for (auto _ : state) {
    ShapeRefiner refiner(&graph);
    MR_CHECK(refiner.AddNewNodes().ok());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_RefineShapes)
    ->Arg(10'000)
    ->Arg(1'000'000)
    ->Unit(benchmark::kMillisecond);

void BM_CloneGraph(benchmark::State& state) {
  Graph graph(&Ops());
  MR_CHECK(
      ImportGraphDef({}, *ParseGraphDef(Chain(state.range(0))), &graph).ok());
  for (auto _ : state) benchmark::DoNotOptimize(graph.Clone());
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_CloneGraph)->Arg(10'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace millrace
