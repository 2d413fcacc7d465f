// Forms of data parallelism: how several workers train one network.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "examples/parallel/cpp/race.h"
#include "millrace/millrace.h"

namespace millrace::parallel {

using MakeRule = std::function<std::unique_ptr<train::Optimizer>()>;
MakeRule GradientDescent(double rate);
MakeRule Momentum(double rate, double momentum);

using Gradients = std::vector<train::GradientAndVariable>;
// Returns what a replica hands in for its gradients.
using Hold =
    std::function<Gradients(const Scope& scope, const Gradients& gradients)>;

// The end of a replica's graph: what becomes of its gradients.
struct ReplicaStep {
  Operation train_op;  // its output: the global step, or the token of one
  // Takes another token. Where there is one, the replica takes tokens until
  // that of a later step comes than that of its last gradient. A token of that
  // step itself it keeps until the next step begins; `give_token_back` puts it
  // into the queue, for a replica that has to have it for its gradient.
  Output another_token;
  Output step_now;
  Operation give_token_back;
  std::vector<train::SessionHook*> hooks;
  // The replica begins when its session lets it, maybe long after the others.
  bool may_come_later = false;
  std::vector<Output> fetches;  // of each step, beside train_op
  std::shared_ptr<void> owner;  // of the hooks, and of what they use
};
using MakeStep = std::function<ReplicaStep(
    const Scope& scope, const Output& loss, const ops::Variable& global_step,
    int replica, const Hold& hold)>;

// Each replica applies its own gradients.
MakeStep Asynchronous(const MakeRule& make_rule);
// The average of `gradients_per_step` is applied; with more replicas the others
// are spares. There are tokens of a step for all replicas, also for those that
// have been left behind. With kAny a fast one that finds theirs computes
// gradients that come too late or that nobody waits for, as TensorFlow's does;
// with kOfLaterSteps it takes another one.
enum class Tokens { kAny, kOfLaterSteps };
MakeStep Synchronous(const MakeRule& make_rule, int64_t gradients_per_step,
                     int64_t replicas, Tokens tokens = Tokens::kOfLaterSteps);

struct ReplicasOptions {
  int64_t batch = 50;       // images of a replica's step
  int64_t first_batch = 0;  // the number of the first one
  // Of a replica; null functions do nothing.
  std::function<Gradients(int replica, const Scope& scope,
                          const Gradients& gradients)>
      hold;
  std::function<void(int replica)> before_step;
  std::function<void(int replica, const std::vector<Tensor>& fetched)>
      after_step;  // with what ReplicaStep::fetches gave
};

// Between graphs: each client builds the network for its own worker, with the
// variables on the ps.
StatusOr<RaceResult> TrainBetweenGraphs(Cluster& cluster, const Images& images,
                                        const RaceOptions& race,
                                        const MakeStep& make,
                                        const ReplicasOptions& options);

// A graph of networks that one session trains.
struct Towers {
  Scope graph = Scope::NewRoot();
  std::vector<Classifier> nets;
  // Their outputs: the global step. One that trains all networks, by one
  // client; or one a network, each run by a thread, a client of the race.
  std::vector<Operation> train_ops;
};
StatusOr<RaceResult> TrainTowers(Cluster& cluster, const Images& images,
                                 RaceOptions race, const Towers& towers,
                                 const ReplicasOptions& options);

// In one graph: a copy of the network on each of some workers. The average of
// all gradients is applied, or each copy's own.
enum class Updates { kSynchronous, kAsynchronous };
Towers CopiesOnWorkers(const Cluster& cluster, const ClassifierOptions& options,
                       int workers, Updates updates, const MakeRule& make_rule);

}  // namespace millrace::parallel
