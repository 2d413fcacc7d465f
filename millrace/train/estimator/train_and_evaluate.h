// TrainAndEvaluate: what each task of a cluster does, and one process alone, in
// the manner of tf.estimator.train_and_evaluate.
//
//   int main() {
//     auto config = RunConfig::FromEnvironment({.model_dir = "/models/line"});
//     ...
//     Estimator estimator(Line, *config);
//     const auto result = TrainAndEvaluate(
//         estimator, {.input = Rows, .max_steps = 1000}, {.input = Rows});
//     return ExitCodeFor(result.status());
//   }
//
// Every task runs this program, each with its own TF_CONFIG:
//
//   chief      trains, initializes, saves, and writes events
//   master     does so too, and evaluates after it has saved
//   worker     trains, later by five seconds than the task before it, and not
//              later than max_worker_delay_secs; waits for the chief
//   ps         has the variables, until all others have come to their end, or
//              the chief has and the others are out of reach for two minutes
//   evaluator  evaluates each new checkpoint, until that of max_steps, or the
//              last one of a training that is over
//   none       trains here, and evaluates after it has saved, and at the end
//
// All tasks must share model_dir. Tasks of tf.estimator in Millrace's Python
// package may be in the same cluster. One that is lost is started again with
// the same TF_CONFIG: a worker and a chief go on, a ps gets the newest
// checkpoint from the chief.
//
// A server of the program's own may serve one training after another, the next
// from when its ps has returned. It keeps the values of the model, with which
// the next one goes on.
#pragma once

#include <optional>

#include "millrace/cluster/server.h"
#include "millrace/train/estimator/estimator.h"
#include "millrace/train/estimator/train_specs.h"

namespace millrace::train {

struct TrainAndEvaluateOptions {
  // The options of the server that is started for this task: `insecure` allows
  // one beyond loopback. Cluster and task are those of the RunConfig.
  ServerOptions server;
  // The task's server, if the program has started it; null: starts it. Must
  // outlive the call.
  Server* running = nullptr;
};

// Does the part of this task. Returns the result of the last evaluation, which
// only an evaluator, a master and a process alone have. Errors: those of
// training and evaluation; INVALID_ARGUMENT for specs that make no sense;
// CANCELLED after a stop of the RunConfig, with which the training is not over.
StatusOr<std::optional<EvaluateResult>> TrainAndEvaluate(
    Estimator& estimator, const TrainSpec& train_spec,
    const EvalSpec& eval_spec, const TrainAndEvaluateOptions& options = {});

// Returns the code with which a task's process ends. Schedulers start a task
// again whose code is above 127: one that ends with ABORTED, UNAVAILABLE or
// DEADLINE_EXCEEDED, since others were lost, has 138. 0 is OK, 1 all else.
int ExitCodeFor(const Status& status);

}  // namespace millrace::train
