#include "millrace/ops/image/axis.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace millrace::ops {
namespace {

float ScaleOf(bool align_corners, int64_t in, int64_t out) {
  return align_corners && out > 1
             ? static_cast<float>(in - 1) / static_cast<float>(out - 1)
             : static_cast<float>(in) / static_cast<float>(out);
}

// Stock looks cubic weights up in a table with this many steps between pixels,
// so they are the weights of rounded distances.
constexpr int kCubicSteps = 1 << 10;

// Returns the cubic kernel at distance d in [0, 2], with slope a at 1.
float Cubic(float a, float d) {
  return d <= 1 ? ((a + 2) * d - (a + 3)) * d * d + 1
                : ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
}

void AddCubic(const ResizeOptions& options, float at, int64_t in, Axis* axis) {
  const bool keys = options.half_pixel_centers;
  const float a = keys ? -0.5f : -0.75f;
  const auto below = static_cast<int64_t>(std::floor(at));
  const auto steps = static_cast<float>(
      std::lrint((at - static_cast<float>(below)) * kCubicSteps));
  const float d = steps / kCubicSteps;
  float weights[4] = {Cubic(a, 1 + d), Cubic(a, d), Cubic(a, 1 - d),
                      Cubic(a, 2 - d)};
  float sum = 0;
  for (int k = 0; k < 4; ++k) {
    const int64_t place = below - 1 + k;
    // Taps outside of the image are left out and the other weights grow, or the
    // edge pixel is repeated.
    if (keys && (place < 0 || place >= in)) weights[k] = 0;
    sum += weights[k];
  }
  if (keys && std::abs(sum) >= 1000 * std::numeric_limits<float>::min()) {
    for (float& w : weights) w /= sum;
  }
  for (int k = 0; k < 4; ++k) {
    axis->Add(std::clamp<int64_t>(below - 1 + k, 0, in - 1), weights[k]);
  }
}

void AddArea(float scale, int64_t i, int64_t in, Axis* axis) {
  // The image has one pixel, which align_corners repeats.
  if (scale == 0) return axis->Add(0, 1);
  const float begin = static_cast<float>(i) * scale;
  const float end = static_cast<float>(i + 1) * scale;
  const auto first = static_cast<int64_t>(std::floor(begin));
  const auto last = static_cast<int64_t>(std::ceil(end));
  for (int64_t k = first; k < last; ++k) {
    const auto low = static_cast<float>(k);
    const float high = low + 1;
    float covered = 1;
    if (low < begin) {
      covered = high > end ? scale : high - begin;
    } else if (high > end) {
      covered = end - low;
    }
    axis->Add(std::clamp<int64_t>(k, 0, in - 1), covered / scale);
  }
}

// Returns the largest number of taps of an axis.
int64_t MaxTaps(ResizeMethod method, int64_t in, int64_t out) {
  switch (method) {
    case ResizeMethod::kNearest:
      return out;
    case ResizeMethod::kBilinear:
      return 2 * out;
    case ResizeMethod::kBicubic:
      return 4 * out;
    case ResizeMethod::kArea:
      break;
  }
  // Neighbouring pixels may share a tap at either end.
  return in + 2 * out;
}

}  // namespace

Axis MakeAxis(ResizeMethod method, const ResizeOptions& options, int64_t in,
              int64_t out) {
  Axis axis;
  axis.first.reserve(static_cast<size_t>(out) + 1);
  axis.taps.reserve(static_cast<size_t>(MaxTaps(method, in, out)));
  const float scale = ScaleOf(options.align_corners, in, out);
  for (int64_t i = 0; i < out; ++i) {
    const auto x = static_cast<float>(i);
    const float centre = (x + 0.5f) * scale;
    const float at = options.half_pixel_centers ? centre - 0.5f : x * scale;
    switch (method) {
      case ResizeMethod::kNearest: {
        const float from = options.half_pixel_centers ? centre : x * scale;
        const float whole =
            options.align_corners ? std::round(from) : std::floor(from);
        axis.Add(std::clamp<int64_t>(static_cast<int64_t>(whole), 0, in - 1),
                 1);
        break;
      }
      case ResizeMethod::kBilinear: {
        const float low = std::floor(at);
        const float part = at - low;
        axis.Add(std::clamp<int64_t>(static_cast<int64_t>(low), 0, in - 1),
                 1 - part);
        axis.Add(std::min<int64_t>(in - 1, static_cast<int64_t>(std::ceil(at))),
                 part);
        break;
      }
      case ResizeMethod::kBicubic:
        AddCubic(options, at, in, &axis);
        break;
      case ResizeMethod::kArea:
        AddArea(scale, i, in, &axis);
        break;
    }
    axis.EndPlace();
  }
  return axis;
}

Axis Transposed(const Axis& axis, int64_t in) {
  Axis out;
  out.first.assign(static_cast<size_t>(in) + 1, 0);
  for (const Tap& tap : axis.taps) {
    ++out.first[static_cast<size_t>(tap.place) + 1];
  }
  std::partial_sum(out.first.begin(), out.first.end(), out.first.begin());
  CountedVector<int64_t> next(out.first.begin(), out.first.end() - 1);
  out.taps.resize(axis.taps.size());
  for (int64_t i = 0; i < axis.size(); ++i) {
    for (int64_t k = axis.first[static_cast<size_t>(i)];
         k < axis.first[static_cast<size_t>(i) + 1]; ++k) {
      const Tap& tap = axis.taps[static_cast<size_t>(k)];
      int64_t& at = next[static_cast<size_t>(tap.place)];
      out.taps[static_cast<size_t>(at++)] = {i, tap.weight};
    }
  }
  return out;
}

}  // namespace millrace::ops
