#include "tests/simulation/client_ops.h"

#include "millrace/base/check.h"
#include "millrace/base/sim/sim.h"
#include "millrace/client/ops.h"
#include "tests/simulation/sim_cluster.h"

namespace millrace::sim {
namespace {

constexpr int64_t kModelSize = 32;
constexpr DataType kFloat = DataType::kFloat;

std::string OnPs(int ps) { return absl::StrCat("/job:ps/task:", ps); }
std::string OnWorker(int worker) {
  return absl::StrCat("/job:worker/task:", worker);
}

CounterOps MakeCounter(const Scope& scope, int index, int ps, int worker,
                       int num_workers, bool resource, const Output& fed) {
  const Scope there = scope.WithDevice(OnPs(ps));
  const Scope here = scope.WithDevice(OnWorker(worker));
  const Scope other = scope.WithDevice(OnWorker((worker + 1) % num_workers));
  CounterOps c;
  c.variable =
      ops::Variable(there.WithOpName(absl::StrCat("counter_", index, "_", ps)),
                    ops::Const(there, 0.0f), {.use_resource = resource});
  const Output one = ops::Square(here, ops::Const(here, 1.0f));
  c.add = c.variable.AssignAdd(there, one);
  const Output others = ops::Square(other, ops::Const(other, 1.0f));
  c.add_of_both = c.variable.AssignAdd(there, ops::Mul(here, one, others));
  c.add_fed = c.variable.AssignAdd(there, fed);
  return c;
}

ModelOps MakeModel(const Scope& scope, int index, int ps, int worker,
                   bool resource) {
  const Scope there = scope.WithDevice(OnPs(ps));
  const Scope here = scope.WithDevice(OnWorker(worker));
  ModelOps m;
  m.variable =
      ops::Variable(there.WithOpName(absl::StrCat("model_", index, "_", ps)),
                    ops::Const(there, Tensor::Zeros(kFloat, {kModelSize})),
                    {.use_resource = resource});
  const Output ones = ops::Fill(here, ops::Const(here, {int32_t{kModelSize}}),
                                ops::Const(here, 1.0f));
  m.add = m.variable.AssignAdd(there, ones);
  // A copy of the value at that time: Read alone returns, for a reference
  // variable, the value at the end of the step.
  m.before = ops::Snapshot(there, m.variable.Read(there));
  m.after =
      m.variable.AssignAdd(there.WithControlDependencies({m.before}), ones);
  return m;
}

NodeDef Node(std::string name, std::string op, std::vector<std::string> inputs,
             std::string device, AttrMap attrs) {
  return {std::move(name), std::move(op), std::move(inputs), std::move(device),
          std::move(attrs)};
}

// The loop's value is carried on the worker, its condition is computed on the
// ps.
GraphDef LoopUntilGateIs(int index, const std::string& ps,
                         const std::string& worker) {
  const std::string frame = absl::StrCat("wait_", index);
  const AttrMap floats = {{"T", kFloat}};
  const auto enter = [&](DataType type, bool constant) {
    return AttrMap(
        {{"T", type}, {"frame_name", frame}, {"is_constant", constant}});
  };
  GraphDef def;
  def.nodes = {
      Node("enter", "Enter", {"zero"}, worker, enter(kFloat, false)),
      Node("enter_gate", "Enter", {"gate"}, ps,
           enter(DataType::kResource, true)),
      Node("enter_goal", "Enter", {"goal"}, ps, enter(kFloat, true)),
      Node("merge", "Merge", {"enter", "next"}, worker,
           {{"T", kFloat}, {"N", int64_t{2}}}),
      Node("read", "ReadVariableOp", {"enter_gate", "^merge"}, ps,
           {{"dtype", kFloat}}),
      Node("reached", "Equal", {"read", "enter_goal"}, ps, floats),
      Node("not", "LogicalNot", {"reached"}, ps, {}),
      Node("cond", "LoopCond", {"not"}, worker, {}),
      Node("switch", "Switch", {"merge", "cond"}, worker, floats),
      Node("next", "NextIteration", {"switch:1"}, worker, floats),
      Node("exit", "Exit", {"switch"}, worker, floats),
  };
  def.versions.producer = kGraphDefVersion;
  return def;
}

}  // namespace

ClientOps::ClientOps(int index, int num_ps, int num_workers)
    : worker(index % num_workers), scope(Scope::NewRoot(Ops())) {
  const bool resource = SimRandom(2) == 1;
  const Scope here = scope.WithDevice(OnWorker(worker));
  fed = ops::Placeholder(here, kFloat, {.shape = PartialShape({})});
  for (int ps = 0; ps < num_ps; ++ps) {
    counters.push_back(
        MakeCounter(scope, index, ps, worker, num_workers, resource, fed));
    model.push_back(MakeModel(scope, index, ps, worker, !resource));
  }

  vector = ops::Placeholder(here, kFloat);
  const int sender = static_cast<int>(SimRandom(static_cast<uint64_t>(num_ps)));
  const Output sent = ops::Square(scope.WithDevice(OnPs(sender)),
                                  counters[sender].variable.value());
  broken = ops::Add(
      here, ops::Reshape(here, vector, ops::Const(here, {int32_t{2}})), sent);

  gate_ps = static_cast<int>(SimRandom(static_cast<uint64_t>(num_ps)));
  const Scope at_gate = scope.WithDevice(OnPs(gate_ps));
  const Output gate =
      ops::VarHandleOp(at_gate, kFloat, PartialShape({}),
                       {.shared_name = absl::StrCat("gate_", index)});
  gate_value = ops::Placeholder(at_gate, kFloat, {.shape = PartialShape({})});
  set_gate = ops::AssignVariableOp(at_gate, gate, gate_value);
  goal = ops::Placeholder(at_gate, kFloat, {.shape = PartialShape({})});
  const Status imported = scope.graph().Import(
      LoopUntilGateIs(index, OnPs(gate_ps), OnWorker(worker)), "wait/",
      {{"zero", ops::Const(here, 0.0f)}, {"gate", gate}, {"goal", goal}});
  MR_CHECK(imported.ok(), imported.message());
  passed = *scope.graph().FindOutput("wait/exit");

  for (int kind = 0; kind < kNumQueueKinds; ++kind) {
    const int ps = (kind + worker) % num_ps;
    queues.push_back(MakeQueueOps(scope.WithDevice(OnPs(ps)), worker,
                                  static_cast<QueueKind>(kind), ps));
  }

  container = absl::StrCat("scratch_", index);
  scratch_ps = static_cast<int>(SimRandom(static_cast<uint64_t>(num_ps)));
  const Scope at_scratch =
      scope.WithDevice(OnPs(scratch_ps)).WithContainer(container);
  const Output handle =
      ops::VarHandleOp(at_scratch, kFloat, PartialShape({}),
                       {.container = container, .shared_name = "scratch"});
  scratch_value =
      ops::Placeholder(at_scratch, kFloat, {.shape = PartialShape({})});
  set_scratch = ops::AssignVariableOp(at_scratch, handle, scratch_value);
  scratch = ops::ReadVariableOp(at_scratch, handle, kFloat);
  MR_CHECK(scope.ok(), scope.status().message());
}

}  // namespace millrace::sim
