// How values are rounded to multiples of a step, on any device: C++ includes
// this behind shared_text.h, and it stands before round_trip.gpu.cu in texts
// for GPUs. So it includes nothing.
#pragma once

namespace millrace::ops {

// How a slice is rounded: values are limited to [min, max], multiplied by
// `scale`, rounded, and multiplied by `step`.
template <class N>
struct Rounding {
  N min, max, scale, step;
};

// Returns the rounding of values in [min, max] that the integers [least, most]
// represent. The end of the range that needs the larger step decides; the other
// end moves, so that 0 stays 0. `none` is the largest number.
template <class N>
MR_SHARED Rounding<N> RoundingOf(N min, N max, N least, N most, N none) {
  const N from_min = least * min > 0 ? least / min : none;
  const N from_max = most * max > 0 ? most / max : none;
  if (from_min < from_max) {
    const N step = min / least;
    return Rounding<N>{min, most * step, from_min, step};
  }
  const N step = max / most;
  return Rounding<N>{least * step, max, from_max, step};
}

}  // namespace millrace::ops
