// Reductions of elements of type T by OP, a struct of reduce_ops.gpu.cu. The
// sum of an output's elements is made in an order that depends on the shape
// alone.
//
// Texts: reduction/reduce_ops.gpu.cu
// Defines: T = float double half bfloat16 int8_t int16_t int64_t uint8_t
//      uint16_t uint32_t uint64_t complex64 complex128;
//      OP = AddOf MeanOf ProductOf NormOf
// Defines: T = float double half bfloat16 int8_t int16_t int64_t uint8_t
//      uint16_t uint32_t uint64_t; OP = LargestOf SmallestOf
// Defines: T = float double half bfloat16; OP = HalfSquareOf
// Defines: T = bool; OP = EveryOf SomeOf
// Defines: T = float complex128; OP = AddOf; GROUPS = 32

// The most groups of dimensions that are kept, and as many that are reduced.
#ifndef GROUPS
#define GROUPS 4
#endif

typedef OP<T> Op;
typedef Op::Acc Acc;
struct MergeOp {
  template <class A>
  MR_DEVICE static A Identity() {
    return Op::Identity();
  }
  MR_DEVICE Acc operator()(Acc a, Acc b) const { return Op::Merge(a, b); }
};

// Output o has the elements x[offset(kept, o) + offset(reduced, r)], r <
// `reduced_count`, cut into `slices`. Strides are in elements, the last
// dimension changes fastest. Rows read `reduced` in units, the last stride of
// which is the size of a unit.
struct ReduceArgs {
  uint64_t x, out, partial;
  int64_t outputs, reduced_count, count;
  int64_t slices, slice;  // number; units of each
  // Of columns: the innermost kept dimension, and the shift of the number of
  // threads along it.
  int64_t inner;
  int width_shift;
  int groups;  // of kept dimensions or of reduced ones, whichever are more
  IntDivisor kept[GROUPS], reduced[GROUPS];
  int64_t kept_strides[GROUPS], reduced_strides[GROUPS];
};

// Not inlined, since it is long and rare.
__device__ __attribute__((noinline)) int64_t LongQuotient(int64_t n,
                                                          uint32_t divisor) {
  return n / divisor;
}

// Few groups are unrolled.
MR_DEVICE int64_t OffsetOf(int64_t i, const IntDivisor* dims,
                           const int64_t* strides, int groups) {
  int64_t offset = 0;
#pragma unroll
  for (int d = (GROUPS <= 4 ? GROUPS : groups) - 1; d > 0; --d) {
    if (dims[d].divisor == 1) continue;
    const int64_t next = i >> 31 == 0
                             ? int64_t{static_cast<uint32_t>(i) / dims[d]}
                             : LongQuotient(i, dims[d].divisor);
    offset += (i - next * dims[d].divisor) * strides[d];
    i = next;
  }
  return offset + i * strides[0];
}
MR_DEVICE int64_t KeptOffset(const ReduceArgs& a, int64_t o) {
  return OffsetOf(o, a.kept, a.kept_strides, a.groups);
}
MR_DEVICE int64_t ReducedOffset(const ReduceArgs& a, int64_t r) {
  return OffsetOf(r, a.reduced, a.reduced_strides, a.groups);
}

// Accumulates units begin, begin + step, ... of one output.
template <int kUnit>
MR_DEVICE Acc TakeUnits(const ReduceArgs& a, const T* x, int64_t begin,
                        int64_t end, int64_t step) {
  typedef Pack<T, kUnit> Unit;
  Acc acc = Op::Identity();
#pragma unroll 4
  for (int64_t u = begin; u < end; u += step) {
    const Unit unit = *reinterpret_cast<const Unit*>(x + ReducedOffset(a, u));
#pragma unroll
    for (int i = 0; i < kUnit; ++i) acc = Op::Take(acc, unit[i]);
  }
  return acc;
}

MR_DEVICE void Put(const ReduceArgs& a, int64_t o, int64_t slice, Acc acc) {
  if (a.slices == 1) {
    reinterpret_cast<T*>(a.out)[o] = Op::Finish(acc, a.count);
  } else {
    reinterpret_cast<Acc*>(a.partial)[slice * a.outputs + o] = acc;
  }
}

// The innermost dimension is reduced: one thread, warp or block for an output
// or a slice of it.
template <int kUnit>
MR_DEVICE void RowsOfThreads(const ReduceArgs& a) {
  for (GRID_STRIDE(o, a.outputs)) {
    const T* const x = reinterpret_cast<const T*>(a.x) + KeptOffset(a, o);
    Put(a, o, 0, TakeUnits<kUnit>(a, x, 0, a.slice, 1));
  }
}
template <int kUnit>
MR_DEVICE void RowsOfWarps(const ReduceArgs& a) {
  const int lane = threadIdx.x % 32;
  const int64_t warps = int64_t{gridDim.x} * (blockDim.x / 32);
  for (int64_t o = int64_t{blockIdx.x} * (blockDim.x / 32) + threadIdx.x / 32;
       o < a.outputs; o += warps) {
    const T* const x = reinterpret_cast<const T*>(a.x) + KeptOffset(a, o);
    const Acc acc =
        WarpReduce<MergeOp>(TakeUnits<kUnit>(a, x, lane, a.slice, 32));
    if (lane == 0) Put(a, o, 0, acc);
  }
}
template <int kUnit>
MR_DEVICE void RowsOfBlocks(const ReduceArgs& a) {
  const int64_t items = a.outputs * a.slices;
  for (int64_t item = blockIdx.x; item < items; item += gridDim.x) {
    const int64_t o = item / a.slices, slice = item - o * a.slices;
    const T* const x = reinterpret_cast<const T*>(a.x) + KeptOffset(a, o);
    const int64_t begin = slice * a.slice;
    const int64_t end = MinOf(begin + a.slice, a.reduced_count);
    const Acc acc = BlockReduce<MergeOp>(
        TakeUnits<kUnit>(a, x, begin + threadIdx.x, end, blockDim.x));
    if (threadIdx.x == 0) Put(a, o, slice, acc);
  }
}

constexpr int kWideUnit = 16 / static_cast<int>(sizeof(T));
extern "C" __global__ void RowsThread(const ReduceArgs a) {
  RowsOfThreads<1>(a);
}
extern "C" __global__ void RowsWarp(const ReduceArgs a) { RowsOfWarps<1>(a); }
extern "C" __global__ void RowsWarpWide(const ReduceArgs a) {
  RowsOfWarps<kWideUnit>(a);
}
extern "C" __global__ void RowsBlock(const ReduceArgs a) { RowsOfBlocks<1>(a); }
extern "C" __global__ void RowsBlockWide(const ReduceArgs a) {
  RowsOfBlocks<kWideUnit>(a);
}

// The innermost dimension is kept: threads of a block are beside each other
// along it, and the lines of threads share the reduced elements.
extern "C" __global__ void Columns(const ReduceArgs a) {
  alignas(16) __shared__ unsigned char bytes[256 * sizeof(Acc)];
  Acc* const accs = reinterpret_cast<Acc*>(bytes);
  const int width = 1 << a.width_shift;
  const int lines = 256 >> a.width_shift;
  const int across = threadIdx.x & (width - 1);
  const int line = threadIdx.x >> a.width_shift;
  const int64_t tiles = (a.inner + width - 1) >> a.width_shift;
  const int64_t items = a.outputs / a.inner * tiles * a.slices;
  for (int64_t item = blockIdx.x; item < items; item += gridDim.x) {
    const int64_t slice = item % a.slices;
    const int64_t tile = item / a.slices;
    const int64_t outer = tile / tiles;
    const int64_t column = (tile - outer * tiles) * width + across;
    const int64_t begin = slice * a.slice;
    const int64_t end = MinOf(begin + a.slice, a.reduced_count);
    Acc acc = Op::Identity();
    if (column < a.inner) {
      const T* const x =
          reinterpret_cast<const T*>(a.x) + KeptOffset(a, outer) + column;
#pragma unroll 4
      for (int64_t r = begin + line; r < end; r += lines) {
        acc = Op::Take(acc, x[ReducedOffset(a, r)]);
      }
    }
    accs[threadIdx.x] = acc;
    __syncthreads();
    for (int half = lines / 2; half > 0; half /= 2) {
      if (line < half) {
        accs[threadIdx.x] =
            Op::Merge(accs[threadIdx.x], accs[threadIdx.x + half * width]);
      }
      __syncthreads();
    }
    if (line == 0 && column < a.inner) {
      Put(a, outer * a.inner + column, slice, accs[across]);
    }
    __syncthreads();
  }
}

// Joins the slices of each output, a warp for each.
extern "C" __global__ void JoinSlices(const ReduceArgs a) {
  const int lane = threadIdx.x % 32;
  const Acc* const partial = reinterpret_cast<const Acc*>(a.partial);
  const int64_t warps = int64_t{gridDim.x} * (blockDim.x / 32);
  for (int64_t o = int64_t{blockIdx.x} * (blockDim.x / 32) + threadIdx.x / 32;
       o < a.outputs; o += warps) {
    Acc acc = Op::Identity();
    for (int64_t s = lane; s < a.slices; s += 32) {
      acc = Op::Merge(acc, partial[s * a.outputs + o]);
    }
    acc = WarpReduce<MergeOp>(acc);
    if (lane == 0) {
      reinterpret_cast<T*>(a.out)[o] = Op::Finish(acc, a.count);
    }
  }
}

// The result of no elements.
extern "C" __global__ void FillEmpty(T* out, int64_t n) {
  for (GRID_STRIDE(i, n)) out[i] = Op::Finish(Op::Identity(), 0);
}
