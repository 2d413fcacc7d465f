// Pooling: the maxima, or the means, of windows that slide over images.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "millrace/client/scope.h"
#include "millrace/train/layers/image_layout.h"

namespace millrace::train {

struct PoolingOptions {
  Padding padding = Padding::kValid;
  DataFormat data_format = DataFormat::kNhwc;
  std::string name;  // empty: "max_pooling2d" or "average_pooling2d"
};

// Maps x [batch, height, width, channels] to [batch, height', width',
// channels].
Output MaxPooling2D(const Scope& scope, const Output& x,
                    std::array<int64_t, 2> pool_size,
                    std::array<int64_t, 2> strides,
                    const PoolingOptions& options = {});
Output AveragePooling2D(const Scope& scope, const Output& x,
                        std::array<int64_t, 2> pool_size,
                        std::array<int64_t, 2> strides,
                        const PoolingOptions& options = {});

}  // namespace millrace::train
