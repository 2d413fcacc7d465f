// Finds the windows of a pooling that cover a pixel. Gradients of pooling
// iterate over the pixels of the input, so that each is written once and no two
// threads add to the same one.
#pragma once

#include <algorithm>
#include <cstdint>

#include "absl/types/span.h"
#include "millrace/base/memory/counted_vector.h"
#include "millrace/ops/pooling/pool.h"

namespace millrace::ops {

// A window that covers a pixel.
struct WindowOver {
  int64_t place;   // place of its first channel in the output
  int64_t offset;  // offset of the pixel within the window
  int64_t pixels;  // number of pixels that the window covers
};

// The windows over each position along one dimension, and what each of them
// covers. Memory is proportional to the size of the images, however large the
// windows are.
class Overlap {
 public:
  explicit Overlap(const Window& w) {
    for (int64_t i = 0; i < w.input; ++i) {
      // Begins with the first window that ends behind i.
      const int64_t end = i + w.before - w.filter + 1;
      over_.push_back({end <= 0 ? 0 : (end - 1) / w.stride + 1,
                       std::min(w.output, (i + w.before) / w.stride + 1)});
    }
    for (int64_t o = 0; o < w.output; ++o) covered_.push_back(CoveredBy(w, o));
  }
  // Calls f(WindowOver) in order; the place is the window's number.
  template <class F>
  void ForEach(int64_t i, F&& f) const {
    const Covered over = over_[static_cast<size_t>(i)];
    for (int64_t o = over.begin; o < over.end; ++o) {
      const Covered& covered = covered_[static_cast<size_t>(o)];
      f(WindowOver{o, i - covered.begin, covered.size()});
    }
  }
  int64_t Count(int64_t i) const {
    const int64_t n = over_[static_cast<size_t>(i)].size();
    return std::max<int64_t>(0, n);
  }

 private:
  CountedVector<Covered> over_;     // windows, by position
  CountedVector<Covered> covered_;  // positions, by window
};

struct Overlaps {
  explicit Overlaps(const PoolProblem& p)
      : dims{Overlap(p.window[0]), Overlap(p.window[1]), Overlap(p.window[2])} {
  }
  Overlap dims[kMaxSpatial];
};

// The windows over the pixels of one row after the other.
class PixelWindows {
 public:
  // Both arguments must outlive this.
  PixelWindows(const PoolProblem& p, const Overlaps& overlaps)
      : p_(p), overlaps_(overlaps) {}

  // `row` is a row of the batch's images.
  void GoTo(int64_t row) {
    const Window* const w = p_.window;
    const int64_t image = row / (w[0].input * w[1].input);
    lines_.clear();
    overlaps_.dims[0].ForEach(
        row / w[1].input % w[0].input, [&](const WindowOver& d) {
          overlaps_.dims[1].ForEach(row % w[1].input, [&](const WindowOver& h) {
            const int64_t line =
                (image * w[0].output + d.place) * w[1].output + h.place;
            lines_.push_back({line * w[2].output * p_.channels,
                              d.offset * h.pixels + h.offset,
                              d.pixels * h.pixels});
          });
        });
  }
  // Returns the windows over a pixel, in order. The result is valid until the
  // next call.
  absl::Span<const WindowOver> Of(int64_t column) {
    const Overlap& columns = overlaps_.dims[2];
    windows_.resize(lines_.size() * static_cast<size_t>(columns.Count(column)));
    WindowOver* next = windows_.data();
    for (const WindowOver& line : lines_) {
      columns.ForEach(column, [&](const WindowOver& o) {
        *next++ = {line.place + o.place * p_.channels,
                   line.offset * o.pixels + o.offset, line.pixels * o.pixels};
      });
    }
    return windows_;
  }

 private:
  const PoolProblem& p_;
  const Overlaps& overlaps_;
  CountedVector<WindowOver> lines_;    // over the row; place: of column 0
  CountedVector<WindowOver> windows_;  // over the last pixel
};

// Estimates the time for a row of pixels in ns.
inline int64_t RowNanos(const PoolProblem& p) {
  constexpr int64_t kMaxWindows = int64_t{1} << 20;
  int64_t windows = 1;  // over a pixel
  for (const Window& w : p.window) {
    const int64_t over =
        (std::min(w.filter, w.input) + w.stride - 1) / w.stride;
    windows = std::min(kMaxWindows,
                       windows * std::min({w.output, over, kMaxWindows}));
  }
  return p.window[2].input * (15 + windows * (p.channels / 8 + 2));
}

}  // namespace millrace::ops
