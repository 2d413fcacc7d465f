// CheckpointEvaluator: evaluates each new checkpoint of an estimator once.
// Private to estimator/.
#pragma once

#include <optional>
#include <string>

#include "millrace/train/estimator/estimator.h"
#include "millrace/train/estimator/train_specs.h"

namespace millrace::train {

// Used by one thread at a time.
class CheckpointEvaluator {
 public:
  // `estimator` and `spec` must outlive it.
  CheckpointEvaluator(Estimator* estimator, const EvalSpec& spec)
      : estimator_(*estimator), spec_(spec) {}

  // Evaluates the newest checkpoint, unless that was the last time's; returns
  // whether it did. If a training removes the checkpoint meanwhile, the one
  // that is the newest then is taken.
  StatusOr<bool> EvaluateNewest();

  bool stop_requested() const { return estimator_.config().stop_requested(); }
  // Returns the result of the last evaluation.
  const std::optional<EvaluateResult>& last() const { return last_; }

 private:
  Estimator& estimator_;
  const EvalSpec& spec_;
  std::optional<EvaluateResult> last_;
};

// Evaluates the checkpoints that a session in this process writes, at most one
// in throttle_secs.
class EvaluateAfterSaveHook final : public SessionHook {
 public:
  EvaluateAfterSaveHook(CheckpointEvaluator* evaluator, double throttle_secs)
      : evaluator_(*evaluator), throttle_secs_(throttle_secs) {}
  Status AfterSave(HookContext& context,
                   const std::string& checkpoint) override;

 private:
  CheckpointEvaluator& evaluator_;
  const double throttle_secs_;
  std::optional<int64_t> begun_nanos_;  // of the last evaluation
};

}  // namespace millrace::train
