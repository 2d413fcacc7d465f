#include "millrace/ops/image/rows/channel_means.h"

#include <algorithm>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/base/target_clones.h"

namespace millrace::ops {
namespace {

// Pixels that are computed together, so that a few channels fill vectors.
constexpr int64_t kPixels = 16;

MR_TARGET_CLONES void AddNumbers(const float* __restrict x, int64_t n,
                                 double* __restrict sums) {
  for (int64_t k = 0; k < n; ++k) sums[k] += static_cast<double>(x[k]);
}

MR_TARGET_CLONES void Stretch(const float* x, int64_t n,
                              const float* __restrict means, float factor,
                              float* z) {
#pragma GCC ivdep
  for (int64_t k = 0; k < n; ++k) z[k] = means[k] + (x[k] - means[k]) * factor;
}

}  // namespace

CountedVector<float> ChannelMeans(const float* image, int64_t pixels,
                                  int64_t channels) {
  const int64_t size = pixels * channels, block = kPixels * channels;
  CountedVector<double> sums(static_cast<size_t>(block));
  for (int64_t k = 0; k < size; k += block) {
    AddNumbers(image + k, std::min(block, size - k), sums.data());
  }
  CountedVector<float> means(static_cast<size_t>(block));
  for (int64_t c = 0; c < channels; ++c) {
    double sum = 0;
    for (int64_t k = c; k < block; k += channels) {
      sum += sums[static_cast<size_t>(k)];
    }
    for (int64_t k = c; k < block; k += channels) {
      means[static_cast<size_t>(k)] =
          static_cast<float>(sum / static_cast<double>(pixels));
    }
  }
  return means;
}

void StretchFromMeans(const float* image, int64_t size,
                      const CountedVector<float>& means, float factor,
                      float* out) {
  const auto block = static_cast<int64_t>(means.size());
  for (int64_t k = 0; k < size; k += block) {
    Stretch(image + k, std::min(block, size - k), means.data(), factor,
            out + k);
  }
}

}  // namespace millrace::ops
