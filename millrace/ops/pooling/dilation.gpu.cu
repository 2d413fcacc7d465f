// Greyscale dilations and their gradients. T is the type of the elements; sums
// of half and bfloat16 are rounded to it, as those of CPUs are.
//
// Defines: T = float half bfloat16 double

struct DilationNumbers {
  int64_t batch, depth;
  // Along rows and columns.
  int64_t in[2], filter[2], stride[2], rate[2], out[2], before[2];
};

// Finds the largest sum of the window of output element `i`, and the tap of the
// filter that it comes from: the first one of several, -1 if no sum is above
// the smallest number. Returns the place of the window's first pixel.
struct LargestSum {
  T sum;
  int64_t tap;
  int64_t image, top, left, channel;
};
__device__ LargestSum LargestSumOf(const DilationNumbers& p, const T* x,
                                   const T* filter, int64_t i) {
  LargestSum largest;
  largest.sum = Lowest<T>();
  largest.tap = -1;
  largest.channel = i % p.depth;
  int64_t pixel = i / p.depth;
  largest.left = pixel % p.out[1] * p.stride[1] - p.before[1];
  pixel /= p.out[1];
  largest.top = pixel % p.out[0] * p.stride[0] - p.before[0];
  largest.image = pixel / p.out[0];
  for (int64_t h = 0; h < p.filter[0]; ++h) {
    const int64_t row = largest.top + h * p.rate[0];
    if (row < 0 || row >= p.in[0]) continue;
    for (int64_t w = 0; w < p.filter[1]; ++w) {
      const int64_t column = largest.left + w * p.rate[1];
      if (column < 0 || column >= p.in[1]) continue;
      const int64_t tap = h * p.filter[1] + w;
      const T sum = T(
          Compute<T>(
              x[((largest.image * p.in[0] + row) * p.in[1] + column) * p.depth +
                largest.channel]) +
          Compute<T>(filter[tap * p.depth + largest.channel]));
      if (!(Compute<T>(sum) > Compute<T>(largest.sum))) continue;
      largest.sum = sum;
      largest.tap = tap;
    }
  }
  return largest;
}

__device__ int64_t OutputsOf(const DilationNumbers& p) {
  return p.batch * p.out[0] * p.out[1] * p.depth;
}

extern "C" __global__ void Dilate(DilationNumbers p, const T* x,
                                  const T* filter, T* z) {
  const int64_t n = OutputsOf(p);
  for (GRID_STRIDE(i, n)) z[i] = LargestSumOf(p, x, filter, i).sum;
}

// Give the place of what gave the largest sum for each output element, which
// gets its gradient; -1 if nothing does. Without a largest sum, as in
// TensorFlow, the first pixel or tap gets it.
extern "C" __global__ void PlacesInInput(DilationNumbers p, const T* x,
                                         const T* filter, int64_t* places) {
  const int64_t n = OutputsOf(p);
  for (GRID_STRIDE(i, n)) {
    const LargestSum at = LargestSumOf(p, x, filter, i);
    const int64_t row = at.tap < 0 ? (at.top < 0 ? 0 : at.top)
                                   : at.top + at.tap / p.filter[1] * p.rate[0];
    const int64_t column = at.tap < 0
                               ? (at.left < 0 ? 0 : at.left)
                               : at.left + at.tap % p.filter[1] * p.rate[1];
    const int64_t pixel = (at.image * p.in[0] + row) * p.in[1] + column;
    places[i] =
        row >= p.in[0] || column >= p.in[1] ? -1 : pixel * p.depth + at.channel;
  }
}
extern "C" __global__ void PlacesInFilter(DilationNumbers p, const T* x,
                                          const T* filter, int64_t* places) {
  const int64_t n = OutputsOf(p);
  for (GRID_STRIDE(i, n)) {
    const LargestSum at = LargestSumOf(p, x, filter, i);
    places[i] = (at.tap < 0 ? 0 : at.tap) * p.depth + at.channel;
  }
}
