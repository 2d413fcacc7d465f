// Checks the cases of all ops in several processes, so that compiling kernels
// uses all cores, and that a kernel which ends its process, or breaks the
// device for it, costs the cases of one op.
#pragma once

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "millrace/base/clock.h"
#include "tests/gpu_check/gpu_cases.h"

namespace millrace::gpu_check {

struct CaseFailure {
  std::string op;
  std::string name;  // of the case; empty: of the whole op
  std::string text;
};

struct CaseTotals {
  int ops = 0;     // whose cases were checked
  int cases = 0;   // that were checked
  int on_gpu = 0;  // of them
  std::vector<CaseFailure> failures;
  std::vector<std::string> left_out;  // ops for which there was no time
};

// In such a process: checks the ops' cases and writes a line each to stdout.
void CheckCases(const cases::Suite& suite, GpuCases& gpu,
                const std::vector<std::string>& ops, Deadline deadline);

// Starts `jobs` such processes at a time, each `command... --cases_of A,B`;
// their logs go to the file `log`. `say` is called with each failure.
CaseTotals CheckInProcesses(const std::vector<std::string>& command,
                            std::vector<std::string> ops, int jobs,
                            const std::string& log, Deadline deadline,
                            absl::FunctionRef<void(const CaseFailure&)> say);

}  // namespace millrace::gpu_check
