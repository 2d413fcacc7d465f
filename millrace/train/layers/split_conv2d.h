// SplitConv2D: a layer of convolution filters that is cut over devices.
//
//   SplitTensor y = SplitConv2D(v, x, 64, {3, 3}, devices,
//                               {.cut = Conv2DCut::kRows,
//                                .padding = Padding::kSame,
//                                .activation = ops::Relu});
//   y = SplitMaxPooling2D(s, y, {2, 2}, {2, 2});  // split_pooling.h
//   y = SplitConv2D(v, y, 64, {3, 3}, devices, {.cut = Conv2DCut::kRows});
//   Output whole = Join(s, y);
//
// Names and checkpoints are those of Conv2D, and what split_dense.h says of
// initial values and gradients holds here, too.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "millrace/client/variables/variable_scope.h"
#include "millrace/train/layers/activation.h"
#include "millrace/train/layers/image_layout.h"
#include "millrace/train/layers/split_tensor.h"

namespace millrace::train {

enum class Conv2DCut {
  // Each device has some of the filters: it needs all of the image, and its
  // outputs are a slice of the channels, which stays there.
  kFilters,
  // Each device has some of the channels of all filters: it needs a slice of
  // the channels, such as a layer that is cut by filters leaves there, and the
  // last device adds up what they give.
  kChannels,
  // Each device computes some rows of the output with all filters: chunks of
  // the image. It needs the rows below its windows, of which those at the edges
  // of a chunk also belong to a neighbour: only they travel if the image is
  // split by rows already.
  kRows,
};

struct SplitConv2DOptions {
  Conv2DCut cut = Conv2DCut::kFilters;
  // As in Conv2DOptions.
  std::array<int64_t, 2> strides = {1, 1};
  std::array<int64_t, 2> dilations = {1, 1};
  Padding padding = Padding::kValid;
  DataFormat data_format = DataFormat::kNhwc;
  Activation activation;
  bool use_bias = true;
  Initializer kernel_initializer;
  Initializer bias_initializer;
  Regularizer kernel_regularizer;
  Regularizer bias_regularizer;
  bool trainable = true;
  std::string name;  // empty: "conv2d", "conv2d_1", ...
};

// Maps x, in one piece or split, to what Conv2D gives, as a slice of it on each
// device; by channels in one piece on the last device. Values and gradients are
// those of Conv2D with the same kernel and bias, up to the order in which sums
// are taken. Devices are device blocks within those of `variables`. No device,
// fewer filters, channels or rows of the output than devices, and a shared
// kernel that is cut otherwise are errors of the graph, INVALID_ARGUMENT, and
// so are, for rows, a height that is not known and, with kSame, a width; the
// result is then empty.
//
// Variables: by filters "conv2d/kernel/part_0" ... and "conv2d/bias/part_0" ...
// in parts; by channels the kernel in parts and the bias in one piece on the
// last device; by rows both in one piece where `variables` says, from where the
// kernel goes to each device in each step.
SplitTensor SplitConv2D(const VariableScope& variables, const SplitTensor& x,
                        int64_t filters, std::array<int64_t, 2> kernel_size,
                        const std::vector<std::string>& devices,
                        const SplitConv2DOptions& options = {});

}  // namespace millrace::train
