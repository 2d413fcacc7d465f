// Sizes, strides and dilations of images, for all dimensions of a batch, and
// the words that ops have for what the options of layers say.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "millrace/train/layers/image_layout.h"

namespace millrace::train {

// Returns the two numbers for height and width in the order of the data format,
// and 1 for the batch and the channels.
inline std::vector<int64_t> AllDimensions(std::array<int64_t, 2> of,
                                          DataFormat data_format) {
  if (data_format == DataFormat::kNchw) return {1, 1, of[0], of[1]};
  return {1, of[0], of[1], 1};
}

// Return the values of the attributes "padding" and "data_format".
inline const char* WordOf(Padding padding) {
  return padding == Padding::kSame ? "SAME" : "VALID";
}
inline const char* WordOf(DataFormat data_format) {
  return data_format == DataFormat::kNchw ? "NCHW" : "NHWC";
}

}  // namespace millrace::train
