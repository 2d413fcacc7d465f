// The same figures by PyTorch, where it is installed.
#pragma once

#include <map>
#include <string>

#include "millrace/base/clock.h"

namespace millrace::gpu_check {

struct TorchRows {
  std::map<std::string, double> seconds;  // by the name of the row
  std::string version;  // what it is, or why there are no figures
};

// Runs torch_bench.py by `python`; its errors go to the file `log`.
TorchRows RunTorch(const std::string& python, const std::string& script,
                   const std::string& log, Deadline deadline);

}  // namespace millrace::gpu_check
