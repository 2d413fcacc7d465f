// A product of two operands by tiles in shared memory. An operand is a matrix
// of a batch, or the windows of a convolution's images laid out as a matrix
// that is never stored. It runs where no library computes the product.
//
// T is the type of the elements, Sum that of the sums. PASS says what the
// operands are: 0 matrices, 1 a convolution, 2 its gradient for the input, 3
// for the filter. CONJUGATE_A and CONJUGATE_B are set for matrices of complex
// numbers.
//
// A block of 256 threads computes a tile of 64 x 64 sums, 16 of each thread.
// Sums are added up in the order of k, whatever the device.
//
// Defines: T = float half bfloat16 double complex64 complex128 int32_t;
//      PASS = 0
// Defines: T = complex64 complex128; PASS = 0; CONJUGATE_A = 0 1;
//      CONJUGATE_B = 0 1
// Defines: T = float half bfloat16 double int32_t; PASS = 1 2 3
typedef Compute<T> Sum;

#define TILE 64
#define DEPTH 16
#define THREADS 256
#define EACH 4

#ifndef CONJUGATE_A
#define CONJUGATE_A 0
#endif
#ifndef CONJUGATE_B
#define CONJUGATE_B 0
#endif

#if PASS == 0

// c[i] = a[i] b[i] for i < batches. Strides are in elements, those of batches
// from one product to the next.
struct TileProblem {
  int64_t batches, m, n, k;
  int64_t a_batch, a_row, a_column;
  int64_t b_batch, b_row, b_column;
};

template <class I>
struct Operands {
  TileProblem p;
  const T* a;
  const T* b;
  T* c;

  __device__ void Take(I batch) {
    a += batch * p.a_batch;
    b += batch * p.b_batch;
    c += batch * p.m * p.n;
  }
  __device__ Sum A(I row, I k) const {
    const Sum x = Sum(a[row * I(p.a_row) + k * I(p.a_column)]);
#if CONJUGATE_A
    return Conj(x);
#else
    return x;
#endif
  }
  __device__ Sum B(I k, I column) const {
    const Sum x = Sum(b[k * I(p.b_row) + column * I(p.b_column)]);
#if CONJUGATE_B
    return Conj(x);
#else
    return x;
#endif
  }
  __device__ T* C(I row, I column) const { return c + row * I(p.n) + column; }
};

#else

// The numbers of a ConvProblem. A batch of the product is a group; channels are
// those of a group. Strides are in elements; pixels of an image are numbered
// over all three dimensions.
struct TileProblem {
  int64_t batches, m, n, k;
  int64_t in_channels, out_channels;  // of a group
  int64_t out_depth;                  // of all groups
  int64_t in[3], out[3], filter[3], stride[3], dilation[3], before[3];
  int64_t in_image, in_pixel, in_channel;
  int64_t out_image, out_pixel, out_channel;
};

template <class I>
struct Pixel {
  I image, d, h, w;
};
template <class I>
__device__ Pixel<I> PixelAt(I index, const int64_t (&size)[3]) {
  Pixel<I> at;
  at.w = index % I(size[2]);
  index /= I(size[2]);
  at.h = index % I(size[1]);
  index /= I(size[1]);
  at.d = index % I(size[0]);
  at.image = index / I(size[0]);
  return at;
}

// The place where tap `tap` of a window at `out` reads along dimension i.
template <class I>
__device__ I InputAt(const TileProblem& p, int i, I out, I tap) {
  return out * I(p.stride[i]) - I(p.before[i]) + tap * I(p.dilation[i]);
}
// The window whose tap `tap` reads `in`; -1 if there is none.
template <class I>
__device__ I WindowAt(const TileProblem& p, int i, I in, I tap) {
  const I at = in + I(p.before[i]) - tap * I(p.dilation[i]);
  const I window = at / I(p.stride[i]);
  if (at < 0 || window >= I(p.out[i]) || window * I(p.stride[i]) != at) {
    return -1;
  }
  return window;
}

template <class I>
struct Operands {
  TileProblem p;
  const T* a;  // images: of the input, or of the gradient of the output
  const T* b;  // the filter, or the images of the gradient of the output
  T* c;
  I group;

  __device__ void Take(I batch) { group = batch; }

  // An element of the input; 0 in the padding.
  __device__ Sum Input(const Pixel<I>& out, const Pixel<I>& tap,
                       I channel) const {
    const I d = InputAt(p, 0, out.d, tap.d), h = InputAt(p, 1, out.h, tap.h),
            w = InputAt(p, 2, out.w, tap.w);
    if (d < 0 || h < 0 || w < 0 || d >= I(p.in[0]) || h >= I(p.in[1]) ||
        w >= I(p.in[2])) {
      return Sum(0);
    }
    const I pixel = (d * I(p.in[1]) + h) * I(p.in[2]) + w;
    return Sum(a[out.image * I(p.in_image) + pixel * I(p.in_pixel) +
                 (group * I(p.in_channels) + channel) * I(p.in_channel)]);
  }
  __device__ I OutputPlace(I index, I channel) const {
    const I pixels = I(p.out[0]) * I(p.out[1]) * I(p.out[2]);
    return index / pixels * I(p.out_image) + index % pixels * I(p.out_pixel) +
           (group * I(p.out_channels) + channel) * I(p.out_channel);
  }
  __device__ I FilterPlace(I tap, I in, I out) const {
    return (tap * I(p.in_channels) + in) * I(p.out_depth) +
           group * I(p.out_channels) + out;
  }

#if PASS == 1
  // Rows are pixels of the output, columns its channels, k the taps of the
  // filter and the channels of the input.
  __device__ Sum A(I row, I k) const {
    return Input(PixelAt(row, p.out), PixelAt(k / I(p.in_channels), p.filter),
                 k % I(p.in_channels));
  }
  __device__ Sum B(I k, I column) const {
    return Sum(
        b[FilterPlace(k / I(p.in_channels), k % I(p.in_channels), column)]);
  }
  __device__ T* C(I row, I column) const {
    return c + OutputPlace(row, column);
  }
#elif PASS == 2
  // Rows are pixels of the input, columns its channels, k the taps of the
  // filter and the channels of the output.
  __device__ Sum A(I row, I k) const {
    const Pixel<I> in = PixelAt(row, p.in);
    const Pixel<I> tap = PixelAt(k / I(p.out_channels), p.filter);
    const I d = WindowAt(p, 0, in.d, tap.d), h = WindowAt(p, 1, in.h, tap.h),
            w = WindowAt(p, 2, in.w, tap.w);
    if (d < 0 || h < 0 || w < 0) return Sum(0);
    const I pixel = (d * I(p.out[1]) + h) * I(p.out[2]) + w;
    return Sum(a[in.image * I(p.out_image) + pixel * I(p.out_pixel) +
                 (group * I(p.out_channels) + k % I(p.out_channels)) *
                     I(p.out_channel)]);
  }
  __device__ Sum B(I k, I column) const {
    return Sum(
        b[FilterPlace(k / I(p.out_channels), column, k % I(p.out_channels))]);
  }
  __device__ T* C(I row, I column) const {
    const I pixels = I(p.in[0]) * I(p.in[1]) * I(p.in[2]);
    return c + row / pixels * I(p.in_image) + row % pixels * I(p.in_pixel) +
           (group * I(p.in_channels) + column) * I(p.in_channel);
  }
#else
  // Rows are the taps of the filter and the channels of the input, columns the
  // channels of the output, k its pixels.
  __device__ Sum A(I row, I k) const {
    return Input(PixelAt(k, p.out), PixelAt(row / I(p.in_channels), p.filter),
                 row % I(p.in_channels));
  }
  __device__ Sum B(I k, I column) const {
    return Sum(b[OutputPlace(k, column)]);
  }
  __device__ T* C(I row, I column) const {
    return c +
           FilterPlace(row / I(p.in_channels), row % I(p.in_channels), column);
  }
#endif
};

#endif

// Computes the tile of c that begins at (row, column). Threads that load an
// operand stand side by side along `k` or along the other dimension, by
// a_by_k and b_by_k, so that neighbours read neighbouring elements.
template <class I>
__device__ void ComputeTile(const Operands<I>& o, I row, I column, bool a_by_k,
                            bool b_by_k, Sum (*a_tile)[TILE + 1],
                            Sum (*b_tile)[TILE + 1]) {
  const I m = I(o.p.m), n = I(o.p.n), depth = I(o.p.k);
  const int thread = threadIdx.x;
  const int my_row = thread / (TILE / EACH), my_column = thread % (TILE / EACH);
  Sum sums[EACH][EACH];
#pragma unroll
  for (int i = 0; i < EACH; ++i) {
#pragma unroll
    for (int j = 0; j < EACH; ++j) sums[i][j] = Sum(0);
  }
  for (I first = 0; first < depth; first += DEPTH) {
#pragma unroll
    for (int part = 0; part < TILE * DEPTH / THREADS; ++part) {
      const int at = part * THREADS + thread;
      const int a_k = a_by_k ? at % DEPTH : at / TILE;
      const int a_row = a_by_k ? at / DEPTH : at % TILE;
      a_tile[a_k][a_row] = first + a_k < depth && row + a_row < m
                               ? o.A(row + a_row, first + a_k)
                               : Sum(0);
      const int b_k = b_by_k ? at % DEPTH : at / TILE;
      const int b_column = b_by_k ? at / DEPTH : at % TILE;
      b_tile[b_k][b_column] = first + b_k < depth && column + b_column < n
                                  ? o.B(first + b_k, column + b_column)
                                  : Sum(0);
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < DEPTH; ++k) {
      Sum a[EACH], b[EACH];
#pragma unroll
      for (int i = 0; i < EACH; ++i) {
        a[i] = a_tile[k][my_row + i * (TILE / EACH)];
        b[i] = b_tile[k][my_column + i * (TILE / EACH)];
      }
#pragma unroll
      for (int i = 0; i < EACH; ++i) {
#pragma unroll
        for (int j = 0; j < EACH; ++j) sums[i][j] = sums[i][j] + a[i] * b[j];
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < EACH; ++i) {
#pragma unroll
    for (int j = 0; j < EACH; ++j) {
      const I r = row + my_row + i * (TILE / EACH);
      const I c = column + my_column + j * (TILE / EACH);
      if (r < m && c < n) *o.C(r, c) = T(sums[i][j]);
    }
  }
}

template <class I>
__device__ void ComputeTiles(const TileProblem& p, const T* a, const T* b, T* c,
                             int a_by_k, int b_by_k) {
  __shared__ Sum a_tile[DEPTH][TILE + 1];
  __shared__ Sum b_tile[DEPTH][TILE + 1];
  const int64_t across = (p.n + TILE - 1) / TILE;
  const int64_t tiles = (p.m + TILE - 1) / TILE * across;
  for (int64_t i = blockIdx.x; i < p.batches * tiles; i += gridDim.x) {
    Operands<I> o;
    o.p = p;
    o.a = a;
    o.b = b;
    o.c = c;
    o.Take(I(i / tiles));
    const int64_t tile = i % tiles;
    ComputeTile<I>(o, I(tile / across * TILE), I(tile % across * TILE),
                   a_by_k != 0, b_by_k != 0, a_tile, b_tile);
  }
}

// For operands whose elements have numbers below 2^31.
extern "C" __global__ void Product(TileProblem p, const T* a, const T* b, T* c,
                                   int a_by_k, int b_by_k) {
  ComputeTiles<int>(p, a, b, c, a_by_k, b_by_k);
}
extern "C" __global__ void ProductOfLarge(TileProblem p, const T* a, const T* b,
                                          T* c, int a_by_k, int b_by_k) {
  ComputeTiles<int64_t>(p, a, b, c, a_by_k, b_by_k);
}
