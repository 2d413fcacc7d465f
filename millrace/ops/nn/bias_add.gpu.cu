// Sums over all dimensions but the channels. Each block sums a piece of the
// rows, or of the planes of a channel, in a fixed order; then the pieces are
// added in order, so that the result has the same bits in each run.
//
// Defines: T = half bfloat16 float double int8_t int16_t int32_t int64_t
//      uint8_t uint16_t uint32_t uint64_t complex64 complex128

// Integers wrap around.
template <class S>
struct SumOf {
  typedef S Type;
};
template <>
struct SumOf<int8_t> {
  typedef uint32_t Type;
};
template <>
struct SumOf<int16_t> {
  typedef uint32_t Type;
};
template <>
struct SumOf<int32_t> {
  typedef uint32_t Type;
};
template <>
struct SumOf<int64_t> {
  typedef uint64_t Type;
};
typedef typename SumOf<Compute<T>>::Type S;

constexpr int kThreads = 256;

// Sums the columns of x, [rows, columns]: block b sums piece b / tiles of the
// rows, for tile b % tiles of up to 256 columns. Writes sums[piece, column].
extern "C" __global__ void __launch_bounds__(kThreads)
    SumRows(const T* x, S* sums, int64_t rows, int64_t columns, int64_t tiles,
            int64_t rows_of_piece) {
  __shared__ S shared[kThreads];
  const int64_t piece = blockIdx.x / tiles;
  const int64_t first_column = blockIdx.x % tiles * kThreads;
  const int64_t left = columns - first_column;
  const int width = left < kThreads ? static_cast<int>(left) : kThreads;
  const int at_once = kThreads / width;  // rows
  const int row = threadIdx.x / width;
  const int64_t column = first_column + threadIdx.x % width;
  const int64_t begin = piece * rows_of_piece;
  const int64_t end =
      begin + rows_of_piece < rows ? begin + rows_of_piece : rows;
  S sum = S(0);
  if (row < at_once) {
#pragma unroll 4
    for (int64_t r = begin + row; r < end; r += at_once) {
      sum += static_cast<S>(static_cast<Compute<T>>(x[r * columns + column]));
    }
  }
  shared[threadIdx.x] = sum;
  __syncthreads();
  if (row == 0) {
    for (int k = 1; k < at_once; ++k) {
      sum += shared[k * width + threadIdx.x];
    }
    sums[piece * columns + column] = sum;
  }
}

// Sums x, [outer, channels, inner], by channel: block b sums piece b / channels
// of channel b % channels. Writes sums[piece, channel].
extern "C" __global__ void __launch_bounds__(kThreads)
    SumPlanes(const T* x, S* sums, int64_t outer, int64_t channels,
              int64_t inner, int64_t outer_of_piece) {
  __shared__ S shared[kThreads];
  const int64_t piece = blockIdx.x / channels;
  const int64_t channel = blockIdx.x % channels;
  const int64_t begin = piece * outer_of_piece;
  const int64_t end =
      begin + outer_of_piece < outer ? begin + outer_of_piece : outer;
  S sum = S(0);
  for (int64_t n = begin; n < end; ++n) {
    const T* plane = x + (n * channels + channel) * inner;
#pragma unroll 4
    for (int64_t i = threadIdx.x; i < inner; i += kThreads) {
      sum += static_cast<S>(static_cast<Compute<T>>(plane[i]));
    }
  }
  shared[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned left = kThreads / 2; left > 0; left /= 2) {
    if (threadIdx.x < left) {
      shared[threadIdx.x] += shared[threadIdx.x + left];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[piece * channels + channel] = shared[0];
}

// Adds the sums of all pieces.
extern "C" __global__ void __launch_bounds__(kThreads)
    AddPieces(const S* sums, T* z, int64_t channels, int64_t pieces) {
  for (GRID_STRIDE(c, channels)) {
    S sum = sums[c];
    for (int64_t p = 1; p < pieces; ++p) sum += sums[p * channels + c];
    z[c] = static_cast<T>(static_cast<Compute<T>>(sum));
  }
}
