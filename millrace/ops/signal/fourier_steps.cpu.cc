#include "millrace/ops/signal/fourier_steps.h"

#include <cstring>

#include "millrace/base/target_clones.h"

#define MR_INLINE inline __attribute__((always_inline))

namespace millrace::ops {
namespace {

template <class T, int kBytes>
struct VectorType {
  typedef T Type __attribute__((vector_size(kBytes)));
};

template <class V>
struct Pair {
  V re, im;
};

template <class V>
MR_INLINE void Add(const Pair<V>& a, const Pair<V>& b, Pair<V>* sum) {
  sum->re = a.re + b.re;
  sum->im = a.im + b.im;
}
template <class V>
MR_INLINE void Subtract(const Pair<V>& a, const Pair<V>& b, Pair<V>* sum) {
  sum->re = a.re - b.re;
  sum->im = a.im - b.im;
}
template <class V, class T>
MR_INLINE void Turn(T re, T im, Pair<V>* a) {
  const V r = a->re * re - a->im * im;
  a->im = a->re * im + a->im * re;
  a->re = r;
}
// Multiplies by -sqrt(-1).
template <class V>
MR_INLINE void TurnQuarter(Pair<V>* a) {
  const V re = a->re;
  a->re = a->im;
  a->im = -re;
}
template <class V, class T>
MR_INLINE void AddTimes(const Pair<V>& a, T factor, Pair<V>* sum) {
  sum->re += a.re * factor;
  sum->im += a.im * factor;
}
// Replaces m and s by m - sqrt(-1) s and m + sqrt(-1) s.
template <class V>
MR_INLINE void Spread(Pair<V>* m, Pair<V>* s) {
  const Pair<V> a = *m, b = *s;
  m->re = a.re + b.im;
  m->im = a.im - b.re;
  s->re = a.re - b.im;
  s->im = a.im + b.re;
}

template <class V>
MR_INLINE void Two(Pair<V>* a, Pair<V>* b) {
  const Pair<V> first = *a;
  Add(first, *b, a);
  Subtract(first, *b, b);
}
// The transform of four numbers: the second and the third change places.
template <class V>
MR_INLINE void Four(Pair<V>* a, Pair<V>* b, Pair<V>* c, Pair<V>* d) {
  Two(a, c);
  Two(b, d);
  TurnQuarter(d);
  Two(a, b);
  Two(c, d);
}

template <int kR, class V, class T>
MR_INLINE void Butterfly(const T* cycle, Pair<V>* a) {
  if constexpr (kR == 2) {
    Two(&a[0], &a[1]);
  } else if constexpr (kR == 3) {
    Pair<V> d;
    Subtract(a[1], a[2], &d);
    Pair<V> t;
    Add(a[1], a[2], &t);
    Pair<V> m = a[0];
    Add(a[0], t, &a[0]);
    AddTimes(t, cycle[2], &m);
    d.re *= -cycle[3];
    d.im *= -cycle[3];
    a[1] = m;
    a[2] = d;
    Spread(&a[1], &a[2]);
  } else if constexpr (kR == 4) {
    Four(&a[0], &a[1], &a[2], &a[3]);
    const Pair<V> b = a[1];
    a[1] = a[2];
    a[2] = b;
  } else if constexpr (kR == 5) {
    Pair<V> t1, t2, d1, d2;
    Add(a[1], a[4], &t1);
    Add(a[2], a[3], &t2);
    Subtract(a[1], a[4], &d1);
    Subtract(a[2], a[3], &d2);
    a[1] = a[2] = a[0];
    Add(a[0], t1, &a[0]);
    Add(a[0], t2, &a[0]);
    AddTimes(t1, cycle[2], &a[1]);
    AddTimes(t2, cycle[4], &a[1]);
    AddTimes(t1, cycle[4], &a[2]);
    AddTimes(t2, cycle[2], &a[2]);
    a[3].re = d2.re * cycle[3] - d1.re * cycle[5];
    a[3].im = d2.im * cycle[3] - d1.im * cycle[5];
    a[4].re = -d1.re * cycle[3] - d2.re * cycle[5];
    a[4].im = -d1.im * cycle[3] - d2.im * cycle[5];
    Spread(&a[1], &a[4]);
    Spread(&a[2], &a[3]);
  } else {
    static_assert(kR == 8);
    Four(&a[0], &a[2], &a[4], &a[6]);
    Four(&a[1], &a[3], &a[5], &a[7]);
    // Elements 1, 2 and 3 of the second four are at 5, 3 and 7.
    const T h = static_cast<T>(0.70710678118654752440);
    Turn(h, -h, &a[5]);
    TurnQuarter(&a[3]);
    Turn(-h, -h, &a[7]);
    Two(&a[0], &a[1]);
    Two(&a[4], &a[5]);
    Two(&a[2], &a[3]);
    Two(&a[6], &a[7]);
    const Pair<V> y1 = a[4], y3 = a[6], y4 = a[1], y5 = a[5], y6 = a[3];
    a[1] = y1;
    a[3] = y3;
    a[4] = y4;
    a[5] = y5;
    a[6] = y6;
  }
}

template <class V, class T>
MR_INLINE void Load(const T* re, const T* im, Pair<V>* a) {
  std::memcpy(&a->re, re, sizeof(V));
  std::memcpy(&a->im, im, sizeof(V));
}
template <class V, class T>
MR_INLINE void Store(const Pair<V>& a, T* re, T* im) {
  std::memcpy(re, &a.re, sizeof(V));
  std::memcpy(im, &a.im, sizeof(V));
}

// A factor that the compiler knows.
template <int kR>
struct Known {
  template <class V, bool kTurned, class T>
  static MR_INLINE void Run(const FourierStep<T>& s, const T* roots,
                            Planes<T> x, Planes<T> y) {
    const int64_t far = s.stride * s.m;
    Pair<V> a[kR];
#pragma GCC unroll 8
    for (int k = 0; k < kR; ++k) Load(x.re + k * far, x.im + k * far, &a[k]);
    Butterfly<kR>(s.cycle, a);
    if constexpr (kTurned) {
#pragma GCC unroll 8
      for (int k = 1; k < kR; ++k) {
        Turn(roots[2 * k - 2], roots[2 * k - 1], &a[k]);
      }
    }
#pragma GCC unroll 8
    for (int k = 0; k < kR; ++k) {
      Store(a[k], y.re + k * s.stride, y.im + k * s.stride);
    }
  }
};

// Any odd factor, in r^2 operations.
struct Odd {
  template <class V, bool kTurned, class T>
  static MR_INLINE void Run(const FourierStep<T>& s, const T* roots,
                            Planes<T> x, Planes<T> y) {
    constexpr int kMost = 18;  // pairs of elements
    const int64_t far = s.stride * s.m;
    const auto r = static_cast<int>(s.r);
    Pair<V> sums[kMost], differences[kMost], zero;
    Load(x.re, x.im, &zero);
    Pair<V> all = zero;
    for (int j = 1; 2 * j < r; ++j) {
      Pair<V> a, b;
      Load(x.re + j * far, x.im + j * far, &a);
      Load(x.re + (r - j) * far, x.im + (r - j) * far, &b);
      Add(a, b, &sums[j - 1]);
      Subtract(a, b, &differences[j - 1]);
      Add(all, sums[j - 1], &all);
    }
    Store(all, y.re, y.im);
    for (int k = 1; 2 * k < r; ++k) {
      Pair<V> m = zero, d = {};
      for (int j = 1, at = k; 2 * j < r; ++j) {
        AddTimes(sums[j - 1], s.cycle[2 * at], &m);
        AddTimes(differences[j - 1], -s.cycle[2 * at + 1], &d);
        at += k;
        if (at >= r) at -= r;
      }
      Spread(&m, &d);
      if constexpr (kTurned) {
        Turn(roots[2 * k - 2], roots[2 * k - 1], &m);
        Turn(roots[2 * (r - k) - 2], roots[2 * (r - k) - 1], &d);
      }
      Store(m, y.re + k * s.stride, y.im + k * s.stride);
      Store(d, y.re + (r - k) * s.stride, y.im + (r - k) * s.stride);
    }
  }
};

template <class R, bool kTurned, class T>
MR_INLINE void Row(const FourierStep<T>& s, const T* roots, Planes<T> x,
                   Planes<T> y) {
  using Long = typename VectorType<T, 64>::Type;
  using Short = typename VectorType<T, 16>::Type;
  constexpr int kLong = 64 / sizeof(T), kShort = 16 / sizeof(T);
  int64_t q = 0;
  for (; q + kLong <= s.stride; q += kLong) {
    R::template Run<Long, kTurned>(s, roots, {x.re + q, x.im + q},
                                   {y.re + q, y.im + q});
  }
  for (; q + kShort <= s.stride; q += kShort) {
    R::template Run<Short, kTurned>(s, roots, {x.re + q, x.im + q},
                                    {y.re + q, y.im + q});
  }
  for (; q < s.stride; ++q) {
    R::template Run<T, kTurned>(s, roots, {x.re + q, x.im + q},
                                {y.re + q, y.im + q});
  }
}

template <class R, class T>
MR_INLINE void Rows(const FourierStep<T>& s, Planes<T> x, Planes<T> y) {
  Row<R, false>(s, s.roots, x, y);
  for (int64_t p = 1; p < s.m; ++p) {
    const int64_t from = p * s.stride, to = from * s.r;
    Row<R, true>(s, s.roots + p * (s.r - 1) * 2, {x.re + from, x.im + from},
                 {y.re + to, y.im + to});
  }
}

}  // namespace

template <class T>
MR_TARGET_CLONES void RunFourierStep(const FourierStep<T>& step, Planes<T> x,
                                     Planes<T> y) {
  const FourierStep<T> s = step;
  switch (s.r) {
    case 2:
      return Rows<Known<2>>(s, x, y);
    case 3:
      return Rows<Known<3>>(s, x, y);
    case 4:
      return Rows<Known<4>>(s, x, y);
    case 5:
      return Rows<Known<5>>(s, x, y);
    case 8:
      return Rows<Known<8>>(s, x, y);
    default:
      return Rows<Odd>(s, x, y);
  }
}

template <class T>
MR_TARGET_CLONES void MultiplyLines(int64_t lines, int64_t n, const T* factors,
                                    Planes<T> x, Planes<T> y) {
  for (int64_t k = 0; k < n; ++k) {
    const T re = factors[2 * k], im = factors[2 * k + 1];
    const int64_t at = k * lines;
#pragma GCC ivdep
    for (int64_t i = at; i < at + lines; ++i) {
      const T a = x.re[i], b = x.im[i];
      y.re[i] = a * re - b * im;
      y.im[i] = a * im + b * re;
    }
  }
}

template <class T>
MR_TARGET_CLONES void SplitSpectrum(int64_t lines, int64_t half, const T* roots,
                                    Planes<T> x, Planes<T> y) {
  for (int64_t k = 0; k <= half; ++k) {
    const T re = roots[2 * k], im = roots[2 * k + 1];
    // The spectrum of the pairs is periodic.
    const int64_t at = (k == half ? 0 : k) * lines;
    const int64_t mirror = (k == 0 ? 0 : half - k) * lines;
    const T *ar = x.re + at, *ai = x.im + at;
    const T *br = x.re + mirror, *bi = x.im + mirror;
    T *to_re = y.re + k * lines, *to_im = y.im + k * lines;
#pragma GCC ivdep
    for (int64_t v = 0; v < lines; ++v) {
      // The spectra of the elements at even and at odd places.
      const T even_re = (ar[v] + br[v]) / 2, even_im = (ai[v] - bi[v]) / 2;
      const T odd_re = (ai[v] + bi[v]) / 2, odd_im = (br[v] - ar[v]) / 2;
      to_re[v] = even_re + (odd_re * re - odd_im * im);
      to_im[v] = even_im + (odd_re * im + odd_im * re);
    }
  }
}

template <class T>
MR_TARGET_CLONES void JoinSpectrum(int64_t lines, int64_t half, const T* roots,
                                   Planes<T> x, Planes<T> y) {
  for (int64_t v = 0; v < lines; ++v) {
    const T a = x.re[v], b = x.re[half * lines + v];
    y.re[v] = a + b;
    y.im[v] = a - b;
  }
  for (int64_t k = 1; k < half; ++k) {
    const T re = roots[2 * k], im = roots[2 * k + 1];
    const T *ar = x.re + k * lines, *ai = x.im + k * lines;
    const T *br = x.re + (half - k) * lines, *bi = x.im + (half - k) * lines;
    T *to_re = y.re + k * lines, *to_im = y.im + k * lines;
#pragma GCC ivdep
    for (int64_t v = 0; v < lines; ++v) {
      const T even_re = ar[v] + br[v], even_im = ai[v] - bi[v];
      const T a = ar[v] - br[v], b = ai[v] + bi[v];
      const T odd_re = a * re + b * im, odd_im = b * re - a * im;
      to_re[v] = even_re - odd_im;
      to_im[v] = even_im + odd_re;
    }
  }
}

#define MR_INSTANTIATE(T)                                                    \
  template void RunFourierStep(const FourierStep<T>&, Planes<T>, Planes<T>); \
  template void MultiplyLines(int64_t, int64_t, const T*, Planes<T>,         \
                              Planes<T>);                                    \
  template void SplitSpectrum(int64_t, int64_t, const T*, Planes<T>,         \
                              Planes<T>);                                    \
  template void JoinSpectrum(int64_t, int64_t, const T*, Planes<T>, Planes<T>);
MR_INSTANTIATE(float)
MR_INSTANTIATE(double)
#undef MR_INSTANTIATE
#undef MR_INLINE

}  // namespace millrace::ops
