// Rounding to evenly spaced numbers in a range, and its gradients, for one
// element on any device: C++ includes this behind <cmath> and shared_text.h,
// and it stands before fake_quant.gpu.cu in texts for GPUs. So it includes
// nothing.
#pragma once

namespace millrace::ops {

// A range with a step on 0.
struct NudgedRange {
  float min, max, scale;
};

// Moves the range [low, high], which the integers [least, most] represent, so
// that a step falls on 0.
MR_SHARED NudgedRange Nudge(float low, float high, float least, float most) {
  const float scale = (high - low) / (most - least);
  const float zero = least - low / scale;
  // If the range does not contain 0, its nearer end moves to 0; NaN counts as
  // 0.
  const float step = zero < least   ? least
                     : zero > most  ? most
                     : zero == zero ? roundf(zero)
                                    : 0.0f;
  return NudgedRange{(least - step) * scale, (most - step) * scale, scale};
}

// Returns the number of the step on 0, counted from `min`; `inverse` is 1 /
// scale, rounded once.
MR_SHARED float StepOnZero(float min, float inverse) {
  return floorf(RoundedProduct(-min, inverse) + 0.5f);
}

MR_SHARED float WithinRange(float x, float min, float max) {
  const float v = max < x ? max : x;
  return v < min ? min : v;
}
// Return the nearest step, with the scale and with its inverse, which round in
// different ways.
MR_SHARED float NearestStep(float x, float min, float max, float scale,
                            float zero) {
  const float v = WithinRange(x, min, max);
  return floorf((v - min) / scale - zero + 0.5f) * scale;
}
MR_SHARED float NearestStepByInverse(float x, NudgedRange r, float inverse,
                                     float zero) {
  const float v = WithinRange(x, r.min, r.max);
  return floorf(RoundedProduct(v - r.min, inverse) - zero + 0.5f) * r.scale;
}

// Return what of the gradient goes to the values, `all` of it or that within
// the range, and to the ends of the range.
MR_SHARED float GradientOfValue(float dy, float x, float min, float max,
                                bool all) {
  const bool within = (x >= min && x <= max) || all;
  return dy * (within ? 1.0f : 0.0f);
}
MR_SHARED float GradientOfMin(float dy, float x, float min) {
  return dy * (x < min ? 1.0f : 0.0f);
}
MR_SHARED float GradientOfMax(float dy, float x, float max) {
  return dy * (x > max ? 1.0f : 0.0f);
}

}  // namespace millrace::ops
