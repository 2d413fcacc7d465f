// Rounding to evenly spaced numbers in ranges, and its gradients. Ranges are
// those of channels, which are the last dimension: [min, max, scale, zero,
// empty] for each, of floats, in arrays beside each other.

// The integers [least, most] represent a range, moved so that a step falls on
// 0.
extern "C" __global__ void NudgeRanges(const float* min, const float* max,
                                       float* ranges, int64_t depth,
                                       float least, float most) {
  for (GRID_STRIDE(i, depth)) {
    const float low = min[i], high = max[i];
    const float scale = (high - low) / (most - least);
    const float zero = least - low / scale;
    // If the range does not contain 0, its nearer end moves to 0.
    const float step = zero < least   ? least
                       : zero > most  ? most
                       : zero == zero ? roundf(zero)
                                      : 0.0f;
    const float nudged = (least - step) * scale;
    ranges[i] = nudged;
    ranges[depth + i] = (most - step) * scale;
    ranges[2 * depth + i] = scale;
    ranges[3 * depth + i] = floorf(__fmul_rn(-nudged, 1.0f / scale) + 0.5f);
    ranges[4 * depth + i] = low == 0 && high == 0 ? 1.0f : 0.0f;
  }
}

extern "C" __global__ void RoundToSteps(const float* x, const float* ranges,
                                        float* z, int64_t n, int64_t depth) {
  for (GRID_STRIDE(i, n)) {
    const float* const r = ranges + i % depth;
    const float low = r[0], high = r[depth], scale = r[2 * depth];
    float v = high < x[i] ? high : x[i];
    v = v < low ? low : v;
    v = floorf((v - low) / scale - r[3 * depth] + 0.5f) * scale;
    z[i] = r[4 * depth] != 0 ? 0.0f : v;
  }
}

// Rounds with one range; `inverse` is 1 / scale, rounded once.
extern "C" __global__ void RoundAll(const float* x, float* z, int64_t n,
                                    float low, float high, float scale,
                                    float inverse, float zero) {
  for (GRID_STRIDE(i, n)) {
    float v = high < x[i] ? high : x[i];
    v = v < low ? low : v;
    // Rounded after each step, as on CPUs.
    z[i] = floorf(__fmul_rn(v - low, inverse) - zero + 0.5f) * scale;
  }
}

extern "C" __global__ void PassGradient(const float* dy, const float* x,
                                        const float* ranges, float* dx,
                                        int64_t n, int64_t depth) {
  for (GRID_STRIDE(i, n)) {
    const float* const r = ranges + i % depth;
    const bool within = (x[i] >= r[0] && x[i] <= r[depth]) || r[4 * depth] != 0;
    dx[i] = dy[i] * (within ? 1.0f : 0.0f);
  }
}

struct TwoSums {
  double below, above;
};
struct TwoSumsOp {
  template <class X>
  MR_DEVICE static X Identity() {
    return X{0, 0};
  }
  MR_DEVICE TwoSums operator()(TwoSums a, TwoSums b) const {
    return TwoSums{a.below + b.below, a.above + b.above};
  }
};
// Sums the gradients of the ends of ranges, of slices of rows: partial[slice,
// channel]. A block for each channel and slice.
extern "C" __global__ void SumEnds(const float* dy, const float* x,
                                   const float* ranges, void* partial,
                                   int64_t rows, int64_t depth, int64_t slices,
                                   int64_t slice) {
  TwoSums* const sums = reinterpret_cast<TwoSums*>(partial);
  for (int64_t item = blockIdx.x; item < depth * slices; item += gridDim.x) {
    const int64_t c = item % depth, begin = item / depth * slice;
    const int64_t end = MinOf(begin + slice, rows);
    const float* const r = ranges + c;
    const float low = r[0], high = r[depth];
    const bool empty = r[4 * depth] != 0;
    TwoSums s{0, 0};
    for (int64_t row = begin + threadIdx.x; row < end; row += blockDim.x) {
      const int64_t i = row * depth + c;
      if (empty) continue;
      s.below += dy[i] * (x[i] < low ? 1.0f : 0.0f);
      s.above += dy[i] * (x[i] > high ? 1.0f : 0.0f);
    }
    s = BlockReduce<TwoSumsOp>(s);
    if (threadIdx.x == 0) sums[item] = s;
  }
}
extern "C" __global__ void JoinEnds(const void* partial, float* min, float* max,
                                    int64_t depth, int64_t slices) {
  const TwoSums* const sums = reinterpret_cast<const TwoSums*>(partial);
  for (GRID_STRIDE(c, depth)) {
    TwoSums s{0, 0};
    for (int64_t i = 0; i < slices; ++i) {
      s = TwoSumsOp()(s, sums[i * depth + c]);
    }
    min[c] = static_cast<float>(s.below);
    max[c] = static_cast<float>(s.above);
  }
}
