// Moves elements by size: 1, 2, 4, 8 and 16 bytes. The host makes elements as
// wide as strides and addresses allow, so that contiguous runs are moved 16
// bytes at a time.

struct alignas(16) Bytes16 {
  uint64_t low, high;
};

// ---- Strided copies: element i in row-major order over R dimensions. Offsets
// are in elements.
template <int R>
struct CopyArgs {
  uint64_t from, to;  // addresses
  uint32_t count;
  IntDivisor dims[R];
  int64_t from_strides[R], to_strides[R];
};

template <class E, int R>
MR_DEVICE void CopyStrided(const CopyArgs<R>& a) {
  constexpr int kBatch = 4;
  const E* const from = reinterpret_cast<const E*>(a.from);
  E* const to = reinterpret_cast<E*>(a.to);
  const uint32_t threads = gridDim.x * blockDim.x;
  for (uint64_t first = blockIdx.x * blockDim.x + threadIdx.x; first < a.count;
       first += uint64_t{threads} * kBatch) {
    E values[kBatch];
    int64_t places[kBatch];
#pragma unroll
    for (int k = 0; k < kBatch; ++k) {
      const uint64_t at = first + uint64_t{threads} * k;
      places[k] = -1;
      if (at >= a.count) continue;
      uint32_t rest = static_cast<uint32_t>(at);
      int64_t source = 0, place = 0;
#pragma unroll
      for (int d = R - 1; d > 0; --d) {
        const uint32_t next = rest / a.dims[d];
        const int64_t i = rest - next * a.dims[d].divisor;
        source += i * a.from_strides[d];
        place += i * a.to_strides[d];
        rest = next;
      }
      source += rest * a.from_strides[0];
      place += rest * a.to_strides[0];
      values[k] = from[source];
      places[k] = place;
    }
#pragma unroll
    for (int k = 0; k < kBatch; ++k) {
      if (first + uint64_t{threads} * k < a.count) to[places[k]] = values[k];
    }
  }
}

// ---- Transposes: the source is contiguous along rows, the destination along
// columns. A block of threads moves a tile through shared memory.
struct TransposeArgs {
  uint64_t from, to;
  int64_t rows, columns;
  int64_t from_stride;  // of columns
  int64_t to_stride;    // of rows
  uint32_t row_tiles, column_tiles, outer_count;
  IntDivisor outer[4];
  int64_t outer_from[4], outer_to[4];
};

template <class E, int kTile>
MR_DEVICE void TransposeTiles(const TransposeArgs& a) {
  constexpr int kPad = sizeof(E) < 4 ? 4 / static_cast<int>(sizeof(E)) : 1;
  constexpr int kLines = 256 / kTile;
  __shared__ E tile[kTile][kTile + kPad];
  const int across = static_cast<int>(threadIdx.x) % kTile;
  const int line = static_cast<int>(threadIdx.x) / kTile;
  const uint64_t tiles = uint64_t{a.row_tiles} * a.column_tiles * a.outer_count;
  for (uint64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
    const int64_t row = static_cast<int64_t>(t % a.row_tiles) * kTile;
    const uint64_t above = t / a.row_tiles;
    const int64_t column = static_cast<int64_t>(above % a.column_tiles) * kTile;
    uint32_t rest = static_cast<uint32_t>(above / a.column_tiles);
    int64_t source = 0, place = 0;
#pragma unroll
    for (int d = 3; d > 0; --d) {
      const uint32_t next = rest / a.outer[d];
      const int64_t i = rest - next * a.outer[d].divisor;
      source += i * a.outer_from[d];
      place += i * a.outer_to[d];
      rest = next;
    }
    source += rest * a.outer_from[0];
    place += rest * a.outer_to[0];
    const E* const from = reinterpret_cast<const E*>(a.from) + source;
    E* const to = reinterpret_cast<E*>(a.to) + place;
#pragma unroll
    for (int k = 0; k < kTile; k += kLines) {
      const int64_t c = column + line + k;
      if (row + across < a.rows && c < a.columns) {
        tile[line + k][across] = from[c * a.from_stride + row + across];
      }
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kTile; k += kLines) {
      const int64_t r = row + line + k;
      if (r < a.rows && column + across < a.columns) {
        to[r * a.to_stride + column + across] = tile[across][line + k];
      }
    }
    __syncthreads();
  }
}

// ---- Concatenates and splits rows. Part p has the elements
// [begin[p], begin[p + 1]) of each row; `other` is the matrix of all of them.
struct RowsArgs {
  uint64_t other;
  int64_t row;  // elements in a row of `other`
  uint32_t count, parts;
  IntDivisor width;  // elements of all parts in a row
  uint64_t addresses[64];
  int64_t places[64];  // where parts begin in a row of `other`
  uint32_t begins[65];
};

template <class E, bool kJoins>
MR_DEVICE void MoveRows(const RowsArgs& a) {
  __shared__ uint64_t addresses[64];
  __shared__ int64_t places[64];
  __shared__ uint32_t begins[65];
  for (uint32_t i = threadIdx.x; i < 65; i += blockDim.x) {
    begins[i] = i <= a.parts ? a.begins[i] : 0xffffffffu;
    if (i < 64) {
      addresses[i] = a.addresses[i];
      places[i] = a.places[i];
    }
  }
  __syncthreads();
  E* const other = reinterpret_cast<E*>(a.other);
  const uint32_t threads = gridDim.x * blockDim.x;
  for (uint64_t at = blockIdx.x * blockDim.x + threadIdx.x; at < a.count;
       at += threads) {
    const uint32_t i = static_cast<uint32_t>(at);
    const uint32_t o = i / a.width;
    const uint32_t c = i - o * a.width.divisor;
    uint32_t low = 0, high = a.parts;  // begins[low] <= c < begins[high]
    while (high - low > 1) {
      const uint32_t middle = (low + high) / 2;
      if (begins[middle] <= c) {
        low = middle;
      } else {
        high = middle;
      }
    }
    const uint32_t size = begins[low + 1] - begins[low];
    const uint32_t in_part = c - begins[low];
    E* const part = reinterpret_cast<E*>(addresses[low]) +
                    (static_cast<int64_t>(o) * size + in_part);
    E* const whole =
        other + (static_cast<int64_t>(o) * a.row + places[low] + in_part);
    if (kJoins) {
      *whole = *part;
    } else {
      *part = *whole;
    }
  }
}

// ---- Paddings: element i of the output, over R dimensions.
enum PadMode { kPadConstant = 0, kPadReflect = 1, kPadSymmetric = 2 };
template <int R>
struct PadArgs {
  uint64_t from, to;
  uint32_t count;
  int mode;
  Bytes16 value;       // an element, repeated
  IntDivisor dims[R];  // of the output
  int64_t before[R], sizes[R], from_strides[R];
};

template <class E, int R>
MR_DEVICE void Pad(const PadArgs<R>& a) {
  const E* const from = reinterpret_cast<const E*>(a.from);
  E* const to = reinterpret_cast<E*>(a.to);
  const E value = *reinterpret_cast<const E*>(&a.value);
  const uint32_t threads = gridDim.x * blockDim.x;
  for (uint64_t at = blockIdx.x * blockDim.x + threadIdx.x; at < a.count;
       at += threads) {
    uint32_t rest = static_cast<uint32_t>(at);
    int64_t source = 0;
    bool inside = true;
#pragma unroll
    for (int d = R - 1; d >= 0; --d) {
      const uint32_t next = d > 0 ? rest / a.dims[d] : 0;
      int64_t i = int64_t{rest - next * a.dims[d].divisor} - a.before[d];
      if (a.mode == kPadConstant) {
        inside = inside && i >= 0 && i < a.sizes[d];
      } else {
        const int64_t edge = a.mode == kPadReflect ? 1 : 0;
        if (i < 0) i = -i - 1 + edge;
        if (i >= a.sizes[d]) i = 2 * a.sizes[d] - 1 - edge - i;
      }
      source += i * a.from_strides[d];
      rest = next;
    }
    to[at] = inside ? from[source] : value;
  }
}

// ---- Fills whole pieces of 16 bytes from an aligned address on, and the bytes
// that are left.
extern "C" __global__ void Fill(void* to, uint64_t bytes, Bytes16 value) {
  Bytes16* const pieces = reinterpret_cast<Bytes16*>(to);
  const uint64_t threads = uint64_t{gridDim.x} * blockDim.x;
  const uint64_t first = uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (uint64_t i = first; i < bytes / 16; i += threads) pieces[i] = value;
  const uint64_t rest = bytes % 16;
  if (first < rest) {
    const uint64_t half = first < 8 ? value.low : value.high;
    reinterpret_cast<uint8_t*>(to)[bytes - rest + first] =
        static_cast<uint8_t>(half >> (first % 8 * 8));
  }
}

#define MOVES_OF(E, BYTES, TILE)                                        \
  extern "C" __global__ void Copy2_##BYTES(const CopyArgs<2> a) {       \
    CopyStrided<E, 2>(a);                                               \
  }                                                                     \
  extern "C" __global__ void Copy4_##BYTES(const CopyArgs<4> a) {       \
    CopyStrided<E, 4>(a);                                               \
  }                                                                     \
  extern "C" __global__ void Copy8_##BYTES(const CopyArgs<8> a) {       \
    CopyStrided<E, 8>(a);                                               \
  }                                                                     \
  extern "C" __global__ void Transpose_##BYTES(const TransposeArgs a) { \
    TransposeTiles<E, TILE>(a);                                         \
  }                                                                     \
  extern "C" __global__ void Join_##BYTES(const RowsArgs a) {           \
    MoveRows<E, true>(a);                                               \
  }                                                                     \
  extern "C" __global__ void Split_##BYTES(const RowsArgs a) {          \
    MoveRows<E, false>(a);                                              \
  }                                                                     \
  extern "C" __global__ void Pad4_##BYTES(const PadArgs<4> a) {         \
    Pad<E, 4>(a);                                                       \
  }                                                                     \
  extern "C" __global__ void Pad8_##BYTES(const PadArgs<8> a) { Pad<E, 8>(a); }
MOVES_OF(uint8_t, 1, 64)
MOVES_OF(uint16_t, 2, 64)
MOVES_OF(uint32_t, 4, 32)
MOVES_OF(uint64_t, 8, 32)
MOVES_OF(Bytes16, 16, 32)
