// CaseCheck: runs a case in this process and says what is wrong with what came
// out of it.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "millrace/base/files/memory_files.h"
#include "tests/cases/runner.h"
#include "tests/cases/shapes.h"
#include "tests/fuzz/ops/material.h"

namespace millrace::fuzz {

// What a process does with a case, in this order.
enum class Stage : int { kNone, kMake, kShapes, kKernel, kGradient };

const char* StageName(Stage stage);

enum class Answer { kRefused, kError, kResult };

struct Verdict {
  Answer answer = Answer::kRefused;  // of the graph's build, or of the run
  std::string problem;               // "" if nothing is wrong
};

// One thread. Starts the threads that kernels need.
class CaseCheck {
 public:
  // Requires: `material` outlives this.
  explicit CaseCheck(const Material& material);

  // `begins` is called at the beginning of each stage; a problem is of the last
  // one that began.
  Verdict Check(const FuzzedOp& op, const cases::Case& c,
                const std::function<void(Stage)>& begins);

 private:
  std::string CheckShapes(const cases::BoundCase& bound,
                          const std::vector<std::vector<Tensor>>& outputs,
                          cases::Known known) const;
  void BuildGradients(const cases::BoundCase& bound, bool shapes_known) const;
  std::string MemoryProblem() const;

  const Material& material_;
  cases::CaseRunner runner_;
  // Each case has its own. Iterators that work ahead may use those of the last
  // ones for a moment.
  std::deque<std::unique_ptr<MemoryFiles>> files_;
  const int64_t resident_kib_;  // at the beginning
};

}  // namespace millrace::fuzz
