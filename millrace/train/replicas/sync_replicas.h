// SyncReplicas: synchronous training of several replicas. Gradients of all of
// them are averaged, and the average is applied once a step.
//
//   GradientDescentOptimizer rule(0.1);
//   SyncReplicas sync(&rule, {.gradients_per_step = 3, .replicas = 4});
//   const Operation train_op = sync.Minimize(s, loss, {.global_step = step});
//   SyncReplicasHook hook(sync, {.is_chief = is_chief});
//   MonitoredSession session(s, {.is_chief = is_chief, .hooks = {&hook}});
//
// Ops, names, queues and accumulators are those of TensorFlow's
// SyncReplicasOptimizer, so its workers and these train together.
//
// A gradient belongs to the step whose token its replica took; it goes to the
// accumulator of its variable (VARIABLE/grad_accum), which drops those of older
// steps. When an accumulator has `gradients_per_step`, the chief takes their
// average. After the update it hands out a token of the new step for each
// replica. With more replicas than gradients a step the others are spares: the
// fastest gradients count.
//
// The staleness of a gradient is the number of updates between its token and
// its arrival; accumulators drop one that is stale. Each replica counts its own
// on its worker, which costs a step the transfer of one number. Not counted is
// one that arrives while its step is applied: when an accumulator has been
// emptied, but the global step has not moved yet.
#pragma once

#include <string>
#include <vector>

#include "millrace/client/queues.h"
#include "millrace/train/optimizers/optimizer.h"
#include "millrace/train/replicas/gradient_wire.h"

namespace millrace::train {

struct SyncReplicasOptions {
  int64_t gradients_per_step = 1;
  int64_t replicas = 0;  // 0: as many as gradients a step
  // On the way to the accumulators, which get what has been restored.
  GradientWire wire;
  std::string name = "sync_replicas";
};

// The ops that a SyncReplicasHook runs.
struct SyncReplicasOps {
  int64_t gradients_per_step = 0;
  int64_t replicas = 0;
  // Set the step that a replica's gradients belong to, and on the chief also
  // that of the accumulators, to the global step.
  Operation start_replica;
  Operation start_chief;
  Operation follow_step;  // that of the accumulators alone
  // Waits for the gradients of a step, applies them, and hands out tokens.
  Operation update;
  // Hands out as many tokens of the global step as are fed.
  Output token_count;
  Operation give_tokens;
  // The state of the step: what has come and what has been handed out.
  Output global_step;
  Output waiting_tokens;
  std::vector<Output> gradients;       // that each accumulator has
  std::vector<std::string> variables;  // of the accumulators
  // Tells that a replica has left; how many have, and to forget some.
  Operation leave;
  Output left;
  Output forget_count;
  Operation forget;
  // The staleness of a step's gradients, an int64 scalar that belongs to a run
  // of the train op, and how many of this replica's steps gave stale ones,
  // which were dropped, since its session began.
  Output staleness;
  Output dropped;
};

// Used for one graph, by each replica with the same options. Not thread-safe.
class SyncReplicas {
 public:
  // `rule` applies the averages and must outlive this.
  SyncReplicas(Optimizer* rule, const SyncReplicasOptions& options);

  std::vector<GradientAndVariable> ComputeGradients(
      const Scope& scope, const Output& loss,
      const ComputeGradientsOptions& options = {}) const {
    return rule_->ComputeGradients(scope, loss, options);
  }
  // Returns the op of one step of a replica: it hands in the gradients and
  // waits for the next token, which is its output. May be called once. Without
  // options.global_step, or without any gradient, the graph has an error,
  // INVALID_ARGUMENT, and the op is null; also if there are fewer replicas than
  // 1 or fewer gradients a step than 1.
  Operation ApplyGradients(const Scope& scope,
                           const std::vector<GradientAndVariable>& gradients,
                           const ApplyGradientsOptions& options);
  Operation Minimize(const Scope& scope, const Output& loss,
                     const MinimizeOptions& options);

  // Valid after ApplyGradients.
  const SyncReplicasOps& ops() const { return ops_; }

 private:
  struct Measured;
  // Builds the read of the global step that tells the staleness of gradients,
  // which are `sent` to the accumulators behind it.
  Measured Measure(const Scope& control, const ops::Variable& step,
                   const std::vector<GradientAndVariable>& computed,
                   std::vector<GradientAndVariable>* sent) const;
  struct Given;  // what became of the gradients
  Given Give(const Scope& block,
             const std::vector<GradientAndVariable>& gradients,
             const Measured& measured);
  // Returns the op that counts stale gradients, in a scope on the worker.
  Operation CountDropped(const Scope& own, const Output& now);

  Optimizer* const rule_;
  const SyncReplicasOptions options_;
  Output local_step_;
  SyncReplicasOps ops_;
};

}  // namespace millrace::train
