// Positions of projected pixels, and what lies there, on any device: C++
// includes this behind <cmath> and shared_text.h, and it stands before
// project.gpu.cu in texts for GPUs. So it includes nothing.
#pragma once

namespace millrace::ops {
namespace project {

enum class FillMode { kConstant, kReflect, kWrap, kNearest };

// Returns the number of whole periods; 0 for positions beyond any image.
MR_SHARED float WholePeriods(float at, float period) {
  const float quotient = at / period;
  return fabsf(quotient) < 9e18f ? truncf(quotient) : 0.0f;
}

// Returns the position that is read for a position outside of [0, size).
MR_SHARED float MapInto(FillMode mode, float at, int64_t size) {
  const float length = static_cast<float>(size);
  const float last = length - 1;
  switch (mode) {
    case FillMode::kConstant:
      return at;
    case FillMode::kNearest:
      break;
    case FillMode::kReflect: {  // dcba|abcd|dcba
      const float period = 2 * length;
      if (at < 0) {
        if (size <= 1) return 0;
        at += RoundedProduct(period, WholePeriods(-at, period));
        at = at < -length ? at + period : -at - 1;
      } else if (at > last) {
        if (size <= 1) return 0;
        at -= RoundedProduct(period, WholePeriods(at, period));
        if (at >= length) at = period - at - 1;
      }
      break;
    }
    case FillMode::kWrap:  // abcd|abcd|abcd
      if (at < 0) {
        if (size <= 1) return 0;
        at += RoundedProduct(length, WholePeriods(-at, last) + 1);
      } else if (at > last) {
        if (size <= 1) return 0;
        at -= RoundedProduct(length, WholePeriods(at, last));
      }
      break;
  }
  // Half a pixel beyond the last one would be rounded up. NaN stays.
  const float not_before = at < 0.0f ? 0.0f : at;
  return last < not_before ? last : not_before;
}

struct Place {
  float x, y;
  bool exists;  // else it is infinitely far away
};

// Returns the position in an image of a pixel of the result, by the eight
// numbers of a projective transform.
MR_SHARED Place Projected(const float* m, float column, float row) {
  const float projection =
      RoundedProduct(m[6], column) + RoundedProduct(m[7], row) + 1;
  if (projection == 0) return Place{0, 0, false};
  return Place{
      (RoundedProduct(m[0], column) + RoundedProduct(m[1], row) + m[2]) /
          projection,
      (RoundedProduct(m[3], column) + RoundedProduct(m[4], row) + m[5]) /
          projection,
      true};
}

template <class E>
struct Picture {
  const E* pixels;
  int64_t height, width, depth;
  E outside;

  // NaN is outside, too.
  MR_SHARED E At(float y, float x, int64_t c) const {
    if (!(y >= 0 && y < static_cast<float>(height) && x >= 0 &&
          x < static_cast<float>(width))) {
      return outside;
    }
    const int64_t row = static_cast<int64_t>(y);
    const int64_t column = static_cast<int64_t>(x);
    return pixels[(row * width + column) * depth + c];
  }

  MR_SHARED float Bilinear(float y, float x, int64_t c) const {
    const float top = floorf(y), left = floorf(x);
    const float bottom = top + 1, right = left + 1;
    return RoundedProduct(bottom - y, Between(top, x, left, right, c)) +
           RoundedProduct(y - top, Between(bottom, x, left, right, c));
  }

 private:
  MR_SHARED float Between(float row, float x, float left, float right,
                          int64_t c) const {
    return RoundedProduct(right - x, static_cast<float>(At(row, left, c))) +
           RoundedProduct(x - left, static_cast<float>(At(row, right, c)));
  }
};

}  // namespace project
}  // namespace millrace::ops
