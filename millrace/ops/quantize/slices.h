// A tensor cut along an axis, where each slice has its own parameters, such as
// a range.
#pragma once

#include <algorithm>
#include <cstdint>

#include "absl/functional/function_ref.h"
#include "millrace/base/memory/counted_vector.h"
#include "millrace/kernel/kernel_context.h"
#include "millrace/ops/elementwise/elementwise.h"

namespace millrace::ops {

// The tensor is [outer, slices, inner]; without an axis, one slice has
// everything. Loops iterate over pieces of elements. A piece lies within one
// slice; but if slices are short (usually because the axis is the last), a
// piece has many of them, and the loop reads the slices' parameters element by
// element.
class Slices {
 public:
  // Requires: `axis` is -1 or below the rank.
  Slices(const TensorShape& shape, int64_t axis) {
    if (axis < 0) {
      inner_ = shape.num_elements();
      return;
    }
    const int d = static_cast<int>(axis);
    outer_ = shape.NumElements(0, d);
    count_ = shape.dim(d);
    inner_ = shape.NumElements(d + 1, shape.rank());
  }
  int64_t outer() const { return outer_; }
  int64_t count() const { return count_; }
  int64_t inner() const { return inner_; }
  int64_t total() const { return outer_ * count_ * inner_; }

  // Returns whether pieces have many slices.
  bool interleaved() const { return count_ > 1 && inner_ > 0 && inner_ < 32; }

  // Returns the parameters f(slice) of a kernel in an array that pieces index.
  template <class T, class F>
  CountedVector<T> Spread(F&& f) const {
    CountedVector<T> numbers;
    const int64_t places = interleaved() ? period() : count_;
    numbers.reserve(static_cast<size_t>(places));
    for (int64_t i = 0; i < places; ++i) {
      numbers.push_back(f(interleaved() ? i / inner_ % count_ : i));
    }
    return numbers;
  }

  // Calls f(place, first element, n) for pieces of all elements, on the
  // device's threads. The parameters of the piece are at `place` of an array
  // made by Spread; those of the elements of an interleaved piece follow each
  // other from there on.
  Status ForPieces(
      KernelContext& ctx, int64_t cost_picos,
      absl::FunctionRef<void(int64_t place, int64_t begin, int64_t n)> f)
      const {
    const int64_t row = interleaved() ? period() : inner_;
    return ShardElements(
        ctx, total(), cost_picos, [&](int64_t begin, int64_t end) {
          while (begin < end) {
            const int64_t at = begin / row;
            const int64_t n = std::min(end, (at + 1) * row) - begin;
            f(interleaved() ? begin % row : at % count_, begin, n);
            begin += n;
          }
        });
  }

 private:
  // Returns the number of elements after which the slices of an interleaved
  // tensor repeat, or a multiple that makes loops long.
  int64_t period() const {
    const int64_t once = std::max<int64_t>(1, count_ * inner_);
    return once * std::max<int64_t>(1, 256 / once);
  }

  int64_t outer_ = 1, count_ = 1, inner_ = 1;
};

}  // namespace millrace::ops
