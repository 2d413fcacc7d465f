// How an image is resized along one axis: which pixels of the original each new
// pixel takes, and with which weights.
#pragma once

#include <cstdint>

#include "millrace/base/memory/counted_vector.h"

namespace millrace::ops {

struct Tap {
  int64_t place = 0;
  float weight = 1;
};

// New pixel i takes taps [first[i], first[i + 1]).
struct Axis {
  CountedVector<Tap> taps;
  CountedVector<int64_t> first = {0};

  void Add(int64_t place, float weight) { taps.push_back({place, weight}); }
  void EndPlace() { first.push_back(static_cast<int64_t>(taps.size())); }
  int64_t size() const { return static_cast<int64_t>(first.size()) - 1; }
};

enum class ResizeMethod { kNearest, kBilinear, kBicubic, kArea };

struct ResizeOptions {
  bool align_corners = false;
  bool half_pixel_centers = false;
};

// Makes the axis from `in` to `out` pixels, both at least 1. kNearest has one
// tap of weight 1 for each pixel. The pixels of taps are within [0, in).
Axis MakeAxis(ResizeMethod method, const ResizeOptions& options, int64_t in,
              int64_t out);

// Returns the transpose: the taps of each old pixel, of `in`, among the new
// ones.
Axis Transposed(const Axis& axis, int64_t in);

}  // namespace millrace::ops
