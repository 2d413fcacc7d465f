// Rounding of values to multiples of a step, which slices of a tensor [outer,
// slices, inner] have of their own, and its gradient.
//
// Defines: T = float double
// Texts: quantize/round_trip.shared.h

using namespace millrace::ops;

// Finds the smallest and the largest number of parts of slices: ranges[part,
// slice, 2]. NaN is ignored. A block for each part and slice.
extern "C" __global__ void __launch_bounds__(256)
    FindRanges(const T* x, T* ranges, int64_t items, int64_t outer,
               int64_t slices, int64_t inner, int64_t part) {
  const int64_t all = outer * inner;
  for (int64_t item = blockIdx.x; item < items; item += gridDim.x) {
    const int64_t slice = item % slices, begin = item / slices * part;
    const int64_t end = MinOf(begin + part, all);
    T low = Infinity<T>(), high = MinusInfinity<T>();
    for (int64_t i = begin + threadIdx.x; i < end; i += blockDim.x) {
      const T v = x[(i / inner * slices + slice) * inner + i % inner];
      low = v < low ? v : low;
      high = high < v ? v : high;
    }
    low = BlockReduce<MinOp>(low);
    high = BlockReduce<MaxOp>(high);
    if (threadIdx.x == 0) {
      ranges[2 * item] = low;
      ranges[2 * item + 1] = high;
    }
  }
}

extern "C" __global__ void __launch_bounds__(256)
    MakeRoundings(const T* ranges, Rounding<T>* roundings, int64_t slices,
                  int64_t parts, T least, T most) {
  for (GRID_STRIDE(slice, slices)) {
    T low = Infinity<T>(), high = MinusInfinity<T>();
    for (int64_t p = 0; p < parts; ++p) {
      low = MinOf(ranges[2 * (p * slices + slice)], low);
      high = MaxOf(ranges[2 * (p * slices + slice) + 1], high);
    }
    roundings[slice] = RoundingOf<T>(low, high, least, most, MaxOf<T>());
  }
}

// Values beyond the range become its nearer end if `limited`. Halves are
// rounded to even numbers, or upwards. `x` and `z` may be the same.
extern "C" __global__ void __launch_bounds__(256)
    RoundSlices(const T* x, const Rounding<T>* roundings, T* z, int64_t n,
                int64_t slices, int64_t inner, bool limited, bool to_even) {
  for (GRID_STRIDE(i, n)) {
    const Rounding<T> r = roundings[i / inner % slices];
    T v = x[i];
    if (limited) {
      v = r.max < v ? r.max : v;
      v = v < r.min ? r.min : v;
    }
    v = RoundedProduct(v, r.scale);
    v = to_even ? static_cast<T>(rint(v)) : static_cast<T>(floor(v + T(0.5)));
    z[i] = v * r.step;
  }
}

// `ends` are the smallest and the largest values of slices: [2, slices].
extern "C" __global__ void __launch_bounds__(256)
    PassWithin(const T* dy, const T* x, const T* ends, T* dx, int64_t n,
               int64_t slices, int64_t inner) {
  for (GRID_STRIDE(i, n)) {
    const int64_t slice = i / inner % slices;
    const bool within = x[i] >= ends[slice] && x[i] <= ends[slices + slice];
    dx[i] = dy[i] * (within ? T(1) : T(0));
  }
}
