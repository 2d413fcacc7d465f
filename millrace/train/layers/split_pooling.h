// Pooling of images that are split over devices (split_conv2d.h).
#pragma once

#include <array>
#include <cstdint>

#include "millrace/client/scope.h"
#include "millrace/train/layers/pooling.h"
#include "millrace/train/layers/split_tensor.h"

namespace millrace::train {

// As MaxPooling2D and AveragePooling2D, of which they are slices of the same
// kind as those of x: each is computed where its slice of x is. Channels need
// nothing from each other; chunks of rows need the rows of their neighbours
// that their windows reach, and of those at the edges of the image only what
// padding leaves. The averages do not count padding, as in TensorFlow. An error
// of the graph, INVALID_ARGUMENT, for x that is split along other dimensions,
// and for rows if the output has fewer of them than x has slices, if the height
// is not known, or, with kSame, the width.
SplitTensor SplitMaxPooling2D(const Scope& scope, const SplitTensor& x,
                              std::array<int64_t, 2> pool_size,
                              std::array<int64_t, 2> strides,
                              const PoolingOptions& options = {});
SplitTensor SplitAveragePooling2D(const Scope& scope, const SplitTensor& x,
                                  std::array<int64_t, 2> pool_size,
                                  std::array<int64_t, 2> strides,
                                  const PoolingOptions& options = {});

}  // namespace millrace::train
