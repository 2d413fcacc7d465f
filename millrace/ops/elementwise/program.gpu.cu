// The frame of elementwise programs (program.gpu.h): which elements a thread
// takes, and how it reads and writes them. Behind it stand the texts of the ops
// in use (structs in namespace op, whose Do computes one element), then the
// program itself, which is generated:
//
//   constexpr int kWidth = 4, kInputs = 2, kOutputs = 1;
//   template <int kN> struct Elements {
//     In<float, kN> x0; In<float, kN> x1; Out<float, kN> z0;
//     void Compute() { for each i { v0 = Apply<op::Add>(x0[i], x1[i]); ... } }
//     template <class F> void EachInput(F f) { f(0, x0); f(1, x1); }
//     template <class F> void EachOutput(F f) { f(0, z0); }
//   };
//
// Checked: with the texts of the ops

// ---- Types

template <class T>
constexpr bool kIsReal = kIsSame<T, float> || kIsSame<T, double>;
template <class T>
constexpr bool kIsSigned = kIsSame<T, int8_t> || kIsSame<T, int16_t> ||
                           kIsSame<T, int32_t> || kIsSame<T, int64_t>;

// The real type of a complex one.
template <class T>
struct PartOf {
  typedef T Type;
};
template <class F>
struct PartOf<complex<F>> {
  typedef F Type;
};
template <class T>
using Part = typename PartOf<T>::Type;

// The unsigned type in which integers are computed, so that they wrap around.
template <class T, bool kIsLong = (sizeof(T) > 4)>
struct WrapOf {
  using Type = uint32_t;
};
template <class T>
struct WrapOf<T, true> {
  using Type = uint64_t;
};
template <class T>
using Wrap = typename WrapOf<T>::Type;

// Returns op(x, more...), where numbers of 16 bits are computed in float and
// rounded at the end.
template <class Op, class T, class... More>
MR_DEVICE auto Apply(T x, More... more) {
  if constexpr (kIsSmallFloat<T>) {
    auto z = Op::Do(static_cast<float>(x), static_cast<float>(more)...);
    if constexpr (kIsSame<decltype(z), float>) {
      return static_cast<T>(z);
    } else {
      return z;
    }
  } else {
    return Op::Do(x, more...);
  }
}

// ---- Arithmetic whose results are defined for all operands

template <class T>
MR_DEVICE T Plus(T a, T b) {
  if constexpr (kIsInteger<T>) {
    return static_cast<T>(static_cast<Wrap<T>>(a) + static_cast<Wrap<T>>(b));
  } else {
    return a + b;
  }
}
template <class T>
MR_DEVICE T Minus(T a, T b) {
  if constexpr (kIsInteger<T>) {
    return static_cast<T>(static_cast<Wrap<T>>(a) - static_cast<Wrap<T>>(b));
  } else {
    return a - b;
  }
}
template <class T>
MR_DEVICE T Times(T a, T b) {
  if constexpr (kIsInteger<T>) {
    return static_cast<T>(static_cast<Wrap<T>>(a) * static_cast<Wrap<T>>(b));
  } else {
    return a * b;
  }
}
template <class T>
MR_DEVICE T Conjugate(T a) {
  if constexpr (kIsComplex<T>) {
    return T(a.real(), -a.imag());
  } else {
    return a;
  }
}

// Return the larger or smaller number: NaN if either is NaN, the first if they
// are equal.
template <class T>
MR_DEVICE T Larger(T a, T b) {
  return (a < b || b != b) ? b : a;
}
template <class T>
MR_DEVICE T Smaller(T a, T b) {
  return (b < a || b != b) ? b : a;
}

// ---- Operands

// Adjacent elements of an input.
template <class T, int kN>
struct In {
  Pack<T, kN> pack;
  int64_t offset;  // of the first element, in elements

  MR_DEVICE T operator[](int i) const { return pack[i]; }
  MR_DEVICE void Load(const void* data, int64_t first) {
    pack = *reinterpret_cast<const Pack<T, kN>*>(static_cast<const T*>(data) +
                                                 first);
  }
  // Takes one element for all.
  MR_DEVICE void Fill(const void* data, int64_t which) {
    const T x = static_cast<const T*>(data)[which];
#pragma unroll
    for (int i = 0; i < kN; ++i) pack[i] = x;
  }
};

// Adjacent elements of a result.
template <class T, int kN>
struct Out {
  Pack<T, kN> pack;

  MR_DEVICE T& operator[](int i) { return pack[i]; }
  MR_DEVICE void Store(void* data, int64_t first) const {
    *reinterpret_cast<Pack<T, kN>*>(static_cast<T*>(data) + first) = pack;
  }
};

template <int kIn, int kOut>
struct Operands {
  const void* in[kIn];
  void* out[kOut];
  uint64_t ones;   // bit i: input i has one element for all
  int32_t packed;  // whether all addresses fit packs
  int32_t reserved;
};

// Maps packs of the results to elements of the inputs; dimensions are listed
// from the innermost one, which is counted in packs. An input has a stride of 0
// along dimensions for all of which it has one element.
constexpr int kMaxRank = 8;
template <int kIn>
struct Dims {
  int64_t packs;
  int64_t size[kMaxRank];
  int64_t stride[kMaxRank][kIn];  // in elements
  IntDivisor divisor[kMaxRank];
  int32_t rank;
  int32_t is_wide;  // whether numbers of packs need 64 bits
  int32_t packed;   // whether packs have kWidth elements, or 1
  int32_t reserved;
};

// ---- Loops over elements

MR_DEVICE int64_t FirstOfThread() {
  return static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
MR_DEVICE int64_t StepOfThreads() {
  return static_cast<int64_t>(gridDim.x) * blockDim.x;
}

template <class E, int kN, class O>
MR_DEVICE void RunSpan(const O& o, int64_t first, int64_t begin,
                       int64_t packs) {
#pragma unroll 1
  for (int64_t p = first; p < packs; p += StepOfThreads()) {
    E e;
    const int64_t at = begin + p * kN;
    e.EachInput([&](int i, auto& x) {
      if (o.ones >> i & 1) {
        x.Fill(o.in[i], 0);
      } else {
        x.Load(o.in[i], at);
      }
    });
    e.Compute();
    e.EachOutput([&](int i, auto& z) { z.Store(o.out[i], at); });
  }
}

// Runs a program whose operands have n elements, or one for all.
template <template <int> class E, int kN, class O>
MR_DEVICE void RunFlat(const O& o, int64_t n) {
  const int64_t packs = o.packed ? n / kN : 0;
  if constexpr (kN > 1) RunSpan<E<kN>, kN>(o, FirstOfThread(), 0, packs);
  const int64_t done = kN > 1 ? packs * kN : 0;
  RunSpan<E<1>, 1>(o, FirstOfThread(), done, n - done);
}

template <class E, int kN, class O, class D>
MR_DEVICE void RunBroadcastPacks(const O& o, const D& d) {
#pragma unroll 1
  for (int64_t p = FirstOfThread(); p < d.packs; p += StepOfThreads()) {
    E e;
    e.EachInput([](int, auto& x) { x.offset = 0; });
    int64_t rest = p;
#pragma unroll 1
    for (int k = 0; k < d.rank; ++k) {
      int64_t quotient = 0;
      if (k + 1 < d.rank) {
        quotient = d.is_wide ? rest / d.size[k]
                             : static_cast<uint32_t>(rest) / d.divisor[k];
      }
      const int64_t digit = rest - quotient * d.size[k];
      rest = quotient;
      e.EachInput([&](int i, auto& x) { x.offset += digit * d.stride[k][i]; });
    }
    e.EachInput([&](int i, auto& x) {
      if (o.ones >> i & 1) {
        x.Fill(o.in[i], x.offset);
      } else {
        x.Load(o.in[i], x.offset);
      }
    });
    e.Compute();
    e.EachOutput([&](int i, auto& z) { z.Store(o.out[i], p * kN); });
  }
}

// Runs a program whose inputs are broadcast; `ones` has those that have one
// element along the innermost dimension.
template <template <int> class E, int kN, class O, class D>
MR_DEVICE void RunBroadcast(const O& o, const D& d) {
  if constexpr (kN > 1) {
    if (d.packed) return RunBroadcastPacks<E<kN>, kN>(o, d);
  }
  RunBroadcastPacks<E<1>, 1>(o, d);
}

// A program of one op of x0, of type X0, and of x1 and x2, of type X, for
// checks of texts by a compiler.
#define SAMPLE_PROGRAM(X0, X, Z, ...)                                     \
  constexpr int kLargest =                                                \
      sizeof(X) > sizeof(Z) ? int(sizeof(X)) : int(sizeof(Z));            \
  constexpr int kWidth = kLargest == 1 ? 8 : 16 / kLargest;               \
  template <int kN>                                                       \
  struct Elements {                                                       \
    In<X0, kN> x0;                                                        \
    In<X, kN> x1, x2;                                                     \
    Out<Z, kN> z0;                                                        \
    MR_DEVICE void Compute() {                                            \
      _Pragma("unroll") for (int i = 0; i < kN; ++i) z0[i] = __VA_ARGS__; \
    }                                                                     \
    template <class F>                                                    \
    MR_DEVICE void EachInput(F f) {                                       \
      f(0, x0), f(1, x1), f(2, x2);                                       \
    }                                                                     \
    template <class F>                                                    \
    MR_DEVICE void EachOutput(F f) {                                      \
      f(0, z0);                                                           \
    }                                                                     \
  };                                                                      \
  extern "C" __global__ void __launch_bounds__(256)                       \
      Flat(Operands<3, 1> o, int64_t n) {                                 \
    RunFlat<Elements, kWidth>(o, n);                                      \
  }                                                                       \
  extern "C" __global__ void __launch_bounds__(256)                       \
      Broadcast(Operands<3, 1> o, Dims<3> d) {                            \
    RunBroadcast<Elements, kWidth>(o, d);                                 \
  }
