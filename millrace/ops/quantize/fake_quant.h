// Ranges and checks of FakeQuant, for the memory of any device.
#pragma once

#include <cmath>

#include "millrace/kernel/kernel.h"
#include "millrace/kernel/shared_text.h"
#include "millrace/ops/quantize/fake_quant.shared.h"

namespace millrace::ops {

// The integers [least, most] represent a range.
struct QuantSteps {
  float least = 0, most = 255;

  static StatusOr<QuantSteps> Make(const KernelInit& init);
};

// The range that attributes tell.
struct QuantArgs {
  float min = 0, max = 0;
  QuantSteps steps;

  static StatusOr<QuantArgs> Make(const KernelInit& init);

  NudgedRange Nudged() const {
    return Nudge(min, max, steps.least, steps.most);
  }
  // 1 / scale, rounded once.
  float Inverse() const { return (steps.most - steps.least) / (max - min); }
};

Status CheckQuantGradient(const Tensor& gradient, const Tensor& input);
// Check the ends of one range, and those of a range for each channel.
Status CheckQuantScalars(const Tensor& min, const Tensor& max);
Status CheckQuantChannels(const Tensor& input, const Tensor& min,
                          const Tensor& max);

}  // namespace millrace::ops
