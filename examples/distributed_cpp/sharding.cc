// Variables sharded over parameter servers: by turns, by bytes, and one table
// in parts.
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "examples/distributed_cpp/examples.h"
#include "millrace/millrace.h"

namespace millrace::distributed {
namespace {

constexpr int kPs = 2;
constexpr int kParts = 4;

Tensor Ones(TensorShape shape) {
  Tensor ones = Tensor::New(DataType::kFloat, std::move(shape));
  for (float& value : ones.mutable_flat<float>()) value = 1;
  return ones;
}

// Rows of a table whose part i holds the rows i, i + kParts, ...: only the
// parts that have some of them are asked.
Output Lookup(const Scope& scope, const std::vector<ops::Variable>& parts,
              const Output& rows) {
  const Output part = ops::FloorMod(scope, rows, kParts);
  const Output place = ops::FloorDiv(scope, rows, kParts);
  const Output numbers = ops::Range(scope, 0, ops::Size(scope, rows), 1);
  const auto places = ops::DynamicPartition(scope, place, part, kParts);
  const auto order = ops::DynamicPartition(scope, numbers, part, kParts);
  std::vector<Output> found;
  for (size_t i = 0; i < parts.size(); ++i) {
    const Scope beside = scope.ColocateWith(parts[i].handle());
    found.push_back(ops::GatherV2(beside, parts[i], places[i], 0));
  }
  return ops::DynamicStitch(scope, order, found);
}

}  // namespace

Status Sharding(const Cluster& cluster) {
  const Scope root = cluster.NewGraph();
  // Variables go to ps 0, 1, 0, ..., everything else to the worker.
  const Scope turns = root.WithDevice(train::ReplicaDeviceSetter(
      {.ps_tasks = kPs, .worker_device = "/job:worker/task:0"}));
  std::vector<Output> doubled;
  ops::Variable v1;
  for (int i = 0; i < 5; ++i) {
    const ops::Variable v(turns.WithOpName(absl::StrCat("v", i)),
                          static_cast<float>(i));
    doubled.push_back(ops::Mul(turns, v, 2.0f));
    if (i == 1) v1 = v;
  }
  const Output total = ops::AddN(turns.WithOpName("total"), doubled);
  const Output step = v1.AssignAdd(turns, total);

  const Scope bytes = root.WithDevice(
      train::ReplicaDeviceSetter({.ps_tasks = kPs,
                                  .worker_device = "/job:worker/task:0",
                                  .strategy = train::LeastBytes(kPs)}));
  std::vector<Output> fetches = {total};
  fetches.push_back(
      ops::Variable(bytes.WithOpName("big"), Ones(TensorShape({1000}))));
  for (int i = 0; i < 3; ++i) {
    fetches.push_back(ops::Variable(bytes.WithOpName(absl::StrCat("small", i)),
                                    Ones(TensorShape({100}))));
  }

  const Scope parted = root.WithDevice(train::ReplicaDeviceSetter(
      {.ps_tasks = kPs, .worker_device = "/job:worker/task:0"}));
  std::vector<ops::Variable> table;
  for (int i = 0; i < kParts; ++i) {
    const int64_t rows = (10 - i + kParts - 1) / kParts;
    table.emplace_back(parted.WithOpName(absl::StrCat("table/part_", i)),
                       Ones(TensorShape({rows, 2})));
  }
  const Output rows = Lookup(parted, table, ops::Const(parted, {0, 4, 9}));
  fetches.push_back(rows);

  Session session(root, cluster.Master());
  MR_RETURN_IF_ERROR(
      session.RunTargets({ops::GlobalVariablesInitializer(root)}));
  MR_ASSIGN_OR_RETURN(const auto before, session.Run({total}));
  MR_ASSIGN_OR_RETURN(const auto after, session.Run({step}));
  std::printf("total = %g, v1 = %g\n", before[0].scalar<float>(),
              after[0].scalar<float>());
  MR_ASSIGN_OR_RETURN(const auto where, Placement(session, fetches));
  for (const char* name : {"v0", "v1", "v2", "v3", "v4", "total", "big",
                           "small0", "small1", "small2", "table/part_0",
                           "table/part_1", "table/part_2", "table/part_3"}) {
    std::printf("%s is on %s\n", name, where.at(name).c_str());
  }
  MR_ASSIGN_OR_RETURN(const auto found, session.Run({rows}));
  std::printf("rows: %s\n", found[0].SummarizeValue(10).c_str());
  return OkStatus();
}

}  // namespace millrace::distributed
