// Depthwise convolutions of images and their gradients. T is the type of the
// elements, Sum that of the sums.
//
// Defines: T = float half bfloat16 double; CHANNELS = 1 32
typedef Compute<T> Sum;

// The numbers of a ConvProblem. Strides are in elements; pixels of an image are
// numbered row by row.
struct DepthwiseNumbers {
  int64_t batch, in_depth, multiplier;
  int64_t in[2], out[2], filter[2], stride[2], dilation[2], before[2];
  int64_t in_image, in_pixel, in_channel;
  int64_t out_image, out_pixel, out_channel;
};

// Splits element `i` of images of `pixels` pixels. Neighbouring threads take
// the elements that are neighbours in memory.
template <class I>
__device__ void Split(I i, I depth, I pixels, bool channels_last, I* image,
                      I* pixel, I* channel) {
  if (channels_last) {
    *channel = i % depth;
    *pixel = i / depth % pixels;
  } else {
    *pixel = i % pixels;
    *channel = i / pixels % depth;
  }
  *image = i / depth / pixels;
}

// A thread for each element of the output.
template <class I>
__device__ void ForwardOf(const DepthwiseNumbers& p, const T* x,
                          const T* filter, T* y) {
  const I out_depth = I(p.in_depth) * I(p.multiplier);
  const I pixels = I(p.out[0]) * I(p.out[1]);
  const I n = I(p.batch) * pixels * out_depth;
  for (GRID_STRIDE(i, n)) {
    I image, pixel, channel;
    Split(i, out_depth, pixels, p.out_channel == 1, &image, &pixel, &channel);
    const I row = pixel / I(p.out[1]) * I(p.stride[0]) - I(p.before[0]);
    const I column = pixel % I(p.out[1]) * I(p.stride[1]) - I(p.before[1]);
    const T* const from =
        x + image * I(p.in_image) + channel / I(p.multiplier) * I(p.in_channel);
    Sum sum = Sum(0);
    for (I r = 0; r < I(p.filter[0]); ++r) {
      const I h = row + r * I(p.dilation[0]);
      if (h < 0 || h >= I(p.in[0])) continue;
      for (I s = 0; s < I(p.filter[1]); ++s) {
        const I w = column + s * I(p.dilation[1]);
        if (w < 0 || w >= I(p.in[1])) continue;
        sum += Sum(from[(h * I(p.in[1]) + w) * I(p.in_pixel)]) *
               Sum(filter[(r * I(p.filter[1]) + s) * out_depth + channel]);
      }
    }
    y[i] = T(sum);
  }
}

// A thread for each element of the input.
template <class I>
__device__ void InputOf(const DepthwiseNumbers& p, const T* dy, const T* filter,
                        T* dx) {
  const I depth = I(p.in_depth), out_depth = depth * I(p.multiplier);
  const I pixels = I(p.in[0]) * I(p.in[1]);
  const I n = I(p.batch) * pixels * depth;
  for (GRID_STRIDE(i, n)) {
    I image, pixel, channel;
    Split(i, depth, pixels, p.in_channel == 1, &image, &pixel, &channel);
    const I row = pixel / I(p.in[1]) + I(p.before[0]);
    const I column = pixel % I(p.in[1]) + I(p.before[1]);
    const T* const from = dy + image * I(p.out_image);
    Sum sum = Sum(0);
    for (I r = 0; r < I(p.filter[0]); ++r) {
      const I at_h = row - r * I(p.dilation[0]);
      const I h = at_h / I(p.stride[0]);
      if (at_h < 0 || h >= I(p.out[0]) || h * I(p.stride[0]) != at_h) continue;
      for (I s = 0; s < I(p.filter[1]); ++s) {
        const I at_w = column - s * I(p.dilation[1]);
        const I w = at_w / I(p.stride[1]);
        if (at_w < 0 || w >= I(p.out[1]) || w * I(p.stride[1]) != at_w) {
          continue;
        }
        for (I m = 0; m < I(p.multiplier); ++m) {
          const I c = channel * I(p.multiplier) + m;
          sum += Sum(from[(h * I(p.out[1]) + w) * I(p.out_pixel) +
                          c * I(p.out_channel)]) *
                 Sum(filter[(r * I(p.filter[1]) + s) * out_depth + c]);
        }
      }
    }
    dx[i] = T(sum);
  }
}

// A block of 256 threads for each tap of the filter and each CHANNELS channels
// of the output: so many threads stand side by side along the channels, where
// these are neighbours in memory, the others along the pixels. They add up in
// an order that depends on the problem alone.
template <class I>
__device__ void FilterOf(const DepthwiseNumbers& p, const T* x, const T* dy,
                         T* df) {
  __shared__ Sum sums[256];
  constexpr int kLines = 256 / CHANNELS;
  const I out_depth = I(p.in_depth) * I(p.multiplier);
  const I blocks = (out_depth + CHANNELS - 1) / CHANNELS;
  const I taps = I(p.filter[0]) * I(p.filter[1]);
  const I pixels = I(p.out[0]) * I(p.out[1]);
  const int thread = threadIdx.x;
  for (I item = I(blockIdx.x); item < taps * blocks; item += I(gridDim.x)) {
    const I tap = item / blocks;
    const I channel = item % blocks * CHANNELS + thread % CHANNELS;
    const I r = tap / I(p.filter[1]) * I(p.dilation[0]) - I(p.before[0]);
    const I s = tap % I(p.filter[1]) * I(p.dilation[1]) - I(p.before[1]);
    Sum sum = Sum(0);
    if (channel < out_depth) {
      const T* const from = x + channel / I(p.multiplier) * I(p.in_channel);
      const T* const grad = dy + channel * I(p.out_channel);
      for (I i = thread / CHANNELS; i < I(p.batch) * pixels; i += kLines) {
        const I image = i / pixels, pixel = i % pixels;
        const I h = pixel / I(p.out[1]) * I(p.stride[0]) + r;
        const I w = pixel % I(p.out[1]) * I(p.stride[1]) + s;
        if (h < 0 || h >= I(p.in[0]) || w < 0 || w >= I(p.in[1])) continue;
        sum += Sum(from[image * I(p.in_image) +
                        (h * I(p.in[1]) + w) * I(p.in_pixel)]) *
               Sum(grad[image * I(p.out_image) + pixel * I(p.out_pixel)]);
      }
    }
    sums[thread] = sum;
    __syncthreads();
    for (int half_of = 128; half_of >= CHANNELS; half_of /= 2) {
      if (thread < half_of) sums[thread] += sums[thread + half_of];
      __syncthreads();
    }
    if (thread < CHANNELS && channel < out_depth) {
      df[tap * out_depth + channel] = T(sums[thread]);
    }
    __syncthreads();
  }
}

extern "C" __global__ void Forward(DepthwiseNumbers p, const T* x,
                                   const T* filter, T* y) {
  ForwardOf<int>(p, x, filter, y);
}
extern "C" __global__ void ForwardOfLarge(DepthwiseNumbers p, const T* x,
                                          const T* filter, T* y) {
  ForwardOf<int64_t>(p, x, filter, y);
}
extern "C" __global__ void Input(DepthwiseNumbers p, const T* dy,
                                 const T* filter, T* dx) {
  InputOf<int>(p, dy, filter, dx);
}
extern "C" __global__ void InputOfLarge(DepthwiseNumbers p, const T* dy,
                                        const T* filter, T* dx) {
  InputOf<int64_t>(p, dy, filter, dx);
}
extern "C" __global__ void Filter(DepthwiseNumbers p, const T* x, const T* dy,
                                  T* df) {
  FilterOf<int>(p, x, dy, df);
}
extern "C" __global__ void FilterOfLarge(DepthwiseNumbers p, const T* x,
                                         const T* dy, T* df) {
  FilterOf<int64_t>(p, x, dy, df);
}
