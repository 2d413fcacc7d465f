// TrainSpec and EvalSpec: what TrainAndEvaluate does. Hooks must outlive it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "millrace/train/estimator/estimator_spec.h"

namespace millrace::train {

struct TrainSpec {
  InputFunction input;
  std::optional<int64_t> max_steps;  // none: until the input ends
  std::vector<SessionHook*> hooks;
};

struct EvalSpec {
  InputFunction input;
  std::optional<int64_t> steps = 100;  // batches; none: until the input ends
  std::string name;                    // as EvaluateOptions have it
  std::vector<SessionHook*> hooks;
  // Both finite: an evaluator comes to an end after them.
  double start_delay_secs = 120;  // before an evaluator begins
  double throttle_secs = 600;     // between the beginnings of two evaluations
};

}  // namespace millrace::train
