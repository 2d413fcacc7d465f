// Compares the cases of ops on a GPU of this machine with the CPU's values.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "millrace/kernel/device.h"
#include "tests/cases/runner.h"
#include "tests/cases/suite.h"
#include "tests/gpu/cases/case_session.h"
#include "tests/gpu/cases/differences.h"

namespace millrace::gpu_check {

struct CaseVerdict {
  bool on_gpu = false;     // a node of the case's own op ran there
  std::string difference;  // empty: as on the CPU, or an allowed difference
};

// One thread.
class GpuCases {
 public:
  // The pool of the GPU grows with what the cases need.
  static StatusOr<std::unique_ptr<GpuCases>> Make(
      const cases::Suite& suite, cases::Differences differences);

  // Begins the cases of another op, which have a session of their own.
  Status Begin();
  CaseVerdict Check(const cases::Case& c);

 private:
  GpuCases(const cases::Suite& suite, cases::Differences differences);

  const cases::Suite& suite_;
  const cases::Differences differences_;
  cases::CaseRunner on_cpu_;
  // Keep the card's memory and streams from session to session.
  std::vector<std::unique_ptr<Device>> devices_;
  std::unique_ptr<cases::CaseSession> session_;
};

}  // namespace millrace::gpu_check
