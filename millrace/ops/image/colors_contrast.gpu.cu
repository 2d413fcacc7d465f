// Moves elements away from the means of their picture and channel. Sums are in
// double: those of slices of a picture's pixels, in an order that the shape
// decides.
//
// Defines: IN = uint8_t int8_t int16_t int32_t float double; OUT = float
// Defines: IN = half; OUT = half
// Texts: image/pixels/colors.shared.h

using namespace millrace::ops::colors;

// sums[picture, slice, channel]; a block for each.
extern "C" __global__ void __launch_bounds__(256)
    SumPixels(const IN* x, double* sums, int64_t items, int64_t pixels,
              int64_t channels, int64_t slices, int64_t slice) {
  for (int64_t item = blockIdx.x; item < items; item += gridDim.x) {
    const int64_t c = item % channels, row = item / channels;
    const int64_t begin = row % slices * slice;
    const int64_t end = MinOf(begin + slice, pixels);
    const IN* const from = x + row / slices * pixels * channels + c;
    double sum = 0;
    for (int64_t i = begin + threadIdx.x; i < end; i += blockDim.x) {
      sum += static_cast<double>(static_cast<float>(from[i * channels]));
    }
    sum = BlockReduce<SumOp>(sum);
    if (threadIdx.x == 0) sums[item] = sum;
  }
}

// means[picture, channel].
extern "C" __global__ void __launch_bounds__(256)
    JoinMeans(const double* sums, float* means, int64_t n, int64_t pixels,
              int64_t channels, int64_t slices) {
  for (GRID_STRIDE(i, n)) {
    const double* const from =
        sums + i / channels * slices * channels + i % channels;
    double sum = 0;
    for (int64_t s = 0; s < slices; ++s) sum += from[s * channels];
    means[i] = static_cast<float>(sum / static_cast<double>(pixels));
  }
}

// `size` is pixels * channels. Results have bounds unless `least` and `most`
// are null.
extern "C" __global__ void __launch_bounds__(256)
    Contrast(const IN* x, OUT* z, const float* means, const float* factor,
             const float* least, const float* most, int64_t n, int64_t size,
             int64_t channels) {
  const float f = *factor;
  const float low = least == nullptr ? MinusInfinity<float>() : *least;
  const float high = most == nullptr ? Infinity<float>() : *most;
  for (GRID_STRIDE(i, n)) {
    const float mean = means[i / size * channels + i % channels];
    z[i] = static_cast<OUT>(
        WithinBounds((static_cast<float>(x[i]) - mean) * f + mean, low, high));
  }
}
