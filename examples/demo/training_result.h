// TrainingResult: what the demo tells at the end.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "examples/demo/demo_options.h"
#include "examples/demo/display.h"
#include "examples/support/server_processes.h"

namespace millrace::demo {

struct TrainingResult {
  bool trained = false;  // to the end
  double accuracy = -1;  // of the test set; negative: not tested
  int64_t first_step = 0;
  int64_t last_step = 0;
  double seconds = 0;
  int recoveries = 0;
  // Of each worker's client.
  std::vector<bool> lost;
};

// Asks the servers that run for their figures and prints the table, where the
// newest checkpoint is, and how to open TensorBoard.
void ShowResult(const TrainingResult& result, const DemoOptions& options,
                examples::ServerProcesses& cluster, Display& display);

}  // namespace millrace::demo
