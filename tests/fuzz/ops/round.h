// Runs a round of cases in child processes, so that a case that falls does not
// end the round.
#pragma once

#include <string>
#include <vector>

#include "millrace/base/clock.h"
#include "tests/fuzz/ops/case_check.h"
#include "tests/fuzz/ops/material.h"

namespace millrace::fuzz {

struct Finding {
  std::string op;
  uint64_t seed = 0;
  int64_t number = 0;  // of the case; -1: all cases of the op together
  Stage stage = Stage::kNone;
  std::string problem;
  std::string output;    // of the process, where that says more
  std::string the_case;  // as Describe says it; "" if it could not be made

  // Returns the finding as it is printed, the last line being the command that
  // runs the case again.
  std::string Text() const;
};

struct RoundOptions {
  uint64_t seed = 1;
  int64_t first_case = 0;
  int64_t cases = 40;  // of each op
  int jobs = 1;
  int64_t limit_ms = 5000;  // of processor time, for a case
  // Whether memory that an op's cases leave behind is looked for, where a
  // sanitizer can. Requires: the program's own is allocated under
  // __lsan::ScopedDisabler.
  bool leaks = false;
  bool progress = false;  // a line on stdout now and then
};

struct RoundResult {
  int64_t ops = 0;  // all of whose cases were run
  int64_t cases = 0;
  int64_t refused = 0;  // by the schema or the shape function
  int64_t errors = 0;
  int64_t results = 0;
  std::vector<Finding> findings;
  bool complete = false;
};

// Requires: this process has no other threads. Ends early at `end`, and after
// some findings in an op goes on with the next op. A case that takes longer
// than the limit is run once more before it is a finding.
RoundResult RunRound(const Material& material,
                     const std::vector<const FuzzedOp*>& ops,
                     const RoundOptions& options, Deadline end);

}  // namespace millrace::fuzz
