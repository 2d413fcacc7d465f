// Positions of the pixels of crops in images, on any device: C++ includes this
// behind <cmath> and shared_text.h, and it stands before crop.gpu.cu in texts
// for GPUs. So it includes nothing.
#pragma once

namespace millrace::ops {
namespace crop {

// The positions of a crop's pixels along one axis of the image. Whether the
// last one is inside depends on the order of rounding, which in stock differs
// for the gradient by boxes.
enum class StepBy { kProduct, kRatio };
struct CropAxis {
  float first, step, ratio;
  bool single;

  MR_SHARED CropAxis(float low, float high, int64_t size, int64_t crop,
                     StepBy by) {
    const float last = static_cast<float>(size - 1);
    const float steps = static_cast<float>(crop - 1);
    single = crop <= 1;
    ratio = single ? 0 : last / steps;
    step = single                   ? 0
           : by == StepBy::kProduct ? (high - low) * last / steps
                                    : (high - low) * ratio;
    first = single ? RoundedProduct(0.5f * (low + high), last)
                   : RoundedProduct(low, last);
  }
  MR_SHARED float At(int64_t i) const {
    return first + RoundedProduct(static_cast<float>(i), step);
  }
};

// The two pixels around a position, and the fraction of the way between them.
struct Between {
  int64_t low, high;
  float part;

  MR_SHARED explicit Between(float at)
      : low(static_cast<int64_t>(floorf(at))),
        high(static_cast<int64_t>(ceilf(at))),
        part(at - static_cast<float>(low)) {}
};

// The size may be rounded up when it becomes a float.
MR_SHARED bool Inside(float at, int64_t size) {
  return at >= 0 && at <= static_cast<float>(size - 1) &&
         static_cast<int64_t>(ceilf(at)) < size;
}

// The nearest pixel to a position.
MR_SHARED int64_t Nearest(float at) { return static_cast<int64_t>(roundf(at)); }

// The part of a crop's gradient that goes to a box: `last` is the size of the
// image in relative coordinates, `i` the pixel along the axis.
struct BoxEnds {
  float low, high;
};
MR_SHARED BoxEnds GradientOfBox(const CropAxis& axis, float last, int64_t i,
                                float grad) {
  if (axis.single) return {grad * 0.5f * last, grad * 0.5f * last};
  const float along = RoundedProduct(static_cast<float>(i), axis.ratio);
  return {grad * (last - along), grad * along};
}

}  // namespace crop
}  // namespace millrace::ops
