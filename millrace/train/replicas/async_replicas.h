// AsyncReplicas: asynchronous training of several replicas, each of which
// applies its own gradients when it has them, with their staleness measured and
// what is told done about it.
//
//   GradientDescentOptimizer rule(0.1);
//   AsyncReplicas async(&rule, {.replicas = 4, .replica = task,
//                               .policy = StalenessPolicy::kDrop,
//                               .max_staleness = 8});
//   const Operation train_op = async.Minimize(s, loss, {.global_step = step});
//   AsyncReplicasHook hook(async);
//   MonitoredSession session(s, {.is_chief = is_chief, .hooks = {&hook}});
//   ... fetch train_op.output(0), async.ops().staleness ...
//
// The staleness of a gradient is the number of updates that the global step has
// counted between two moments of one step: when the step begins, before the
// parameters are read, and when the gradient is applied. 0: nobody updated
// between.
//
// Where that is measured. Both reads of the global step, the difference and
// what becomes of it are on the task that has the global step, so measuring
// sends nothing. The first read is ordered before those of the variables on
// that task; on other tasks the reads begin when the step's request arrives
// there, so an update in between may be missed. With kMeasure the second read
// comes after the updates of the variables and before the step counts its own;
// with the other policies it comes when all gradients have been computed (those
// of variables beside the global step: have arrived there). If variables are on
// other tasks, too, the step then sends a signal from the worker to the global
// step's task, and the decision from there to each of those.
//
// Two replicas that apply at once. With Updates::kAtOnce the decision of one
// counts no update that another has decided on but not yet counted in the
// global step. Each other replica has at most one of these, so a gradient that
// was applied has missed at most max_staleness + replicas - 1 of the updates
// that were decided on before it. With Updates::kOneByOne it is at most
// max_staleness, of variables beside the global step: a mutex there is held
// from the decision to the counting of the step; a step that is lost meanwhile
// gives it up.
//
// What a dropped gradient sent by top-k is lost: it has left the residual.
//
// Bounded staleness (max_ahead) and the warm-up are what an AsyncReplicasHook
// waits for between the steps. All replicas have the same options but for
// `replica`; the records by which they know of each other are a table on the
// global step's task (replica_table.h), which no checkpoint has.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "millrace/client/session.h"
#include "millrace/train/optimizers/optimizer.h"
#include "millrace/train/replicas/gradient_wire.h"
#include "millrace/train/replicas/replica_table.h"

namespace millrace::train {

// Says what becomes of a stale gradient.
enum class StalenessPolicy {
  kMeasure,  // it is applied as it is
  // One that is staler than max_staleness is not applied: neither the variables
  // nor the optimizer's state nor the global step change.
  kDrop,
  // It is multiplied by 1 / (staleness + 1).
  kScale
};

// Says whether the updates of several replicas may overlap.
enum class Updates { kAtOnce, kOneByOne };

struct AsyncReplicasOptions {
  int64_t replicas = 1;
  int64_t replica = 0;  // this one, 0 to replicas - 1
  StalenessPolicy policy = StalenessPolicy::kMeasure;
  std::optional<int64_t>
      max_staleness;  // at least 0; for kDrop, which needs it
  Updates updates = Updates::kAtOnce;
  // Bounded staleness: a replica waits while it is more than this many steps
  // ahead of the slowest replica that trains; none: it never waits. 0: all go
  // step by step. With s, a gradient misses at most (2 s + 1) (replicas - 1)
  // updates while all replicas live.
  std::optional<int64_t> max_ahead;
  // Only replica 0 trains until the global step is this.
  int64_t warm_up_steps = 0;
  GradientWire wire;
  std::string name = "async_replicas";  // of the block, and of the table
};

// The outputs and ops of the graph; those of the first part belong to a step
// that runs the train op.
struct AsyncReplicasOps {
  Output staleness;  // int64 scalar: of this step's gradients
  Output applied;    // bool scalar: whether they were applied
  // Read the state of all replicas, whenever they run.
  Output global_step;  // int64
  Output records;      // of all replicas, for ParseReplicaRecords
  // Makes this replica one that trains, with the clock of the slowest that
  // does, and returns that clock.
  Output join;
  // Sets the state (ReplicaState) of a replica.
  Output fed_replica;  // int64 scalar
  Output fed_state;    // int64 scalar
  Operation set_state;
};

// Used for one graph, by each replica. Not thread-safe.
class AsyncReplicas {
 public:
  // `rule` applies the gradients and must outlive this.
  AsyncReplicas(Optimizer* rule, const AsyncReplicasOptions& options);

  std::vector<GradientAndVariable> ComputeGradients(
      const Scope& scope, const Output& loss,
      const ComputeGradientsOptions& options = {}) const {
    return rule_->ComputeGradients(scope, loss, options);
  }
  // Returns the op of one step of a replica, whose output is the global step
  // after it. May be called once; a session that has run reads of the variables
  // before does not see that they are ordered now. Without options.global_step,
  // with options that contradict each other, or without any gradient, the graph
  // has an error, INVALID_ARGUMENT, and the op is null.
  Operation ApplyGradients(const Scope& scope,
                           const std::vector<GradientAndVariable>& gradients,
                           const ApplyGradientsOptions& options);
  Operation Minimize(const Scope& scope, const Output& loss,
                     const MinimizeOptions& options);

  const AsyncReplicasOptions& options() const { return options_; }
  // Valid after ApplyGradients.
  const AsyncReplicasOps& ops() const { return ops_; }

 private:
  struct Step;  // the parts of the graph of one step
  Status Check(const ApplyGradientsOptions& options) const;
  // Builds the second read of the global step, with the control dependencies of
  // `scope`.
  void Measure(const Scope& scope, Step* step);
  // Builds what is decided when the gradients are there.
  void Decide(Step* step);
  std::vector<GradientAndVariable> Scaled(
      std::vector<GradientAndVariable> gradients, const Scope& block) const;
  void BuildOps(const ReplicaTable& table, const Step& step);

  Optimizer* const rule_;
  const AsyncReplicasOptions options_;
  AsyncReplicasOps ops_;
};

// Returns the records of all replicas, for programs that watch them.
StatusOr<ReplicaRecords> ReadReplicaRecords(Session& session,
                                            const AsyncReplicasOps& ops);

}  // namespace millrace::train
