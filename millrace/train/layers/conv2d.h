// Conv2D: a layer of convolution filters over images.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "millrace/client/variables/variable_scope.h"
#include "millrace/train/layers/activation.h"
#include "millrace/train/layers/image_layout.h"

namespace millrace::train {

struct Conv2DOptions {
  std::array<int64_t, 2> strides = {1, 1};
  std::array<int64_t, 2> dilations = {1, 1};
  Padding padding = Padding::kValid;
  DataFormat data_format = DataFormat::kNhwc;
  Activation activation;
  bool use_bias = true;
  Initializer kernel_initializer;  // empty: the scope's, else GlorotUniform
  Initializer bias_initializer;    // empty: Zeros
  Regularizer kernel_regularizer;
  Regularizer bias_regularizer;
  bool trainable = true;
  std::string name;  // empty: "conv2d", "conv2d_1", ...
};

// Maps x [batch, height, width, channels] (with data_format kNchw [batch,
// channels, height, width]), whose channels must be known, to [batch, height',
// width', filters]. Variables: "conv2d/kernel" [kernel_size[0], kernel_size[1],
// channels, filters], "conv2d/bias" [filters].
Output Conv2D(const VariableScope& variables, const Output& x, int64_t filters,
              std::array<int64_t, 2> kernel_size,
              const Conv2DOptions& options = {});

}  // namespace millrace::train
