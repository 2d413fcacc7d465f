// What cuDNN wants of images and filters before it convolves them. T is an
// unsigned integer of the elements' size.
//
// Defines: T = uint16_t uint32_t uint64_t

// Transposes `batches` matrices of rows x columns. Blocks of 256 threads take
// tiles of 32 x 32, so that both reads and writes are of neighbours.
extern "C" __global__ void TransposeMatrices(const T* x, T* y, int64_t batches,
                                             int64_t rows, int64_t columns) {
  __shared__ T tile[32][33];
  const int64_t across = (columns + 31) / 32;
  const int64_t tiles = (rows + 31) / 32 * across;
  const int lane = threadIdx.x % 32, line = threadIdx.x / 32;
  for (int64_t i = blockIdx.x; i < batches * tiles; i += gridDim.x) {
    const int64_t first = i / tiles * rows * columns;
    const int64_t row = i % tiles / across * 32;
    const int64_t column = i % tiles % across * 32;
    for (int l = line; l < 32; l += 8) {
      if (row + l < rows && column + lane < columns) {
        tile[l][lane] = x[first + (row + l) * columns + column + lane];
      }
    }
    __syncthreads();
    for (int l = line; l < 32; l += 8) {
      if (column + l < columns && row + lane < rows) {
        y[first + (column + l) * rows + row + lane] = tile[lane][l];
      }
    }
    __syncthreads();
  }
}

// Brings a filter from our order, [taps, in, out], into cuDNN's, [out, taps,
// in] or [out, in, taps], or back.
extern "C" __global__ void OrderFilter(const T* x, T* y, int64_t taps,
                                       int64_t in, int64_t out,
                                       int channels_last, int back) {
  const int64_t n = taps * in * out;
  for (GRID_STRIDE(i, n)) {
    // `i` is a place in cuDNN's order.
    const int64_t o = i / (taps * in), rest = i % (taps * in);
    const int64_t tap = channels_last ? rest / in : rest % taps;
    const int64_t channel = channels_last ? rest % in : rest / taps;
    const int64_t own = (tap * in + channel) * out + o;
    if (back) {
      y[own] = x[i];
    } else {
      y[i] = x[own];
    }
  }
}

// Images of `from` pixels become images of `to` pixels: pixel i is pixel i +
// offset, or 0 where there is none. Each image has `inner` elements a pixel.
struct WindowNumbers {
  int64_t images, inner;
  int64_t from[3], to[3], offset[3];
};
extern "C" __global__ void CopyWindow(WindowNumbers p, const T* x, T* y) {
  const int64_t n = p.images * p.to[0] * p.to[1] * p.to[2] * p.inner;
  for (GRID_STRIDE(i, n)) {
    int64_t rest = i / p.inner, at[3];
    bool inside = true;
#pragma unroll
    for (int d = 2; d >= 0; --d) {
      at[d] = rest % p.to[d] + p.offset[d];
      inside = inside && at[d] >= 0 && at[d] < p.from[d];
      rest /= p.to[d];
    }
    y[i] =
        inside
            ? x[(((rest * p.from[0] + at[0]) * p.from[1] + at[1]) * p.from[2] +
                 at[2]) *
                    p.inner +
                i % p.inner]
            : T(0);
  }
}
