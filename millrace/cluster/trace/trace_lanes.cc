#include "millrace/cluster/trace/trace_lanes.h"

#include <algorithm>
#include <numeric>

namespace millrace {

std::vector<size_t> AssignLanes(absl::Span<const TimeSpan> spans,
                                bool may_nest) {
  std::vector<size_t> order(spans.size());
  std::iota(order.begin(), order.end(), size_t{0});
  // Of spans that begin together the longer ones come first: the others are
  // nested in them.
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return spans[a].start != spans[b].start ? spans[a].start < spans[b].start
                                            : spans[a].end > spans[b].end;
  });
  std::vector<size_t> lanes(spans.size());
  // By track: the ends of the open spans, the innermost last.
  std::vector<std::vector<int64_t>> open;
  for (const size_t i : order) {
    const TimeSpan& span = spans[i];
    size_t lane = 0;
    for (; lane < open.size(); ++lane) {
      std::vector<int64_t>& ends = open[lane];
      while (!ends.empty() && ends.back() <= span.start) ends.pop_back();
      if (ends.empty() || (may_nest && span.end <= ends.back())) break;
    }
    if (lane == open.size()) open.emplace_back();
    open[lane].push_back(span.end);
    lanes[i] = lane;
  }
  return lanes;
}

}  // namespace millrace
