// Graphs of the test ops (kernels.h), a device to run them on, and runs, for
// the tests of plans and steps.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "millrace/exec/kernel_cache.h"
#include "millrace/exec/local_rendezvous.h"
#include "millrace/exec/plan.h"
#include "millrace/exec/step.h"
#include "millrace/exec/testing/kernels.h"
#include "millrace/graph/graph.h"
#include "millrace/kernel/device.h"

namespace millrace {

// Runs shards on the calling thread.
class TestDevice final : public Device {
 public:
  explicit TestDevice(
      const std::string& name = "/job:t/replica:0/task:0/device:CPU:0")
      : Device({name, "CPU", 0, 1, ""}, {}), resources_("t") {}
  Allocator* allocator() override { return HostAllocator(); }
  ResourceStore& resources() override { return resources_; }
  void ParallelFor(int64_t total, int64_t,
                   absl::FunctionRef<void(int64_t, int64_t)> f) override {
    if (total > 0) f(0, total);
  }
  int intra_op_width() const override { return 1; }
  Lanes& lanes() override { return Lanes::Process(); }

 private:
  ResourceStore resources_;
};

struct TestEnterOptions {
  bool is_constant = false;
  int parallel_iterations = 10;
};

// A graph under construction; errors end the test program.
class TestGraph {
 public:
  TestGraph() : graph_(&TestOps()) {}
  Graph& graph() { return graph_; }

  // Adds a node on `device`; `after` are its control inputs.
  OutputRef Add(const std::string& name, const std::string& op,
                std::vector<OutputRef> inputs = {}, AttrMap attrs = {},
                std::vector<OutputRef> after = {}) {
    std::vector<NodeId> controls;
    for (const OutputRef& from : after) controls.push_back(from.node);
    auto node =
        graph_.AddNode(name, op, inputs, std::move(attrs), "", controls);
    MR_CHECK(node.ok(), node.status().ToString());
    (*node)->assigned_device = device;
    return {(*node)->id, 0};
  }
  OutputRef Const(const std::string& name, int64_t value) {
    return Add(name, "Const", {},
               {{"value", Tensor::Scalar<int64_t>(value)},
                {"dtype", DataType::kInt64}});
  }
  OutputRef Flag(const std::string& name, bool value) {
    return Add(name, "Const", {},
               {{"value", Tensor::Scalar(value)}, {"dtype", DataType::kBool}});
  }
  OutputRef Arg(int index, DataType type = DataType::kInt64) {
    return Add(absl::StrCat("arg", index), "_Arg", {},
               {{"T", type}, {"index", int64_t{index}}});
  }
  void Retval(int index, OutputRef from, DataType type = DataType::kInt64) {
    Add(absl::StrCat("retval", index), "_Retval", {from},
        {{"T", type}, {"index", int64_t{index}}});
  }
  // Returns {the output if `flag` is false, the output if it is true}.
  std::pair<OutputRef, OutputRef> Switch(const std::string& name,
                                         OutputRef value, OutputRef flag) {
    const OutputRef s =
        Add(name, "Switch", {value, flag}, {{"T", DataType::kInt64}});
    return {s, {s.node, 1}};
  }
  OutputRef Merge(const std::string& name, std::vector<OutputRef> inputs,
                  std::vector<OutputRef> after = {}) {
    const auto n = static_cast<int64_t>(inputs.size());
    return Add(name, "Merge", std::move(inputs),
               {{"T", DataType::kInt64}, {"N", n}}, std::move(after));
  }
  OutputRef Enter(const std::string& name, const std::string& frame,
                  OutputRef value, TestEnterOptions options = {}) {
    return Add(name, "Enter", {value},
               {{"T", DataType::kInt64},
                {"frame_name", frame},
                {"is_constant", options.is_constant},
                {"parallel_iterations", int64_t{options.parallel_iterations}}});
  }
  OutputRef Exit(const std::string& name, OutputRef value) {
    return Add(name, "Exit", {value}, {{"T", DataType::kInt64}});
  }

  // The beginning of a loop that continues while its value is below `limit`.
  // The caller adds the nodes from `body` to the value passed to CloseLoop.
  struct Loop {
    OutputRef merge, body, exit;
  };
  Loop OpenLoop(const std::string& name, OutputRef start, int64_t limit,
                int parallel_iterations = 10) {
    const OutputRef enter = Enter(name + "/enter", name, start,
                                  {.parallel_iterations = parallel_iterations});
    auto merge = graph_.AddNodeUnconnected(
        name + "/merge", "Merge", {{"T", DataType::kInt64}, {"N", int64_t{2}}});
    MR_CHECK(merge.ok(), merge.status().ToString());
    (*merge)->assigned_device = device;
    const OutputRef value{(*merge)->id, 0};
    MR_CHECK(graph_.SetInput(*merge, 0, enter).ok());
    const OutputRef less =
        Add(name + "/less", "Less", {value}, {{"limit", limit}});
    const auto [out, in] = Switch(name + "/switch", value, less);
    return {value, in, Exit(name + "/exit", out)};
  }
  void CloseLoop(const std::string& name, const Loop& loop, OutputRef value) {
    const OutputRef next = Add(name + "/next", "NextIteration", {value},
                               {{"T", DataType::kInt64}});
    const Status set = graph_.SetInput(graph_.node(loop.merge.node), 1, next);
    MR_CHECK(set.ok(), set.ToString());
  }
  // Counts from `start` to `limit` by `op`; returns the Exit.
  OutputRef Counter(const std::string& name, OutputRef start, int64_t limit,
                    int parallel_iterations = 10,
                    const std::string& op = "Tick") {
    const Loop loop = OpenLoop(name, start, limit, parallel_iterations);
    CloseLoop(name, loop, Add(name + "/body", op, {loop.body}));
    return loop.exit;
  }

  // The device of the nodes that are added from now on.
  std::string device = "/job:t/replica:0/task:0/device:CPU:0";

 private:
  Graph graph_;
};

inline StatusOr<std::shared_ptr<const Plan>> BuildTestPlan(const Graph& graph,
                                                           Device& device) {
  KernelCache kernels(&TestKernelTable());
  return Plan::Build(graph, device,
                     [&](std::shared_ptr<const NodeInfo> node, Device& d) {
                       return kernels.Get(std::move(node), d);
                     },
                     {.table = &TestKernelTable()});
}

// One run and its environment. With a null `pool`, ready nodes that do not stay
// on the calling thread wait in a queue that Run processes.
class TestRun {
 public:
  explicit TestRun(std::vector<int64_t> args = {}) {
    for (int64_t arg : args) args_.push_back(Tensor::Scalar<int64_t>(arg));
    environment_.step_id = 1;
    environment_.cancel = &cancel_;
    environment_.rendezvous = rendezvous_.get();
  }

  PlanRun plan_run(TaskQueue* pool) {
    PlanRun run;
    run.environment = &environment_;
    run.args = args_;
    run.retvals = &retvals_;
    run.pool = pool;
    run.result_views = result_views;
    environment_.stats = stats;
    return run;
  }
  Done WhenDone() {
    return Done([this](Status status) {
      status_ = std::move(status);
      done_.Notify();
    });
  }
  Status Wait() {
    done_.Wait();
    return status_;
  }
  bool ended() const { return done_.HasBeenNotified(); }
  Status Run(std::shared_ptr<const Plan> plan, TaskQueue* pool = nullptr) {
    InlineQueue queue;
    RunPlan(std::move(plan), plan_run(pool ? pool : &queue), WhenDone());
    queue.RunAll();
    return Wait();
  }

  CancelScope& cancel() { return cancel_; }
  StepEnvironment& environment() { return environment_; }
  LocalRendezvous& rendezvous() { return *rendezvous_; }
  // Returns an int64 result; -1 if it is dead.
  int64_t value(int i) const {
    return retvals_[i].valid() ? retvals_[i].scalar<int64_t>() : -1;
  }
  StepStatsCollector* stats = nullptr;
  ResultViews result_views = ResultViews::kKeep;

 private:
  CancelScope cancel_;
  Ref<LocalRendezvous> rendezvous_ = MakeRef<LocalRendezvous>();
  StepEnvironment environment_;
  std::vector<Tensor> args_, retvals_;
  Status status_;
  Notification done_;
};

}  // namespace millrace
