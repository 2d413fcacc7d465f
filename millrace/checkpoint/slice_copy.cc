#include "millrace/checkpoint/slice_copy.h"

#include <algorithm>
#include <numeric>

#include "millrace/base/hash/siphash.h"
#include "millrace/base/random.h"

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

// Sums random weights of the elements of boxes, in time that depends on neither
// their sizes nor how they lie. An element's weight is the product of weights
// of its indices; so two sets of boxes with the same sum have each element
// equally often, but for a chance below 2^-50, which nobody who does not know
// the weights can raise.
class RandomWeights {
 public:
  __extension__ using Wide = unsigned __int128;

  // Returns the sum of all weights in the box modulo kPrime.
  uint64_t Of(const Box& box) const {
    uint64_t product = 1;
    for (size_t d = 0; d < box.start.size(); ++d) {
      const uint64_t from = Below(d, box.start[d]);
      const uint64_t to = Below(d, box.start[d] + box.length[d]);
      product = Reduced(Wide{product} * Reduced(to + kPrime - from));
    }
    return product;
  }
  static uint64_t Sum(uint64_t a, uint64_t b) { return Reduced(a + b); }

 private:
  static constexpr uint64_t kPrime = (uint64_t{1} << 61) - 1;
  static uint64_t Reduced(Wide value) {
    return static_cast<uint64_t>(value % kPrime);
  }
  // The sum of the weights of the indices below `index`: the sums are drawn,
  // the weights are their differences.
  uint64_t Below(size_t dimension, int64_t index) const {
    const uint64_t place[2] = {dimension, static_cast<uint64_t>(index)};
    return Reduced(
        SipHash(key_, {reinterpret_cast<const char*>(place), sizeof(place)}));
  }

  const SipKey key_ = {RandomUint64(), RandomUint64()};
};

}  // namespace

StatusOr<std::vector<size_t>> SelectCover(absl::Span<const Box> stored,
                                          const Box& wanted) {
  std::vector<size_t> chosen;
  const RandomWeights weights;
  uint64_t weight = 0;
  int64_t left = wanted.num_elements();
  for (size_t i = 0; i < stored.size(); ++i) {
    if (stored[i].start == wanted.start && stored[i].length == wanted.length) {
      return std::vector<size_t>{i};
    }
    const Box box = Intersect(stored[i], wanted);
    const int64_t elements = box.num_elements();
    if (elements == 0) continue;
    chosen.push_back(i);
    weight = RandomWeights::Sum(weight, weights.Of(box));
    // More elements than the whole has can only come from an overlap.
    if (elements > left) return DataLoss("Slices of a tensor overlap");
    left -= elements;
  }
  if (left > 0) return NotFound("No slice has some of the elements");
  if (!wanted.empty() && weight != weights.Of(wanted)) {
    return DataLoss("Slices of a tensor overlap");
  }
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
