// What becomes of a replica's gradients.
#include <utility>

#include "examples/parallel/cpp/replicas.h"
#include "millrace/millrace.h"

namespace millrace::parallel {
namespace {

constexpr int64_t kSyncPollMs = 50;

// The variable that SyncReplicas keeps a replica's step in, by its name.
ops::Variable OwnStep(const Scope& scope) {
  for (const ops::Variable& variable : ops::LocalVariables(scope)) {
    if (variable.op_name() == "sync_rep_local_step") return variable;
  }
  scope.Fail(NotFound("the graph has no variable sync_rep_local_step"));
  return {};
}

// Adds what a replica does with tokens of the queue of SyncReplicas, which is
// found by its name.
void AddTokens(const Scope& scope, const ops::Variable& step,
               ReplicaStep* made) {
  const Scope there = scope.WithDevice(step.op().device());
  const FIFOQueue tokens(
      there.WithOpName("tokens"), {step.dtype()},
      {.shapes = {PartialShape({})}, .shared_name = "sync_token_q"});
  const ops::Variable own = OwnStep(scope);
  if (!scope.ok()) return;
  made->another_token = own.Assign(scope, tokens.Dequeue(there)[0]);
  made->step_now = step.Read(scope);
  made->give_token_back = tokens.Enqueue(there, {own.Read(scope)});
}

}  // namespace

MakeRule GradientDescent(double rate) {
  return [rate] {
    return std::make_unique<train::GradientDescentOptimizer>(rate);
  };
}

MakeRule Momentum(double rate, double momentum) {
  return [=] {
    return std::make_unique<train::MomentumOptimizer>(rate, momentum);
  };
}

MakeStep Asynchronous(const MakeRule& make_rule) {
  return [make_rule](const Scope& scope, const Output& loss,
                     const ops::Variable& step, int /*replica*/,
                     const Hold& hold) {
    const std::shared_ptr<train::Optimizer> rule = make_rule();
    const Operation train_op = rule->ApplyGradients(
        scope, hold(scope, rule->ComputeGradients(scope, loss)),
        {.global_step = step});
    return ReplicaStep{.train_op = train_op, .owner = rule};
  };
}

MakeStep Synchronous(const MakeRule& make_rule, int64_t gradients_per_step,
                     int64_t replicas, Tokens tokens) {
  struct Parts {
    Parts(std::unique_ptr<train::Optimizer> optimizer,
          const train::SyncReplicasOptions& options)
        : rule(std::move(optimizer)), sync(rule.get(), options) {}
    std::unique_ptr<train::Optimizer> rule;
    train::SyncReplicas sync;
    std::unique_ptr<train::SyncReplicasHook> hook;
  };
  return [=](const Scope& scope, const Output& loss, const ops::Variable& step,
             int replica, const Hold& hold) {
    const auto parts = std::make_shared<Parts>(
        make_rule(),
        train::SyncReplicasOptions{.gradients_per_step = gradients_per_step,
                                   .replicas = replicas});
    ReplicaStep made;
    made.train_op = parts->sync.ApplyGradients(
        scope, hold(scope, parts->sync.ComputeGradients(scope, loss)),
        {.global_step = step});
    if (tokens == Tokens::kOfLaterSteps) {
      AddTokens(scope, step, &made);
    }
    parts->hook = std::make_unique<train::SyncReplicasHook>(
        parts->sync, train::SyncReplicasHookOptions{
                         .is_chief = [replica] { return replica == 0; },
                         .poll_ms = kSyncPollMs});
    made.hooks = {parts->hook.get()};
    made.owner = parts;
    return made;
  };
}

}  // namespace millrace::parallel
