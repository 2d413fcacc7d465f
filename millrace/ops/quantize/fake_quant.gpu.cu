// Rounding to evenly spaced numbers in ranges, and its gradients. Ranges are
// those of channels, which are the last dimension: [min, max, scale, zero,
// empty] for each, of floats, in arrays beside each other.
//
// Texts: quantize/fake_quant.shared.h

using namespace millrace::ops;

// The integers [least, most] represent a range.
extern "C" __global__ void NudgeRanges(const float* min, const float* max,
                                       float* ranges, int64_t depth,
                                       float least, float most) {
  for (GRID_STRIDE(i, depth)) {
    const float low = min[i], high = max[i];
    const NudgedRange r = Nudge(low, high, least, most);
    ranges[i] = r.min;
    ranges[depth + i] = r.max;
    ranges[2 * depth + i] = r.scale;
    ranges[3 * depth + i] = StepOnZero(r.min, 1.0f / r.scale);
    ranges[4 * depth + i] = low == 0 && high == 0 ? 1.0f : 0.0f;
  }
}

extern "C" __global__ void RoundToSteps(const float* x, const float* ranges,
                                        float* z, int64_t n, int64_t depth) {
  for (GRID_STRIDE(i, n)) {
    const float* const r = ranges + i % depth;
    const float v =
        NearestStep(x[i], r[0], r[depth], r[2 * depth], r[3 * depth]);
    z[i] = r[4 * depth] != 0 ? 0.0f : v;
  }
}

// Rounds with one range; `inverse` is 1 / scale, rounded once.
extern "C" __global__ void RoundAll(const float* x, float* z, int64_t n,
                                    float low, float high, float scale,
                                    float inverse, float zero) {
  const NudgedRange r{low, high, scale};
  for (GRID_STRIDE(i, n)) z[i] = NearestStepByInverse(x[i], r, inverse, zero);
}

extern "C" __global__ void PassGradient(const float* dy, const float* x,
                                        const float* ranges, float* dx,
                                        int64_t n, int64_t depth) {
  for (GRID_STRIDE(i, n)) {
    const float* const r = ranges + i % depth;
    dx[i] = GradientOfValue(dy[i], x[i], r[0], r[depth], r[4 * depth] != 0);
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
      s.below += GradientOfMin(dy[i], x[i], low);
      s.above += GradientOfMax(dy[i], x[i], high);
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
