// Which tracks of a trace viewer spans of time go to.
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

// A viewer shows a track right only if each two of its spans either lie one
// after the other or one within the other. Gives each span, by its place in
// `spans`, the number of the first track that has room for it; with `may_nest`
// false one span never lies within another. Tracks are numbered from 0.
std::vector<size_t> AssignLanes(absl::Span<const TimeSpan> spans,
                                bool may_nest);

}  // namespace millrace
