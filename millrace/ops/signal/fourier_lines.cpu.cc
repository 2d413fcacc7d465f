#include "millrace/ops/signal/fourier_lines.h"

#include <algorithm>
#include <cstring>

#include "millrace/base/target_clones.h"

namespace millrace::ops {
namespace {

#define MR_INLINE inline __attribute__((always_inline))

typedef float FourFloats __attribute__((vector_size(16)));
typedef int32_t Places __attribute__((vector_size(16)));

// Transposes four rows of four numbers.
MR_INLINE void Transpose(FourFloats* a) {
  const FourFloats ac_low = __builtin_shuffle(a[0], a[2], Places{0, 4, 1, 5});
  const FourFloats ac_high = __builtin_shuffle(a[0], a[2], Places{2, 6, 3, 7});
  const FourFloats bd_low = __builtin_shuffle(a[1], a[3], Places{0, 4, 1, 5});
  const FourFloats bd_high = __builtin_shuffle(a[1], a[3], Places{2, 6, 3, 7});
  a[0] = __builtin_shuffle(ac_low, bd_low, Places{0, 4, 1, 5});
  a[1] = __builtin_shuffle(ac_low, bd_low, Places{2, 6, 3, 7});
  a[2] = __builtin_shuffle(ac_high, bd_high, Places{0, 4, 1, 5});
  a[3] = __builtin_shuffle(ac_high, bd_high, Places{2, 6, 3, 7});
}

// Lines may lie in the same places of the cache, so that few of them stay in it
// at once: this many elements, a part of the cache, are moved together.
template <class T>
constexpr int64_t kBlock = 32 / sizeof(T);

template <class T>
MR_INLINE void GatherOne(int64_t count, int64_t v, int64_t begin, int64_t end,
                         T scale, const T* line, Planes<T> to) {
  for (int64_t k = begin; k < end; ++k) {
    to.re[k * count + v] = line[2 * k] * scale;
    to.im[k * count + v] = line[2 * k + 1] * scale;
  }
}
template <class T>
MR_INLINE void ScatterOne(int64_t count, int64_t v, int64_t begin, int64_t end,
                          Planes<T> from, T* line) {
  for (int64_t k = begin; k < end; ++k) {
    line[2 * k] = from.re[k * count + v];
    line[2 * k + 1] = from.im[k * count + v];
  }
}

}  // namespace

template <class T>
MR_TARGET_CLONES void GatherLines(int64_t count, int64_t n, T scale,
                                  const T* const* lines, Planes<T> to) {
  for (int64_t begin = 0; begin < n; begin += kBlock<T>) {
    const int64_t end = std::min(n, begin + kBlock<T>);
    int64_t v = 0;
    if constexpr (sizeof(T) == 4) {
      for (; v + 4 <= count && end == begin + kBlock<T>; v += 4) {
#pragma GCC unroll 4
        for (int64_t k = begin; k < begin + kBlock<T>; k += 2) {
          FourFloats a[4];
#pragma GCC unroll 4
          for (int i = 0; i < 4; ++i) {
            std::memcpy(&a[i], lines[v + i] + 2 * k, sizeof(FourFloats));
            a[i] *= scale;
          }
          Transpose(a);
          std::memcpy(to.re + k * count + v, &a[0], sizeof(FourFloats));
          std::memcpy(to.im + k * count + v, &a[1], sizeof(FourFloats));
          std::memcpy(to.re + (k + 1) * count + v, &a[2], sizeof(FourFloats));
          std::memcpy(to.im + (k + 1) * count + v, &a[3], sizeof(FourFloats));
        }
      }
    }
    for (; v < count; ++v) GatherOne(count, v, begin, end, scale, lines[v], to);
  }
}

template <class T>
MR_TARGET_CLONES void ScatterLines(int64_t count, int64_t n, Planes<T> from,
                                   T* const* lines) {
  for (int64_t begin = 0; begin < n; begin += kBlock<T>) {
    const int64_t end = std::min(n, begin + kBlock<T>);
    int64_t v = 0;
    if constexpr (sizeof(T) == 4) {
      for (; v + 4 <= count && end == begin + kBlock<T>; v += 4) {
#pragma GCC unroll 4
        for (int64_t k = begin; k < begin + kBlock<T>; k += 2) {
          FourFloats a[4];
          std::memcpy(&a[0], from.re + k * count + v, sizeof(FourFloats));
          std::memcpy(&a[1], from.im + k * count + v, sizeof(FourFloats));
          std::memcpy(&a[2], from.re + (k + 1) * count + v, sizeof(FourFloats));
          std::memcpy(&a[3], from.im + (k + 1) * count + v, sizeof(FourFloats));
          Transpose(a);
#pragma GCC unroll 4
          for (int i = 0; i < 4; ++i) {
            std::memcpy(lines[v + i] + 2 * k, &a[i], sizeof(FourFloats));
          }
        }
      }
    }
    for (; v < count; ++v) ScatterOne(count, v, begin, end, from, lines[v]);
  }
}

template <class T>
MR_TARGET_CLONES void GatherColumns(int64_t count, int64_t some, int64_t n,
                                    T scale, const T* from, int64_t step,
                                    Planes<T> to) {
  for (int64_t k = 0; k < n; ++k) {
    const T* const row = from + 2 * k * step;
    T* const re = to.re + k * count;
    T* const im = to.im + k * count;
#pragma GCC ivdep
    for (int64_t v = 0; v < some; ++v) {
      re[v] = row[2 * v] * scale;
      im[v] = row[2 * v + 1] * scale;
    }
  }
}

template <class T>
MR_TARGET_CLONES void ScatterColumns(int64_t count, int64_t some, int64_t n,
                                     Planes<T> from, T* to, int64_t step) {
  for (int64_t k = 0; k < n; ++k) {
    T* const row = to + 2 * k * step;
    const T* const re = from.re + k * count;
    const T* const im = from.im + k * count;
#pragma GCC ivdep
    for (int64_t v = 0; v < some; ++v) {
      row[2 * v] = re[v];
      row[2 * v + 1] = im[v];
    }
  }
}

#define MR_INSTANTIATE(T)                                                      \
  template void GatherLines(int64_t, int64_t, T, const T* const*, Planes<T>);  \
  template void ScatterLines(int64_t, int64_t, Planes<T>, T* const*);          \
  template void GatherColumns(int64_t, int64_t, int64_t, T, const T*, int64_t, \
                              Planes<T>);                                      \
  template void ScatterColumns(int64_t, int64_t, int64_t, Planes<T>, T*,       \
                               int64_t);
MR_INSTANTIATE(float)
MR_INSTANTIATE(double)
#undef MR_INSTANTIATE
#undef MR_INLINE

}  // namespace millrace::ops
