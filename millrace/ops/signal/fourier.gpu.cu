// Fourier transforms of the lines along one dimension of an array [outer, n,
// inner], by Stockham's algorithm: the steps of fourier.cpu.cc, where `inner`
// lines are interleaved from the start. Short lines that are not interleaved
// are transformed at once. Lengths with a large prime factor are convolutions
// (Bluestein). Roots are computed in double.
//
// Defines: F = float double

typedef complex<F> C;

MR_DEVICE C Times(C a, C b) {
  return C(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
}
// Returns exp(-2 pi sqrt(-1) k / n).
MR_DEVICE C Root(int64_t k, int64_t n) {
  double s, c;
  sincospi(-2 * (static_cast<double>(k) / static_cast<double>(n)), &s, &c);
  return C(static_cast<F>(c), static_cast<F>(s));
}

extern "C" __global__ void __launch_bounds__(256) Roots(C* roots, int64_t n) {
  for (GRID_STRIDE(k, n)) roots[k] = Root(k, n);
}

// One step: lines of r * m elements, `stride` of them interleaved, become r
// times as many lines of m elements. The root of r * m is the power `root_step`
// of that of the table. There are `work` units of work.
template <class I>
struct FourierStep {
  const C* x;
  C* y;
  const C* roots;
  I work, r, m, stride, root_step;
};

// The elements of a unit: those of place p of m in column q, from `from` in
// distances of `far`, to `to` in distances of `stride`.
template <class I, int kRadix>
struct StepPlace {
  const C* from;
  C* to;
  I far, root;
  MR_DEVICE StepPlace(I i, const FourierStep<I>& s) : far(s.stride * s.m) {
    const I row = i / s.stride, q = i - row * s.stride;
    const I part = row / s.m, p = row - part * s.m;
    from = s.x + part * kRadix * far + s.stride * p + q;
    to = s.y + part * kRadix * far + s.stride * kRadix * p + q;
    root = p * s.root_step;
  }
};

template <class I>
MR_DEVICE void DoStep2(I i, const FourierStep<I>& s) {
  const StepPlace<I, 2> at(i, s);
  const C a = at.from[0], b = at.from[at.far];
  at.to[0] = a + b;
  at.to[s.stride] = Times(a - b, s.roots[at.root]);
}

template <class I>
MR_DEVICE void DoStep4(I i, const FourierStep<I>& s) {
  const StepPlace<I, 4> at(i, s);
  const C a = at.from[0], b = at.from[at.far], c = at.from[2 * at.far],
          d = at.from[3 * at.far];
  const C ac = a + c, a_c = a - c, bd = b + d, b_d = b - d;
  const C rotated(b_d.im, -b_d.re);
  at.to[0] = ac + bd;
  at.to[s.stride] = Times(a_c + rotated, s.roots[at.root]);
  at.to[2 * s.stride] = Times(ac - bd, s.roots[2 * at.root]);
  at.to[3 * s.stride] = Times(a_c - rotated, s.roots[3 * at.root]);
}

// Here a unit is one element, which is at its own place in `y`.
template <class I>
MR_DEVICE void DoStepAny(I i, const FourierStep<I>& s) {
  const I n = s.r * s.m, far = s.stride * s.m;
  const I row = i / s.stride, q = i - row * s.stride;
  const I place = row / s.r, j = row - place * s.r;
  const I part = place / s.m, p = place - part * s.m;
  const C* const from = s.x + part * s.r * far + s.stride * p + q;
  // exp(-2 pi sqrt(-1) (j k / r + j p / n)), for each k.
  I power = j * p % n;
  C sum(F(0), F(0));
  for (I k = 0; k < s.r; ++k) {
    sum += Times(from[k * far], s.roots[power * s.root_step]);
    power += j * s.m;
    if (power >= n) power -= n;
  }
  s.y[i] = sum;
}

extern "C" __global__ void __launch_bounds__(256)
    Step2(FourierStep<int64_t> s) {
  for (GRID_STRIDE(i, s.work)) DoStep2(i, s);
}
extern "C" __global__ void __launch_bounds__(256)
    Step4(FourierStep<int64_t> s) {
  for (GRID_STRIDE(i, s.work)) DoStep4(i, s);
}
extern "C" __global__ void __launch_bounds__(256)
    StepAny(FourierStep<int64_t> s) {
  for (GRID_STRIDE(i, s.work)) DoStepAny(i, s);
}

// Elements that a block transforms at once, in its own memory: as many in two
// arrays as 32 KB have.
constexpr int kShared = sizeof(F) == 4 ? 2048 : 1024;

struct FourierFactors {
  int32_t count;
  int32_t factors[12];
};

// Transforms lines of n elements, `at_once` of them in a block. `x` and `y` may
// be the same.
extern "C" __global__ void __launch_bounds__(256)
    ShortLines(const C* x, C* y, const C* roots, FourierFactors f,
               int64_t lines, int32_t n, int32_t at_once) {
  alignas(16) __shared__ unsigned char bytes[2 * kShared * sizeof(C)];
  C* const arrays = reinterpret_cast<C*>(bytes);
  const int threads = blockDim.x, thread = threadIdx.x;
  for (int64_t first = static_cast<int64_t>(blockIdx.x) * at_once;
       first < lines; first += static_cast<int64_t>(gridDim.x) * at_once) {
    const int count = static_cast<int>(
        MinOf(static_cast<int64_t>(at_once), lines - first) * n);
    for (int i = thread; i < count; i += threads) arrays[i] = x[first * n + i];
    FourierStep<int32_t> s;
    s.roots = roots;
    s.stride = 1;
    int now = 0, rest = n;
    for (int k = 0; k < f.count; ++k) {
      __syncthreads();
      s.x = arrays + now * kShared;
      s.y = arrays + (1 - now) * kShared;
      s.r = f.factors[k];
      s.m = rest / s.r;
      s.root_step = n / rest;
      if (s.r == 2) {
        for (int i = thread; i < count / 2; i += threads) DoStep2(i, s);
      } else if (s.r == 4) {
        for (int i = thread; i < count / 4; i += threads) DoStep4(i, s);
      } else {
        for (int i = thread; i < count; i += threads) DoStepAny(i, s);
      }
      now = 1 - now;
      rest /= s.r;
      s.stride *= s.r;
    }
    __syncthreads();
    for (int i = thread; i < count; i += threads) {
      y[first * n + i] = arrays[now * kShared + i];
    }
    __syncthreads();
  }
}

// exp(-pi sqrt(-1) k * k / n).
extern "C" __global__ void __launch_bounds__(256) Chirp(C* chirp, int64_t n) {
  for (GRID_STRIDE(k, n)) {
    const uint64_t square = static_cast<uint64_t>(k) * static_cast<uint64_t>(k);
    chirp[k] = Root(
        static_cast<int64_t>(square % (2 * static_cast<uint64_t>(n))), 2 * n);
  }
}

// The conjugate chirp, both ways from element 0, and zeros between. Divided by
// `size`, a power of 2, which the inverse transform of the product would else
// have to be, where it may be too large.
extern "C" __global__ void __launch_bounds__(256)
    ChirpBothWays(const C* chirp, C* line, int64_t n, int64_t size) {
  const F scale = F(1) / static_cast<F>(size);
  for (GRID_STRIDE(i, size)) {
    const int64_t k = MinOf(i, size - i);
    line[i] =
        k < n ? C(chirp[k].re * scale, -chirp[k].im * scale) : C(F(0), F(0));
  }
}

// Lines [outer, size, inner] of `count` elements become those [outer, n, inner]
// times the chirp, and zeros.
extern "C" __global__ void __launch_bounds__(256)
    PadByChirp(const C* x, const C* chirp, C* padded, int64_t count, int64_t n,
               int64_t size, int64_t inner) {
  for (GRID_STRIDE(i, count)) {
    const int64_t row = i / inner, part = row / size, k = row - part * size;
    padded[i] = k < n ? Times(x[(part * n + k) * inner + i % inner], chirp[k])
                      : C(F(0), F(0));
  }
}

extern "C" __global__ void __launch_bounds__(256)
    TimesSpectrum(C* padded, const C* spectrum, int64_t count, int64_t size,
                  int64_t inner) {
  for (GRID_STRIDE(i, count)) {
    padded[i] = Conj(Times(padded[i], spectrum[i / inner % size]));
  }
}

// The inverse of what TimesSpectrum has prepared, times the chirp.
extern "C" __global__ void __launch_bounds__(256)
    TakeByChirp(const C* padded, const C* chirp, C* y, int64_t count, int64_t n,
                int64_t size, int64_t inner) {
  for (GRID_STRIDE(i, count)) {
    const int64_t row = i / inner, part = row / n, k = row - part * n;
    y[i] = Times(Conj(padded[(part * size + k) * inner + i % inner]), chirp[k]);
  }
}
