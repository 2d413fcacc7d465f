#include "millrace/checkpoint/slice_copy.h"

#include <algorithm>
#include <numeric>

namespace millrace {

int64_t Box::num_elements() const {
  // With an empty dimension the product of the others might overflow.
  if (std::find(length.begin(), length.end(), 0) != length.end()) return 0;
  return std::accumulate(length.begin(), length.end(), int64_t{1},
                         std::multiplies<>());
}

Box BoxOf(const TensorSlice& slice, const TensorShape& shape) {
  Box box;
  for (int d = 0; d < shape.rank(); ++d) {
    const TensorSlice::Extent& e = slice.extent(d);
    box.start.push_back(e.start);
    box.length.push_back(e.full() ? shape.dim(d) : e.length);
  }
  return box;
}

Box Intersect(const Box& a, const Box& b) {
  Box box;
  for (size_t d = 0; d < a.start.size(); ++d) {
    const int64_t start = std::max(a.start[d], b.start[d]);
    const int64_t end =
        std::min(a.start[d] + a.length[d], b.start[d] + b.length[d]);
    box.start.push_back(start);
    box.length.push_back(std::max<int64_t>(0, end - start));
  }
  return box;
}

namespace {

// Returns true if some element lies in two of the (non-empty) boxes. Sweeps
// along the dimension with the most different starts, so boxes that are cut
// along one dimension take O(n log n).
bool AnyOverlap(std::vector<Box> boxes) {
  if (boxes.size() < 2) return false;
  const size_t rank = boxes[0].start.size();
  if (rank == 0) return true;
  size_t best = 0;
  size_t best_count = 0;
  for (size_t d = 0; d < rank; ++d) {
    std::vector<int64_t> starts;
    for (const Box& b : boxes) starts.push_back(b.start[d]);
    std::sort(starts.begin(), starts.end());
    const size_t count = static_cast<size_t>(
        std::unique(starts.begin(), starts.end()) - starts.begin());
    if (count > best_count) {
      best = d;
      best_count = count;
    }
  }
  std::sort(boxes.begin(), boxes.end(), [&](const Box& a, const Box& b) {
    return a.start[best] < b.start[best];
  });
  for (size_t i = 0; i < boxes.size(); ++i) {
    const int64_t end = boxes[i].start[best] + boxes[i].length[best];
    for (size_t j = i + 1; j < boxes.size() && boxes[j].start[best] < end;
         ++j) {
      if (!Intersect(boxes[i], boxes[j]).empty()) return true;
    }
  }
  return false;
}

}  // namespace

StatusOr<std::vector<size_t>> SelectCover(absl::Span<const Box> stored,
                                          const Box& wanted) {
  std::vector<size_t> chosen;
  std::vector<Box> shared;
  int64_t left = wanted.num_elements();
  for (size_t i = 0; i < stored.size(); ++i) {
    if (stored[i].start == wanted.start && stored[i].length == wanted.length) {
      return std::vector<size_t>{i};
    }
    Box box = Intersect(stored[i], wanted);
    const int64_t elements = box.num_elements();
    if (elements == 0) continue;
    chosen.push_back(i);
    shared.push_back(std::move(box));
    // More elements than the whole has can only come from an overlap.
    if (elements > left) return DataLoss("Slices of a tensor overlap");
    left -= elements;
  }
  if (AnyOverlap(std::move(shared)))
    return DataLoss("Slices of a tensor overlap");
  if (left > 0) return NotFound("No slice has some of the elements");
  return chosen;
}

BoxRuns::BoxRuns(const Box& from, const Box& to) {
  const Box shared = Intersect(from, to);
  const size_t rank = shared.start.size();
  if (shared.empty()) {
    more_ = false;
    return;
  }
  // Inner dimensions that are complete in both boxes are merged into the run.
  size_t outer = rank;
  count_ = 1;
  int64_t from_stride = 1;
  int64_t to_stride = 1;
  bool joining = true;
  for (size_t d = rank; d-- > 0;) {
    from_base_ += (shared.start[d] - from.start[d]) * from_stride;
    to_base_ += (shared.start[d] - to.start[d]) * to_stride;
    if (joining) {
      count_ *= shared.length[d];
      outer = d;
      joining = shared.length[d] == from.length[d] &&
                shared.length[d] == to.length[d];
    } else {
      from_stride_.insert(from_stride_.begin(), from_stride);
      to_stride_.insert(to_stride_.begin(), to_stride);
    }
    from_stride *= from.length[d];
    to_stride *= to.length[d];
  }
  size_.assign(shared.length.begin(),
               shared.length.begin() + static_cast<ptrdiff_t>(outer));
  index_.assign(outer, 0);
}

bool BoxRuns::Next(Run* run) {
  if (!more_) return false;
  *run = {from_base_, to_base_, count_};
  for (size_t d = 0; d < index_.size(); ++d) {
    run->from += index_[d] * from_stride_[d];
    run->to += index_[d] * to_stride_[d];
  }
  more_ = false;
  for (size_t d = index_.size(); d-- > 0;) {
    if (++index_[d] < size_[d]) {
      more_ = true;
      break;
    }
    index_[d] = 0;
  }
  return true;
}

}  // namespace millrace
