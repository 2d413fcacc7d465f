// CUDA C++ for device text that g++ compiles: the words of the language, the
// threads' indices, barriers, warps, atomics, mathematics. It stands before
// each text, behind device_abi.h. Device text includes nothing, so nothing of
// the standard library is there, and names of CUDA are as in CUDA.
//
// Half precision: StandInToHalf and StandInFromHalf convert bits, since texts
// for GPUs use instructions for that.

typedef unsigned long size_t;
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned uint32_t;
typedef unsigned long long uint64_t;
typedef unsigned long uintptr_t;
extern "C" void* memcpy(void*, const void*, size_t) noexcept;
extern "C" void* memset(void*, int, size_t) noexcept;

// Words that stay when the text is preprocessed: entries are found by the
// first, and the second is rewritten (compile.cc).
#define __global__ standin_global
#define __shared__ standin_shared
#define __device__
#define __host__
#define __constant__ const
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __restrict__ __restrict

static __thread StandInThread* standin_thread;
static const StandInDevice* standin_device;

typedef StandInDim uint3;
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned vx = 1, unsigned vy = 1, unsigned vz = 1)
      : x(vx), y(vy), z(vz) {}
};
#define threadIdx (standin_thread->thread)
#define blockIdx (standin_thread->block)
#define blockDim (standin_thread->block_size)
#define gridDim (standin_thread->grid_size)
#define warpSize 32

// ---- Vectors.
#define STANDIN_VECTORS(name, T, n1, n2, n4)                                \
  struct name##1 {                                                          \
    T x;                                                                    \
  };                                                                        \
  struct __attribute__((aligned(n2))) name##2 {                             \
    T x, y;                                                                 \
  };                                                                        \
  struct name##3 {                                                          \
    T x, y, z;                                                              \
  };                                                                        \
  struct __attribute__((aligned(n4))) name##4 {                             \
    T x, y, z, w;                                                           \
  };                                                                        \
  static inline name##1 make_##name##1(T x) { return {x}; }                 \
  static inline name##2 make_##name##2(T x, T y) { return {x, y}; }         \
  static inline name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; } \
  static inline name##4 make_##name##4(T x, T y, T z, T w) {                \
    return {x, y, z, w};                                                    \
  }
STANDIN_VECTORS(char, signed char, 1, 2, 4)
STANDIN_VECTORS(uchar, unsigned char, 1, 2, 4)
STANDIN_VECTORS(short, short, 2, 4, 8)
STANDIN_VECTORS(ushort, unsigned short, 2, 4, 8)
STANDIN_VECTORS(int, int, 4, 8, 16)
STANDIN_VECTORS(float, float, 4, 8, 16)
STANDIN_VECTORS(longlong, long long, 8, 16, 16)
STANDIN_VECTORS(ulonglong, unsigned long long, 8, 16, 16)
STANDIN_VECTORS(double, double, 8, 16, 16)
#undef STANDIN_VECTORS
struct uint1 {
  unsigned x;
};
struct __attribute__((aligned(8))) uint2 {
  unsigned x, y;
};
struct __attribute__((aligned(16))) uint4 {
  unsigned x, y, z, w;
};
static inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
static inline uint3 make_uint3(unsigned x, unsigned y, unsigned z) {
  return {x, y, z};
}
static inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) {
  return {x, y, z, w};
}

// ---- Barriers and warps.
static inline void __syncthreads() {
  unsigned all;
  standin_device->barrier(0, &all);
}
static inline int __syncthreads_count(int predicate) {
  unsigned all;
  return (int)standin_device->barrier(predicate, &all);
}
static inline int __syncthreads_or(int predicate) {
  unsigned all;
  return standin_device->barrier(predicate, &all) != 0;
}
static inline int __syncthreads_and(int predicate) {
  unsigned all;
  return standin_device->barrier(predicate, &all) == all;
}
static inline void __syncwarp(unsigned mask = 0xffffffffu) {
  standin_device->exchange(mask, 0);
}
static inline int standin_lane() { return (int)(standin_thread->number & 31); }
// Each lane may be alone at any place.
static inline unsigned __activemask() { return 1u << standin_lane(); }

template <class T>
static inline T standin_shuffle(unsigned mask, T value, int lane) {
  static_assert(sizeof(T) <= 8, "shuffles take values of up to 8 bytes");
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  bits = standin_device->exchange(mask, bits)[lane & 31];
  __builtin_memcpy(&value, &bits, sizeof(T));
  return value;
}
template <class T>
static inline T __shfl_sync(unsigned mask, T value, int source,
                            int width = 32) {
  const int base = standin_lane() & ~(width - 1);
  return standin_shuffle(mask, value, base + (source & (width - 1)));
}
template <class T>
static inline T __shfl_up_sync(unsigned mask, T value, unsigned delta,
                               int width = 32) {
  const int lane = standin_lane(), within = lane & (width - 1);
  return standin_shuffle(mask, value,
                         within < (int)delta ? lane : lane - (int)delta);
}
template <class T>
static inline T __shfl_down_sync(unsigned mask, T value, unsigned delta,
                                 int width = 32) {
  const int lane = standin_lane(), within = lane & (width - 1);
  return standin_shuffle(
      mask, value, within + (int)delta >= width ? lane : lane + (int)delta);
}
template <class T>
static inline T __shfl_xor_sync(unsigned mask, T value, int lanes,
                                int width = 32) {
  const int lane = standin_lane(), source = lane ^ lanes;
  const bool inside = (source & ~(width - 1)) <= (lane & ~(width - 1));
  return standin_shuffle(mask, value, inside ? source : lane);
}
static inline unsigned __ballot_sync(unsigned mask, int predicate) {
  const unsigned long long* all =
      standin_device->exchange(mask, predicate != 0);
  unsigned votes = 0;
  for (int lane = 0; lane < 32; ++lane) {
    if ((all[32] >> lane & 1) && all[lane] == 1) votes |= 1u << lane;
  }
  return votes;
}
static inline int __any_sync(unsigned mask, int predicate) {
  return __ballot_sync(mask, predicate) != 0;
}
static inline int __all_sync(unsigned mask, int predicate) {
  return __ballot_sync(mask, !predicate) == 0;
}
template <class T>
static inline unsigned __match_any_sync(unsigned mask, T value) {
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  const unsigned long long* all = standin_device->exchange(mask, bits);
  unsigned same = 0;
  for (int lane = 0; lane < 32; ++lane) {
    if ((all[32] >> lane & 1) && all[lane] == bits) same |= 1u << lane;
  }
  return same;
}
#define STANDIN_REDUCE(name, T, expression)                        \
  static inline T name(unsigned mask, T value) {                   \
    const unsigned long long* all =                                \
        standin_device->exchange(mask, (unsigned long long)value); \
    T a = value;                                                   \
    bool first = true;                                             \
    for (int lane = 0; lane < 32; ++lane) {                        \
      if (!(all[32] >> lane & 1)) continue;                        \
      const T b = (T)all[lane];                                    \
      a = first ? b : (T)(expression);                             \
      first = false;                                               \
    }                                                              \
    return a;                                                      \
  }
STANDIN_REDUCE(__reduce_add_sync, unsigned, a + b)
STANDIN_REDUCE(__reduce_add_sync, int, a + b)
STANDIN_REDUCE(__reduce_min_sync, unsigned, a < b ? a : b)
STANDIN_REDUCE(__reduce_min_sync, int, a < b ? a : b)
STANDIN_REDUCE(__reduce_max_sync, unsigned, a > b ? a : b)
STANDIN_REDUCE(__reduce_max_sync, int, a > b ? a : b)
STANDIN_REDUCE(__reduce_or_sync, unsigned, a | b)
STANDIN_REDUCE(__reduce_and_sync, unsigned, a& b)
STANDIN_REDUCE(__reduce_xor_sync, unsigned, a ^ b)
#undef STANDIN_REDUCE

static inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
static inline void __threadfence_block() { __threadfence(); }
static inline void __threadfence_system() { __threadfence(); }
static inline void __trap() { standin_device->fail(719); }
static inline void __brkpt() {}
static inline void __nanosleep(unsigned) {}
#define assert(condition) ((condition) ? (void)0 : standin_device->fail(710))
static inline long long clock64() { return (long long)__builtin_ia32_rdtsc(); }

// ---- Atomics, on memory that all threads of the machine see.
#define STANDIN_ATOMIC(T)                                                \
  static inline T atomicExch(T* p, T v) {                                \
    return __atomic_exchange_n(p, v, __ATOMIC_RELAXED);                  \
  }                                                                      \
  static inline T atomicCAS(T* p, T compare, T v) {                      \
    __atomic_compare_exchange_n(p, &compare, v, false, __ATOMIC_RELAXED, \
                                __ATOMIC_RELAXED);                       \
    return compare;                                                      \
  }
#define STANDIN_ATOMIC_INTEGER(T)                                            \
  STANDIN_ATOMIC(T)                                                          \
  static inline T atomicAdd(T* p, T v) {                                     \
    return __atomic_fetch_add(p, v, __ATOMIC_RELAXED);                       \
  }                                                                          \
  static inline T atomicAnd(T* p, T v) {                                     \
    return __atomic_fetch_and(p, v, __ATOMIC_RELAXED);                       \
  }                                                                          \
  static inline T atomicOr(T* p, T v) {                                      \
    return __atomic_fetch_or(p, v, __ATOMIC_RELAXED);                        \
  }                                                                          \
  static inline T atomicXor(T* p, T v) {                                     \
    return __atomic_fetch_xor(p, v, __ATOMIC_RELAXED);                       \
  }                                                                          \
  static inline T atomicMin(T* p, T v) {                                     \
    T old = __atomic_load_n(p, __ATOMIC_RELAXED);                            \
    while (v < old &&                                                        \
           !__atomic_compare_exchange_n(p, &old, v, false, __ATOMIC_RELAXED, \
                                        __ATOMIC_RELAXED)) {                 \
    }                                                                        \
    return old;                                                              \
  }                                                                          \
  static inline T atomicMax(T* p, T v) {                                     \
    T old = __atomic_load_n(p, __ATOMIC_RELAXED);                            \
    while (old < v &&                                                        \
           !__atomic_compare_exchange_n(p, &old, v, false, __ATOMIC_RELAXED, \
                                        __ATOMIC_RELAXED)) {                 \
    }                                                                        \
    return old;                                                              \
  }
STANDIN_ATOMIC_INTEGER(int)
STANDIN_ATOMIC_INTEGER(unsigned)
STANDIN_ATOMIC_INTEGER(unsigned long long)
// CUDA has these for the functions that kernels use of them.
static inline long long atomicMin(long long* p, long long v) {
  long long old = __atomic_load_n(p, __ATOMIC_RELAXED);
  while (v < old &&
         !__atomic_compare_exchange_n(p, &old, v, false, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED)) {
  }
  return old;
}
static inline long long atomicMax(long long* p, long long v) {
  long long old = __atomic_load_n(p, __ATOMIC_RELAXED);
  while (old < v &&
         !__atomic_compare_exchange_n(p, &old, v, false, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED)) {
  }
  return old;
}
static inline unsigned short atomicCAS(unsigned short* p,
                                       unsigned short compare,
                                       unsigned short v) {
  __atomic_compare_exchange_n(p, &compare, v, false, __ATOMIC_RELAXED,
                              __ATOMIC_RELAXED);
  return compare;
}
static inline float atomicExch(float* p, float v) {
  float old;
  __atomic_exchange(p, &v, &old, __ATOMIC_RELAXED);
  return old;
}
#define STANDIN_ATOMIC_FLOATING(T)                                            \
  static inline T atomicAdd(T* p, T v) {                                      \
    T old, sum;                                                               \
    __atomic_load(p, &old, __ATOMIC_RELAXED);                                 \
    do {                                                                      \
      sum = old + v;                                                          \
    } while (!__atomic_compare_exchange(p, &old, &sum, false,                 \
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED)); \
    return old;                                                               \
  }
STANDIN_ATOMIC_FLOATING(float)
STANDIN_ATOMIC_FLOATING(double)
static inline int atomicSub(int* p, int v) {
  return __atomic_fetch_sub(p, v, __ATOMIC_RELAXED);
}
static inline unsigned atomicSub(unsigned* p, unsigned v) {
  return __atomic_fetch_sub(p, v, __ATOMIC_RELAXED);
}
static inline unsigned atomicInc(unsigned* p, unsigned limit) {
  unsigned old = __atomic_load_n(p, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(p, &old, old >= limit ? 0 : old + 1,
                                      false, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED)) {
  }
  return old;
}
#undef STANDIN_ATOMIC_FLOATING
#undef STANDIN_ATOMIC_INTEGER
#undef STANDIN_ATOMIC

// ---- Loads, bits and integers.
template <class T>
static inline T __ldg(const T* p) {
  return *p;
}
template <class T>
static inline T __ldcs(const T* p) {
  return *p;
}
template <class T>
static inline T __ldcg(const T* p) {
  return *p;
}
template <class T>
static inline void __stcs(T* p, T v) {
  *p = v;
}
template <class To, class From>
static inline To standin_bits(From from) {
  static_assert(sizeof(To) == sizeof(From), "bits are as many");
  To to;
  __builtin_memcpy(&to, &from, sizeof(to));
  return to;
}
static inline int __float_as_int(float v) { return standin_bits<int>(v); }
static inline unsigned __float_as_uint(float v) {
  return standin_bits<unsigned>(v);
}
static inline float __int_as_float(int v) { return standin_bits<float>(v); }
static inline float __uint_as_float(unsigned v) {
  return standin_bits<float>(v);
}
static inline long long __double_as_longlong(double v) {
  return standin_bits<long long>(v);
}
static inline double __longlong_as_double(long long v) {
  return standin_bits<double>(v);
}
static inline double __hiloint2double(int high, int low) {
  return standin_bits<double>((unsigned long long)(unsigned)high << 32 |
                              (unsigned)low);
}
static inline int __popc(unsigned v) { return __builtin_popcount(v); }
static inline int __popcll(unsigned long long v) {
  return __builtin_popcountll(v);
}
static inline int __clz(int v) {
  return v == 0 ? 32 : __builtin_clz((unsigned)v);
}
static inline int __clzll(long long v) {
  return v == 0 ? 64 : __builtin_clzll((unsigned long long)v);
}
static inline int __ffs(int v) { return __builtin_ffs(v); }
static inline int __ffsll(long long v) { return __builtin_ffsll(v); }
static inline unsigned __brev(unsigned v) {
  unsigned r = 0;
  for (int i = 0; i < 32; ++i) r |= (v >> i & 1) << (31 - i);
  return r;
}
static inline unsigned __umulhi(unsigned a, unsigned b) {
  return (unsigned)((unsigned long long)a * b >> 32);
}
static inline int __mulhi(int a, int b) {
  return (int)((long long)a * b >> 32);
}
static inline unsigned long long __umul64hi(unsigned long long a,
                                            unsigned long long b) {
  return (unsigned long long)((unsigned __int128)a * b >> 64);
}
static inline long long __mul64hi(long long a, long long b) {
  return (long long)((__int128)a * b >> 64);
}
static inline unsigned __funnelshift_l(unsigned low, unsigned high,
                                       unsigned shift) {
  return (unsigned)(((unsigned long long)high << 32 | low) << (shift & 31) >>
                    32);
}
static inline unsigned __funnelshift_r(unsigned low, unsigned high,
                                       unsigned shift) {
  return (unsigned)(((unsigned long long)high << 32 | low) >> (shift & 31));
}
static inline unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
  const unsigned long long bytes = (unsigned long long)b << 32 | a;
  unsigned r = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned which = selector >> (4 * i);
    unsigned byte = (unsigned)(bytes >> (8 * (which & 7))) & 0xff;
    if (which & 8) byte = byte & 0x80 ? 0xff : 0;
    r |= byte << (8 * i);
  }
  return r;
}
#define STANDIN_MIN_MAX(T)                                          \
  static inline constexpr T min(T a, T b) { return b < a ? b : a; } \
  static inline constexpr T max(T a, T b) { return a < b ? b : a; }
STANDIN_MIN_MAX(int)
STANDIN_MIN_MAX(unsigned)
STANDIN_MIN_MAX(long)
STANDIN_MIN_MAX(unsigned long)
STANDIN_MIN_MAX(long long)
STANDIN_MIN_MAX(unsigned long long)
#undef STANDIN_MIN_MAX
#define STANDIN_MIN_MAX(A, B, T)                                      \
  static inline constexpr T min(A a, B b) { return min((T)a, (T)b); } \
  static inline constexpr T max(A a, B b) { return max((T)a, (T)b); } \
  static inline constexpr T min(B a, A b) { return min((T)a, (T)b); } \
  static inline constexpr T max(B a, A b) { return max((T)a, (T)b); }
STANDIN_MIN_MAX(int, unsigned, unsigned)
STANDIN_MIN_MAX(long, unsigned long, unsigned long)
STANDIN_MIN_MAX(long long, unsigned long long, unsigned long long)
#undef STANDIN_MIN_MAX
static inline float min(float a, float b) { return __builtin_fminf(a, b); }
static inline float max(float a, float b) { return __builtin_fmaxf(a, b); }
static inline double min(double a, double b) { return __builtin_fmin(a, b); }
static inline double max(double a, double b) { return __builtin_fmax(a, b); }
static inline double min(float a, double b) { return min((double)a, b); }
static inline double max(float a, double b) { return max((double)a, b); }
static inline double min(double a, float b) { return min(a, (double)b); }
static inline double max(double a, float b) { return max(a, (double)b); }

// ---- Mathematics. X(name): a function of one number, as name(double),
// namef(float) and name(float).
#define STANDIN_FUNCTION_1(name)            \
  extern "C" double name(double) noexcept;  \
  extern "C" float name##f(float) noexcept; \
  static inline float name(float x) { return __builtin_##name##f(x); }
STANDIN_FUNCTION_1(acos)
STANDIN_FUNCTION_1(acosh)
STANDIN_FUNCTION_1(asin)
STANDIN_FUNCTION_1(asinh)
STANDIN_FUNCTION_1(atan)
STANDIN_FUNCTION_1(atanh)
STANDIN_FUNCTION_1(cbrt)
STANDIN_FUNCTION_1(ceil)
STANDIN_FUNCTION_1(cos)
STANDIN_FUNCTION_1(cosh)
STANDIN_FUNCTION_1(erf)
STANDIN_FUNCTION_1(erfc)
STANDIN_FUNCTION_1(exp)
STANDIN_FUNCTION_1(exp2)
STANDIN_FUNCTION_1(expm1)
STANDIN_FUNCTION_1(fabs)
STANDIN_FUNCTION_1(floor)
STANDIN_FUNCTION_1(lgamma)
STANDIN_FUNCTION_1(log)
STANDIN_FUNCTION_1(log10)
STANDIN_FUNCTION_1(log1p)
STANDIN_FUNCTION_1(log2)
STANDIN_FUNCTION_1(logb)
STANDIN_FUNCTION_1(nearbyint)
STANDIN_FUNCTION_1(rint)
STANDIN_FUNCTION_1(round)
STANDIN_FUNCTION_1(sin)
STANDIN_FUNCTION_1(sinh)
STANDIN_FUNCTION_1(sqrt)
STANDIN_FUNCTION_1(tan)
STANDIN_FUNCTION_1(tanh)
STANDIN_FUNCTION_1(tgamma)
STANDIN_FUNCTION_1(trunc)
#undef STANDIN_FUNCTION_1
#define STANDIN_FUNCTION_2(name)                   \
  extern "C" double name(double, double) noexcept; \
  extern "C" float name##f(float, float) noexcept; \
  static inline float name(float x, float y) {     \
    return __builtin_##name##f(x, y);              \
  }
STANDIN_FUNCTION_2(atan2)
STANDIN_FUNCTION_2(copysign)
STANDIN_FUNCTION_2(fdim)
STANDIN_FUNCTION_2(fmax)
STANDIN_FUNCTION_2(fmin)
STANDIN_FUNCTION_2(fmod)
STANDIN_FUNCTION_2(hypot)
STANDIN_FUNCTION_2(nextafter)
STANDIN_FUNCTION_2(pow)
STANDIN_FUNCTION_2(remainder)
#undef STANDIN_FUNCTION_2
extern "C" double fma(double, double, double) noexcept;
extern "C" float fmaf(float, float, float) noexcept;
static inline float fma(float a, float b, float c) { return fmaf(a, b, c); }
extern "C" double ldexp(double, int) noexcept;
extern "C" float ldexpf(float, int) noexcept;
static inline float ldexp(float a, int b) { return ldexpf(a, b); }
extern "C" double scalbn(double, int) noexcept;
extern "C" float scalbnf(float, int) noexcept;
extern "C" double frexp(double, int*) noexcept;
extern "C" float frexpf(float, int*) noexcept;
static inline float frexp(float a, int* e) { return frexpf(a, e); }
extern "C" double modf(double, double*) noexcept;
extern "C" float modff(float, float*) noexcept;
extern "C" int ilogb(double) noexcept;
extern "C" int ilogbf(float) noexcept;
extern "C" long lrint(double) noexcept;
extern "C" long lrintf(float) noexcept;
extern "C" long long llrint(double) noexcept;
extern "C" long long llrintf(float) noexcept;
extern "C" long long llround(double) noexcept;
extern "C" long long llroundf(float) noexcept;
extern "C" long lround(double) noexcept;
extern "C" long lroundf(float) noexcept;
extern "C" int abs(int) noexcept;
extern "C" long labs(long) noexcept;
extern "C" long long llabs(long long) noexcept;
static inline long abs(long v) { return __builtin_labs(v); }
static inline long long abs(long long v) { return __builtin_llabs(v); }
static inline float abs(float v) { return __builtin_fabsf(v); }
static inline double abs(double v) { return __builtin_fabs(v); }
static inline double pow(double x, int y) { return pow(x, (double)y); }
static inline float pow(float x, int y) { return powf(x, (float)y); }
#define STANDIN_TEST(name)                                         \
  static inline bool name(float x) { return __builtin_##name(x); } \
  static inline bool name(double x) { return __builtin_##name(x); }
STANDIN_TEST(isnan)
STANDIN_TEST(isinf)
STANDIN_TEST(isfinite)
STANDIN_TEST(signbit)
#undef STANDIN_TEST
static inline float rsqrtf(float x) { return 1.0f / __builtin_sqrtf(x); }
static inline double rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }
static inline float rsqrt(float x) { return rsqrtf(x); }
static inline double rcbrt(double x) { return 1.0 / cbrt(x); }
static inline float rcbrtf(float x) { return 1.0f / cbrtf(x); }
static inline float exp10f(float x) { return powf(10.0f, x); }
static inline double exp10(double x) { return pow(10.0, x); }
static inline float sinpif(float x) {
  return (float)sin(3.14159265358979323846 * x);
}
static inline float cospif(float x) {
  return (float)cos(3.14159265358979323846 * x);
}
static inline double sinpi(double x) { return sin(3.14159265358979323846 * x); }
static inline double cospi(double x) { return cos(3.14159265358979323846 * x); }
static inline void sincosf(float x, float* s, float* c) {
  *s = sinf(x);
  *c = cosf(x);
}
static inline void sincos(double x, double* s, double* c) {
  *s = sin(x);
  *c = cos(x);
}
static inline void sincospif(float x, float* s, float* c) {
  *s = sinpif(x);
  *c = cospif(x);
}
static inline void sincospi(double x, double* s, double* c) {
  *s = sinpi(x);
  *c = cospi(x);
}
static inline float normcdff(float x) {
  return 0.5f * erfcf(-0.70710678118654752f * x);
}
static inline double normcdf(double x) {
  return 0.5 * erfc(-0.70710678118654752440 * x);
}
static inline float __expf(float x) { return expf(x); }
static inline float __exp10f(float x) { return exp10f(x); }
static inline float __logf(float x) { return logf(x); }
static inline float __log2f(float x) { return log2f(x); }
static inline float __log10f(float x) { return log10f(x); }
static inline float __sinf(float x) { return sinf(x); }
static inline float __cosf(float x) { return cosf(x); }
static inline float __tanf(float x) { return tanf(x); }
static inline float __powf(float x, float y) { return powf(x, y); }
static inline void __sincosf(float x, float* s, float* c) { sincosf(x, s, c); }
static inline float __saturatef(float x) {
  return x > 0 ? (x < 1 ? x : 1.0f) : 0.0f;
}
static inline float __fdividef(float a, float b) { return a / b; }
static inline float __frcp_rn(float x) { return 1.0f / x; }
static inline float __fsqrt_rn(float x) { return __builtin_sqrtf(x); }
static inline float __frsqrt_rn(float x) { return rsqrtf(x); }
// Takes no part in a multiplication and addition at once.
template <class F>
static inline F standin_rounded(F x) {
  volatile F rounded = x;
  return rounded;
}
static inline float __fadd_rn(float a, float b) {
  return standin_rounded(a) + standin_rounded(b);
}
static inline float __fsub_rn(float a, float b) {
  return standin_rounded(a) - standin_rounded(b);
}
static inline float __fmul_rn(float a, float b) {
  return standin_rounded(a * b);
}
static inline float __fdiv_rn(float a, float b) { return a / b; }
static inline float __fmaf_rn(float a, float b, float c) {
  return fmaf(a, b, c);
}
static inline double __dadd_rn(double a, double b) {
  return standin_rounded(a) + standin_rounded(b);
}
static inline double __dsub_rn(double a, double b) {
  return standin_rounded(a) - standin_rounded(b);
}
static inline double __dmul_rn(double a, double b) {
  return standin_rounded(a * b);
}
static inline double __ddiv_rn(double a, double b) { return a / b; }
static inline double __fma_rn(double a, double b, double c) {
  return fma(a, b, c);
}
// Conversions saturate, and make 0 of NaN, as those of GPUs do.
#define STANDIN_CONVERT(name, From, To, low, high, rounded) \
  static inline To name(From x) {                           \
    if (x != x) return 0;                                   \
    const From r = rounded;                                 \
    if (r <= (From)low) return low;                         \
    if (r >= (From)high) return high;                       \
    return (To)r;                                           \
  }
#define STANDIN_CONVERT_BOTH(name, To, low, high)              \
  STANDIN_CONVERT(__float2##name##_rn, float, To, low, high,   \
                  __builtin_rintf(x))                          \
  STANDIN_CONVERT(__float2##name##_rz, float, To, low, high,   \
                  __builtin_truncf(x))                         \
  STANDIN_CONVERT(__float2##name##_rd, float, To, low, high,   \
                  __builtin_floorf(x))                         \
  STANDIN_CONVERT(__float2##name##_ru, float, To, low, high,   \
                  __builtin_ceilf(x))                          \
  STANDIN_CONVERT(__double2##name##_rn, double, To, low, high, \
                  __builtin_rint(x))                           \
  STANDIN_CONVERT(__double2##name##_rz, double, To, low, high, \
                  __builtin_trunc(x))                          \
  STANDIN_CONVERT(__double2##name##_rd, double, To, low, high, \
                  __builtin_floor(x))                          \
  STANDIN_CONVERT(__double2##name##_ru, double, To, low, high, \
                  __builtin_ceil(x))
STANDIN_CONVERT_BOTH(int, int, (-0x7fffffff - 1), 0x7fffffff)
STANDIN_CONVERT_BOTH(uint, unsigned, 0u, 0xffffffffu)
STANDIN_CONVERT_BOTH(ll, long long, (-0x7fffffffffffffffll - 1),
                     0x7fffffffffffffffll)
STANDIN_CONVERT_BOTH(ull, unsigned long long, 0ull, 0xffffffffffffffffull)
#undef STANDIN_CONVERT_BOTH
#undef STANDIN_CONVERT
static inline float __int2float_rn(int x) { return (float)x; }
static inline float __uint2float_rn(unsigned x) { return (float)x; }
static inline float __ll2float_rn(long long x) { return (float)x; }
static inline double __int2double_rn(int x) { return x; }
static inline float __double2float_rn(double x) { return (float)x; }

// ---- Half precision.
static inline float StandInFromHalf(unsigned short h) {
  const unsigned sign = (h & 0x8000u) << 16, magnitude = h & 0x7fffu;
  if (magnitude >= 0x7c00u) {  // infinity, NaN
    return standin_bits<float>(sign | 0x7f800000u | (magnitude & 0x3ffu) << 13);
  }
  if (magnitude < 0x400u) {  // zero, or too small for an exponent
    const float f = (float)magnitude * 5.9604644775390625e-8f;
    return standin_bits<float>(standin_bits<unsigned>(f) | sign);
  }
  return standin_bits<float>(sign | (magnitude + 0x1c000u) << 13);
}
// To the nearest, ties to even.
static inline unsigned short StandInToHalf(float f) {
  const unsigned bits = standin_bits<unsigned>(f);
  const unsigned sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return (unsigned short)(sign | 0x7fffu);
  if (magnitude >= 0x477ff000u) return (unsigned short)(sign | 0x7c00u);
  if (magnitude < 0x38800000u) {  // below the smallest with an exponent
    const float whole = standin_bits<float>(magnitude) * 16777216.0f;
    return (unsigned short)(sign | (unsigned)__builtin_rintf(whole));
  }
  const unsigned odd = magnitude >> 13 & 1;
  return (unsigned short)(sign |
                          (magnitude - 0x38000000u + 0xfffu + odd) >> 13);
}

// ---- Entries: what the driver needs of a kernel.
template <class... A>
struct StandInParameters {
  template <unsigned... I>
  struct Numbers {};
  template <unsigned N, unsigned... I>
  struct UpTo : UpTo<N - 1, N - 1, I...> {};
  template <unsigned... I>
  struct UpTo<0, I...> {
    typedef Numbers<I...> type;
  };
  template <void (*f)(A...), unsigned... I>
  static void Call(void* const* arguments, Numbers<I...>) {
    f(*(A*)arguments[I]...);
  }
  template <void (*f)(A...)>
  static void Run(void* const* arguments) {
    Call<f>(arguments, typename UpTo<sizeof...(A)>::type());
  }
  static constexpr unsigned bytes[sizeof...(A) + 1] = {(unsigned)sizeof(A)...,
                                                       0};
};
template <class F, F f>
struct StandInEntryOf;
template <class... A, void (*f)(A...)>
struct StandInEntryOf<void (*)(A...), f> {
  static constexpr StandInEntry Make(const char* name) {
    return {name, &StandInParameters<A...>::template Run<f>, sizeof...(A),
            StandInParameters<A...>::bytes};
  }
};
