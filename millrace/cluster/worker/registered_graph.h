// RegisteredGraph: a partition that a master has registered, ready to run.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "millrace/exec/function_runtime.h"
#include "millrace/exec/kernel_cache.h"
#include "millrace/exec/plan_set.h"
#include "millrace/graph/graph_def.h"
#include "millrace/graph/op_registry.h"

namespace millrace {

// The tables and threads that a graph is compiled against. All of them must
// outlive the graph.
struct GraphEnvironment {
  const OpRegistry* ops = nullptr;
  KernelCache* kernels = nullptr;
  TaskQueue* pool = nullptr;
  absl::FunctionRef<Device*(absl::string_view name)> find_device;
  bool fuse = false;                               // pass/fuse_nodes.h
  FunctionDifferentiator differentiate = nullptr;  // null: no gradients
  std::shared_ptr<FunctionTargets> targets = nullptr;
};

// Client-terminated _Recv and _Send nodes whose two devices are the same device
// of this task become numbered slots of the plan (_Arg and _Retval); all others
// meet in the step's rendezvous. Immutable except for partial_plans;
// thread-safe.
class RegisteredGraph {
 public:
  // Fills in missing attributes with their defaults. Errors as of
  // ImportGraphDef and Plan::Build.
  static StatusOr<std::unique_ptr<RegisteredGraph>> Build(
      const GraphDef& def, const GraphEnvironment& environment);

  struct Slot {
    int index = 0;
    DataType dtype = DataType::kInvalid;
    std::string name;  // tensor_name of its node
  };
  // Finds the slot of a rendezvous key; null for keys that are not slots.
  const Slot* FindArg(absl::string_view key) const;
  const Slot* FindRetval(absl::string_view key) const;

  const std::shared_ptr<const PlanSet>& plans() const { return plans_; }
  // Returns the plans without slots, for partial runs; null until
  // BuildPartialPlans.
  std::shared_ptr<const PlanSet> partial_plans() const;
  // Builds them unless they exist. `environment` must be as before.
  StatusOr<std::shared_ptr<const PlanSet>> BuildPartialPlans(
      const GraphEnvironment& environment);
  FunctionRuntime* functions() { return functions_.get(); }
  // Returns the graph as it was registered, with defaults filled in.
  GraphDef ToGraphDef() const;

 private:
  explicit RegisteredGraph(const OpRegistry* ops) : graph_(ops) {}
  Status AssignDevices(const GraphEnvironment& environment);
  StatusOr<Graph> WithSlots(const GraphEnvironment& environment);

  Graph graph_;
  std::shared_ptr<const FunctionLibrary> library_;
  std::unique_ptr<FunctionRuntime> functions_;
  std::shared_ptr<const PlanSet> plans_;
  absl::flat_hash_map<std::string, Slot> args_;
  absl::flat_hash_map<std::string, Slot> retvals_;

  Mutex building_;  // held while partial_plans_ is built; acquired before mu_
  mutable Mutex mu_;
  std::shared_ptr<const PlanSet> partial_plans_;  // guarded by mu_
};

}  // namespace millrace
