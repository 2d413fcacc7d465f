// Ranges and checks of FakeQuant, for the memory of any device.
#pragma once

#include <cmath>

#include "millrace/kernel/kernel.h"

namespace millrace::ops {

// The integers [least, most] represent a range.
struct QuantSteps {
  float least = 0, most = 255;

  static StatusOr<QuantSteps> Make(const KernelInit& init);
};

// A range that is moved so that a step falls on 0.
struct NudgedRange {
  float min, max, scale;

  NudgedRange(float low, float high, QuantSteps steps) {
    scale = (high - low) / (steps.most - steps.least);
    const float zero = steps.least - low / scale;
    // If the range does not contain 0, its nearer end moves to 0; NaN counts as
    // 0.
    const float step = zero < steps.least  ? steps.least
                       : zero > steps.most ? steps.most
                       : zero == zero      ? std::round(zero)
                                           : 0.0f;
    min = (steps.least - step) * scale;
    max = (steps.most - step) * scale;
  }
};

Status CheckQuantGradient(const Tensor& gradient, const Tensor& input);
// Check the ends of one range, and those of a range for each channel.
Status CheckQuantScalars(const Tensor& min, const Tensor& max);
Status CheckQuantChannels(const Tensor& input, const Tensor& min,
                          const Tensor& max);

}  // namespace millrace::ops
