// Sizes, strides and dilations of images, for all dimensions of a batch.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace millrace::train {

// Returns the two numbers for height and width in the order of the data format
// ("NHWC" or "NCHW"), and 1 for the batch and the channels.
inline std::vector<int64_t> AllDimensions(std::array<int64_t, 2> of,
                                          const std::string& data_format) {
  if (data_format == "NCHW") return {1, 1, of[0], of[1]};
  return {1, of[0], of[1], 1};
}

}  // namespace millrace::train
