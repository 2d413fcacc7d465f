// Whether copies to and from a card run while it computes.
#pragma once

#include <string>
#include <vector>

#include "millrace/base/status.h"

namespace millrace::gpu_check {

struct Overlap {
  // The time of a step that only computes, of one that only copies, and of one
  // that does both, which do not depend on each other.
  double compute_seconds = 0;
  double copy_seconds = 0;
  double both_seconds = 0;
  // What of the shorter one is hidden behind the other: 0 to 1.
  double hidden_part() const;
  // Lines "start_us end_us device node" of a traced step of both.
  std::vector<std::string> trace;
};

StatusOr<Overlap> MeasureOverlap(bool small);

}  // namespace millrace::gpu_check
