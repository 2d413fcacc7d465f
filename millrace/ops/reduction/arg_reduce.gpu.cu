// The places of the largest or smallest elements of lines. LARGEST is 1 or 0; T
// is the type of elements, I that of places.
//
// Defines: T = float double half bfloat16 int8_t uint8_t int16_t int32_t
//      int64_t uint64_t bool; I = int64_t; LARGEST = 1 0
// Defines: T = float; I = int32_t int16_t uint16_t; LARGEST = 1

typedef Compute<T> Value;
struct Found {
  Value value;
  int64_t place;  // where none was found: above all places
};
constexpr int64_t kNowhere = int64_t(~uint64_t(0) >> 1);

// The element that another one must be better than: the worst finite number. So
// NaN and infinities of the other end are never found.
MR_DEVICE Value Worst() {
  return static_cast<Value>(LARGEST ? Lowest<T>() : MaxOf<T>());
}
MR_DEVICE bool IsBetter(Value a, Value b) { return LARGEST ? a > b : a < b; }
// Of equal elements, the first.
struct BetterOp {
  template <class X>
  MR_DEVICE static X Identity() {
    return X{Worst(), kNowhere};
  }
  MR_DEVICE Found operator()(Found a, Found b) const {
    if (IsBetter(a.value, b.value)) return a;
    if (IsBetter(b.value, a.value)) return b;
    return a.place <= b.place ? a : b;
  }
};
MR_DEVICE I PlaceOf(Found f) {
  return static_cast<I>(f.place == kNowhere ? 0 : f.place);
}
MR_DEVICE void Look(const T& x, int64_t place, Found& best) {
  const Value v = static_cast<Value>(x);
  if (IsBetter(v, best.value)) best = Found{v, place};
}

// Lines that are contiguous: a warp or a block for each.
extern "C" __global__ void LinesOfWarps(const T* x, I* out, int64_t lines,
                                        int64_t n) {
  const int lane = threadIdx.x % 32;
  const int64_t warps = int64_t{gridDim.x} * (blockDim.x / 32);
  for (int64_t line =
           int64_t{blockIdx.x} * (blockDim.x / 32) + threadIdx.x / 32;
       line < lines; line += warps) {
    Found best{Worst(), kNowhere};
#pragma unroll 4
    for (int64_t i = lane; i < n; i += 32) Look(x[line * n + i], i, best);
    best = WarpReduce<BetterOp>(best);
    if (lane == 0) out[line] = PlaceOf(best);
  }
}
// Lines are cut into `slices`, whose results go to `partial` if there are
// several.
extern "C" __global__ void LinesOfBlocks(const T* x, I* out, Found* partial,
                                         int64_t lines, int64_t n,
                                         int64_t slices, int64_t slice) {
  for (int64_t item = blockIdx.x; item < lines * slices; item += gridDim.x) {
    const int64_t line = item / slices;
    const int64_t begin = (item - line * slices) * slice;
    const int64_t end = MinOf(begin + slice, n);
    Found best{Worst(), kNowhere};
#pragma unroll 4
    for (int64_t i = begin + threadIdx.x; i < end; i += blockDim.x) {
      Look(x[line * n + i], i, best);
    }
    best = BlockReduce<BetterOp>(best);
    if (threadIdx.x != 0) continue;
    if (slices == 1) {
      out[line] = PlaceOf(best);
    } else {
      partial[item] = best;
    }
  }
}
extern "C" __global__ void JoinLines(const Found* partial, I* out,
                                     int64_t lines, int64_t slices) {
  const int lane = threadIdx.x % 32;
  const int64_t warps = int64_t{gridDim.x} * (blockDim.x / 32);
  for (int64_t line =
           int64_t{blockIdx.x} * (blockDim.x / 32) + threadIdx.x / 32;
       line < lines; line += warps) {
    Found best{Worst(), kNowhere};
    for (int64_t s = lane; s < slices; s += 32) {
      best = BetterOp()(best, partial[line * slices + s]);
    }
    best = WarpReduce<BetterOp>(best);
    if (lane == 0) out[line] = PlaceOf(best);
  }
}

// Lines beside each other: [lines / inner, n, inner], a thread for a slice of
// each.
extern "C" __global__ void Columns(const T* x, I* out, Found* partial,
                                   int64_t lines, int64_t n, int64_t inner,
                                   int64_t slices, int64_t slice) {
  for (GRID_STRIDE(item, lines * slices)) {
    const int64_t column = item % inner, rest = item / inner;
    const int64_t s = rest % slices, outer = rest / slices;
    const int64_t begin = s * slice, end = MinOf(begin + slice, n);
    const T* const from = x + outer * n * inner + column;
    Found best{Worst(), kNowhere};
#pragma unroll 4
    for (int64_t i = begin; i < end; ++i) Look(from[i * inner], i, best);
    const int64_t line = outer * inner + column;
    if (slices == 1) {
      out[line] = PlaceOf(best);
    } else {
      partial[line * slices + s] = best;
    }
  }
}
