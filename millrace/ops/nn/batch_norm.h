// Attributes and checks of batch normalization, for the memory of any device.
#pragma once

#include <string>

#include "millrace/kernel/kernel.h"
#include "millrace/ops/nn/channel_pieces.h"

namespace millrace::ops {

struct BatchNormAttrs {
  static StatusOr<BatchNormAttrs> Make(const KernelInit& init);
  // Checks the inputs of a step and returns the layout of the first.
  StatusOr<ChannelLayout> Check(KernelContext& ctx) const;

  float epsilon = 0, factor = 1;
  std::string format;
  bool training = true;
  // In the fused form: what follows the normalization.
  bool relu = false, side = false;
};

struct BatchNormGradAttrs {
  static StatusOr<BatchNormGradAttrs> Make(const KernelInit& init);
  // Checks the inputs of a step and returns the layout of the second.
  StatusOr<ChannelLayout> Check(KernelContext& ctx) const;

  float epsilon = 0;
  std::string format;
  bool training = true;
};

// The attributes of normalization by given statistics.
struct GlobalNormAttrs {
  static StatusOr<GlobalNormAttrs> Make(const KernelInit& init);

  float epsilon = 0;
  bool scales = false;  // by gamma
};
// Check the inputs of a step, of the op and of its gradient.
Status CheckGlobalNorm(const KernelContext& ctx);
Status CheckGlobalNormGrad(const KernelContext& ctx);

}  // namespace millrace::ops
