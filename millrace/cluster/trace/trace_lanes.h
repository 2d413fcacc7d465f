// AssignLanes: assigns spans of time to the tracks of a trace viewer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace millrace {

struct TimeSpan {
  int64_t start = 0;
  int64_t end = 0;  // not before the start
};

// A viewer shows a track correctly only if each two of its spans are either
// disjoint or nested. Returns for each span, by its index in `spans`, the
// number of the first track that has room for it; if `may_nest` is false, no
// span is nested in another. Tracks are numbered from 0.
std::vector<size_t> AssignLanes(absl::Span<const TimeSpan> spans,
                                bool may_nest);

}  // namespace millrace
