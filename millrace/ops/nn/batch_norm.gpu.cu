// Batch normalization of [outer, channels, inner], where inner is 1 if channels
// are last. T is the type of elements; all else is float. Sums of a slice of a
// channel are float, those over slices double, in an order that depends on the
// shape alone.
// Defines: T = float half bfloat16

struct NormArgs {
  uint64_t x, dy, side, out;  // T
  uint64_t partial;           // float [2, slices, channels]
  uint64_t scale, offset;     // float, by channel, as all that follow
  uint64_t given_mean, given_variance;
  uint64_t mean, variance;  // of the batch, or those given
  uint64_t new_mean, new_variance;
  uint64_t factors;  // 3 * channels
  int64_t outer, channels, inner;
  int64_t slices, slice;  // of outer * inner elements of a channel
  int64_t units;          // of elements in all, of a thread at once
  IntDivisor by_inner, by_channels;
  int width_shift;        // of threads beside each other along channels
  float epsilon, factor;  // factor: of the running averages
  int relu, training;
};

MR_DEVICE float* Floats(uint64_t address) {
  return reinterpret_cast<float*>(address);
}
MR_DEVICE const T* Elements(uint64_t address) {
  return reinterpret_cast<const T*>(address);
}

struct TwoSums {
  float first, second;
};
struct TwoSumsOp {
  template <class X>
  MR_DEVICE static X Identity() {
    return X{0, 0};
  }
  MR_DEVICE TwoSums operator()(TwoSums a, TwoSums b) const {
    return TwoSums{a.first + b.first, a.second + b.second};
  }
};

// Sums over slices of channels. F has
//   void Begin(a, c, first)   // of channel c; the first element of a slice
//   void Add(a, at, s)        // element `at` to the sums
//   void Put(a, slice, c, s, count)
template <class F>
MR_DEVICE void SumColumns(const NormArgs& a) {
  alignas(16) __shared__ unsigned char bytes[256 * sizeof(TwoSums)];
  TwoSums* const sums = reinterpret_cast<TwoSums*>(bytes);
  const int width = 1 << a.width_shift;
  const int lines = 256 >> a.width_shift;
  const int across = threadIdx.x & (width - 1);
  const int line = threadIdx.x >> a.width_shift;
  const int64_t tiles = (a.channels + width - 1) >> a.width_shift;
  for (int64_t item = blockIdx.x; item < tiles * a.slices; item += gridDim.x) {
    const int64_t slice = item / tiles;
    const int64_t c = (item - slice * tiles) * width + across;
    const int64_t begin = slice * a.slice;
    const int64_t end = MinOf(begin + a.slice, a.outer);
    TwoSums s{0, 0};
    F f;
    if (c < a.channels) {
      f.Begin(a, c, begin * a.channels + c);
#pragma unroll 4
      for (int64_t r = begin + line; r < end; r += lines) {
        f.Add(a, r * a.channels + c, s);
      }
    }
    sums[threadIdx.x] = s;
    __syncthreads();
    for (int half = lines / 2; half > 0; half /= 2) {
      if (line < half) {
        sums[threadIdx.x] =
            TwoSumsOp()(sums[threadIdx.x], sums[threadIdx.x + half * width]);
      }
      __syncthreads();
    }
    if (line == 0 && c < a.channels) {
      f.Put(a, slice, c, sums[across], end - begin);
    }
    __syncthreads();
  }
}
template <class F>
MR_DEVICE void SumPlanes(const NormArgs& a) {
  const int64_t count = a.outer * a.inner;
  for (int64_t item = blockIdx.x; item < a.channels * a.slices;
       item += gridDim.x) {
    const int64_t slice = item / a.channels;
    const int64_t c = item - slice * a.channels;
    const uint32_t begin = static_cast<uint32_t>(slice * a.slice);
    const uint32_t end =
        static_cast<uint32_t>(MinOf(slice * a.slice + a.slice, count));
    const auto place = [&](uint32_t i) {
      const uint32_t o = i / a.by_inner;
      return (int64_t{o} * a.channels + c) * a.inner +
             (i - o * a.by_inner.divisor);
    };
    TwoSums s{0, 0};
    F f;
    f.Begin(a, c, place(begin));
#pragma unroll 4
    for (uint32_t i = begin + threadIdx.x; i < end; i += blockDim.x) {
      f.Add(a, place(i), s);
    }
    s = BlockReduce<TwoSumsOp>(s);
    if (threadIdx.x == 0) f.Put(a, slice, c, s, end - begin);
  }
}

// Means of slices, and sums of squares around them. Elements are summed around
// the first one, which is near the mean.
struct Measure {
  float shift;
  MR_DEVICE void Begin(const NormArgs& a, int64_t, int64_t first) {
    shift = static_cast<float>(Elements(a.x)[first]);
  }
  MR_DEVICE void Add(const NormArgs& a, int64_t at, TwoSums& s) {
    const float d = static_cast<float>(Elements(a.x)[at]) - shift;
    s.first += d;
    s.second += d * d;
  }
  MR_DEVICE void Put(const NormArgs& a, int64_t slice, int64_t c, TwoSums s,
                     int64_t count) {
    const float rest = s.first / static_cast<float>(count);
    float* const partial = Floats(a.partial) + slice * a.channels + c;
    partial[0] = shift + rest;
    partial[a.slices * a.channels] = s.second - rest * s.first;
  }
};
// Sums of gradients, and of gradients times the distance from the mean.
struct MeasureGradient {
  float mean;
  MR_DEVICE void Begin(const NormArgs& a, int64_t c, int64_t) {
    mean = Floats(a.mean)[c];
  }
  MR_DEVICE void Add(const NormArgs& a, int64_t at, TwoSums& s) {
    const float d = static_cast<float>(Elements(a.dy)[at]);
    s.first += d;
    s.second += d * (static_cast<float>(Elements(a.x)[at]) - mean);
  }
  MR_DEVICE void Put(const NormArgs& a, int64_t slice, int64_t c, TwoSums s,
                     int64_t) {
    float* const partial = Floats(a.partial) + slice * a.channels + c;
    partial[0] = s.first;
    partial[a.slices * a.channels] = s.second;
  }
};
extern "C" __global__ void MeasureColumns(const NormArgs a) {
  SumColumns<Measure>(a);
}
extern "C" __global__ void MeasurePlanes(const NormArgs a) {
  SumPlanes<Measure>(a);
}
extern "C" __global__ void MeasureGradientColumns(const NormArgs a) {
  SumColumns<MeasureGradient>(a);
}
extern "C" __global__ void MeasureGradientPlanes(const NormArgs a) {
  SumPlanes<MeasureGradient>(a);
}

// As in Chan, Golub and LeVeque, "Updating formulae and a pairwise algorithm
// for computing sample variances" (1979).
struct Statistics {
  double count, mean, squares;
};
struct StatisticsOp {
  template <class X>
  MR_DEVICE static X Identity() {
    return X{0, 0, 0};
  }
  MR_DEVICE Statistics operator()(Statistics a, Statistics b) const {
    if (a.count == 0) return b;
    if (b.count == 0) return a;
    const double count = a.count + b.count, apart = b.mean - a.mean;
    return Statistics{
        count, a.mean + apart * (b.count / count),
        a.squares + b.squares + apart * apart * (a.count * b.count / count)};
  }
};

// What Normalize does: y = (x - mean) * factor + offset.
MR_DEVICE void PutFactors(const NormArgs& a, int64_t c, float mean,
                          float variance) {
  float* const factors = Floats(a.factors);
  factors[c] = mean;
  factors[a.channels + c] = Floats(a.scale)[c] / sqrtf(variance + a.epsilon);
  factors[2 * a.channels + c] = Floats(a.offset)[c];
}

// A warp for each channel.
extern "C" __global__ void JoinStatistics(const NormArgs a) {
  const int lane = threadIdx.x % 32;
  const int64_t total = a.outer * a.inner;
  const int64_t warps = int64_t{gridDim.x} * (blockDim.x / 32);
  for (int64_t c = int64_t{blockIdx.x} * (blockDim.x / 32) + threadIdx.x / 32;
       c < a.channels; c += warps) {
    Statistics s{0, 0, 0};
    for (int64_t i = lane; i < a.slices; i += 32) {
      const float* const partial = Floats(a.partial) + i * a.channels + c;
      const int64_t count = MinOf(a.slice, total - i * a.slice);
      s = StatisticsOp()(s, Statistics{double(count), partial[0],
                                       partial[a.slices * a.channels]});
    }
    s = WarpReduce<StatisticsOp>(s);
    if (lane != 0) continue;
    const float mean = static_cast<float>(s.mean);
    const double square = s.squares / s.count;
    const float variance = static_cast<float>(square < 0 ? 0 : square);
    Floats(a.mean)[c] = mean;
    Floats(a.variance)[c] = variance;
    const double bessel = s.count / (s.count > 2 ? s.count - 1 : 1.0);
    const float unbiased = static_cast<float>(variance * bessel);
    const float f = a.factor;
    Floats(a.new_mean)[c] =
        f == 1.0f ? mean : Floats(a.given_mean)[c] * (1 - f) + mean * f;
    Floats(a.new_variance)[c] =
        f == 1.0f ? unbiased
                  : Floats(a.given_variance)[c] * (1 - f) + unbiased * f;
    PutFactors(a, c, mean, variance);
  }
}
extern "C" __global__ void TakeStatistics(const NormArgs a) {
  for (GRID_STRIDE(c, a.channels)) {
    const float mean = Floats(a.given_mean)[c];
    const float variance = Floats(a.given_variance)[c];
    Floats(a.mean)[c] = Floats(a.new_mean)[c] = mean;
    Floats(a.variance)[c] = Floats(a.new_variance)[c] = variance;
    PutFactors(a, c, mean, variance);
  }
}

// Calls f(place, channel of the first element) for units of kUnit elements, all
// of one channel or, if channels are last, of neighbouring ones.
template <int kUnit, class F>
MR_DEVICE void ForUnits(const NormArgs& a, F f) {
  for (GRID_STRIDE(u, a.units)) {
    const int64_t at = u * kUnit;
    int64_t c;
    if (at >> 31 == 0) {
      const uint32_t i = static_cast<uint32_t>(at);
      c = a.inner == 1 ? i % a.by_channels : i / a.by_inner % a.by_channels;
    } else {
      c = at / a.inner % a.channels;
    }
    f(at, c);
  }
}

template <int kUnit>
MR_DEVICE void NormalizeUnits(const NormArgs& a) {
  typedef Pack<T, kUnit> Unit;
  const float* const factors = Floats(a.factors);
  const int step = a.inner == 1 ? 1 : 0;
  ForUnits<kUnit>(a, [&](int64_t at, int64_t c) {
    const Unit x = *reinterpret_cast<const Unit*>(Elements(a.x) + at);
    Unit side, y;
    if (a.side != 0) {
      side = *reinterpret_cast<const Unit*>(Elements(a.side) + at);
    }
#pragma unroll
    for (int k = 0; k < kUnit; ++k) {
      const float* const f = factors + c + k * step;
      float v =
          (static_cast<float>(x[k]) - f[0]) * f[a.channels] + f[2 * a.channels];
      if (a.side != 0) v += static_cast<float>(side[k]);
      // As on CPUs, what is no number stays none.
      if (a.relu && v < 0) v = 0;
      y[k] = static_cast<T>(v);
    }
    *reinterpret_cast<Unit*>(reinterpret_cast<T*>(a.out) + at) = y;
  });
}
extern "C" __global__ void Normalize1(const NormArgs a) {
  NormalizeUnits<1>(a);
}
extern "C" __global__ void Normalize4(const NormArgs a) {
  NormalizeUnits<4>(a);
}

// Sets the gradients of scale and offset, `new_variance` and `new_mean`, and
// the factors of dx = (dy - first - (x - mean) * second) * factor, a warp for
// each channel.
extern "C" __global__ void JoinGradients(const NormArgs a) {
  const int lane = threadIdx.x % 32;
  const int64_t warps = int64_t{gridDim.x} * (blockDim.x / 32);
  const double count = double(a.outer * a.inner);
  for (int64_t c = int64_t{blockIdx.x} * (blockDim.x / 32) + threadIdx.x / 32;
       c < a.channels; c += warps) {
    double first = 0, second = 0;
    for (int64_t i = lane; i < a.slices; i += 32) {
      const float* const partial = Floats(a.partial) + i * a.channels + c;
      first += partial[0];
      second += partial[a.slices * a.channels];
    }
    first = WarpReduce<SumOp>(first);
    second = WarpReduce<SumOp>(second);
    if (lane != 0) continue;
    const double r = 1 / sqrt(double(Floats(a.variance)[c]) + a.epsilon);
    Floats(a.new_mean)[c] = static_cast<float>(first);
    Floats(a.new_variance)[c] = static_cast<float>(second * r);
    float* const factors = Floats(a.factors);
    factors[c] = a.training ? static_cast<float>(first / count) : 0.0f;
    factors[a.channels + c] =
        a.training ? static_cast<float>(second * r * r / count) : 0.0f;
    factors[2 * a.channels + c] =
        static_cast<float>(double(Floats(a.scale)[c]) * r);
  }
}

template <int kUnit>
MR_DEVICE void GradientUnits(const NormArgs& a) {
  typedef Pack<T, kUnit> Unit;
  const float* const factors = Floats(a.factors);
  const float* const mean = Floats(a.mean);
  const int step = a.inner == 1 ? 1 : 0;
  ForUnits<kUnit>(a, [&](int64_t at, int64_t c) {
    const Unit x = *reinterpret_cast<const Unit*>(Elements(a.x) + at);
    const Unit dy = *reinterpret_cast<const Unit*>(Elements(a.dy) + at);
    Unit dx;
#pragma unroll
    for (int k = 0; k < kUnit; ++k) {
      const float* const f = factors + c + k * step;
      const float distance = static_cast<float>(x[k]) - mean[c + k * step];
      dx[k] = static_cast<T>(
          (static_cast<float>(dy[k]) - f[0] - distance * f[a.channels]) *
          f[2 * a.channels]);
    }
    *reinterpret_cast<Unit*>(reinterpret_cast<T*>(a.out) + at) = dx;
  });
}
extern "C" __global__ void Gradient1(const NormArgs a) { GradientUnits<1>(a); }
extern "C" __global__ void Gradient4(const NormArgs a) { GradientUnits<4>(a); }

extern "C" __global__ void FillFloats(float* to, int64_t n, float value) {
  for (GRID_STRIDE(i, n)) to[i] = value;
}
