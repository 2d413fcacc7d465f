// Means of the channels of an image, and distances from them.
#pragma once

#include <cstdint>

#include "millrace/base/memory/counted_vector.h"

namespace millrace::ops {

// Returns the means of the channels, which are added up in double, once or more
// often one after another: as many times as make long rows.
CountedVector<float> ChannelMeans(const float* image, int64_t pixels,
                                  int64_t channels);

// Sets `out` to mean + (x - mean) * factor, for `size` numbers of an image and
// its means.
void StretchFromMeans(const float* image, int64_t size,
                      const CountedVector<float>& means, float factor,
                      float* out);

}  // namespace millrace::ops
