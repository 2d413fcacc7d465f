// Which windows of a pooling cover a pixel: gradients of pooling go through the
// pixels of the input, so that each is written once and no two threads add to
// one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "millrace/ops/nn/pool.h"

namespace millrace::ops {

// A window over a pixel.
struct WindowOver {
  int64_t place;  // of its first channel in the output
  int64_t tap;    // which of the pixels that it covers this one is
  int64_t taps;   // how many it covers
};

// The windows over each position of one dimension.
class Overlap {
 public:
  explicit Overlap(const Window& w) {
    for (int64_t i = 0; i < w.input; ++i) {
      starts_.push_back(windows_.size());
      // From the first that ends behind i.
      const int64_t end = i + w.before - w.filter + 1;
      const int64_t last = std::min(w.output - 1, (i + w.before) / w.stride);
      for (int64_t o = end <= 0 ? 0 : (end - 1) / w.stride + 1; o <= last;
           ++o) {
        const Covered covered = CoveredBy(w, o);
        windows_.push_back({o, i - covered.begin, covered.size()});
      }
    }
    starts_.push_back(windows_.size());
  }
  absl::Span<const WindowOver> Of(int64_t i) const {
    const size_t start = starts_[static_cast<size_t>(i)];
    return absl::MakeConstSpan(windows_).subspan(
        start, starts_[static_cast<size_t>(i) + 1] - start);
  }

 private:
  std::vector<size_t> starts_;
  std::vector<WindowOver> windows_;  // place: the window's number
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
  // Both are to live as long.
  PixelWindows(const PoolProblem& p, const Overlaps& overlaps)
      : p_(p), overlaps_(overlaps) {}

  // `row`: of the batch's images.
  void GoTo(int64_t row) {
    const Window* const w = p_.window;
    const int64_t image = row / (w[0].input * w[1].input);
    lines_.clear();
    for (const WindowOver& d :
         overlaps_.dims[0].Of(row / w[1].input % w[0].input)) {
      for (const WindowOver& h : overlaps_.dims[1].Of(row % w[1].input)) {
        const int64_t line =
            (image * w[0].output + d.place) * w[1].output + h.place;
        lines_.push_back({line * w[2].output * p_.channels,
                          d.tap * h.taps + h.tap, d.taps * h.taps});
      }
    }
  }
  // In order; until the next call.
  absl::Span<const WindowOver> Of(int64_t column) {
    const absl::Span<const WindowOver> over = overlaps_.dims[2].Of(column);
    windows_.resize(lines_.size() * over.size());
    WindowOver* next = windows_.data();
    for (const WindowOver& line : lines_) {
      for (const WindowOver& o : over) {
        *next++ = {line.place + o.place * p_.channels,
                   line.tap * o.taps + o.tap, line.taps * o.taps};
      }
    }
    return windows_;
  }

 private:
  const PoolProblem& p_;
  const Overlaps& overlaps_;
  std::vector<WindowOver> lines_;    // over the row; place: of column 0
  std::vector<WindowOver> windows_;  // over the last pixel
};

}  // namespace millrace::ops
