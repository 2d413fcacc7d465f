// The results of an estimator's trainings and evaluations.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "millrace/base/status.h"
#include "millrace/tensor/tensor.h"

namespace millrace::train {

using NamedTensors = std::map<std::string, Tensor>;

struct TrainResult {
  int64_t global_step = 0;     // after the last step
  int64_t runs = 0;            // of this process
  std::optional<double> loss;  // of the last of them
  std::string checkpoint;      // the newest one; "" if none is known
};

struct EvaluateResult {
  // With "loss", the mean over all batches, and "global_step".
  NamedTensors metrics;
  int64_t global_step = 0;
  int64_t batches = 0;
  std::string checkpoint;  // that was evaluated

  // Returns a metric that is one number. NOT_FOUND lists the metrics.
  StatusOr<double> Number(const std::string& name) const;
};

}  // namespace millrace::train
