// Moves lines of complex numbers to planes, side by side, and back. Real and
// imaginary parts are next to each other in lines.
#pragma once

#include <cstdint>

#include "millrace/ops/signal/fourier_steps.h"

namespace millrace::ops {

// The most lines that are transformed at once: those that fill a vector.
template <class T>
inline constexpr int64_t kMostFourierLines = 64 / sizeof(T);

// Copies the first n elements of each of `count` lines, scaled.
template <class T>
void GatherLines(int64_t count, int64_t n, T scale, const T* const* lines,
                 Planes<T> to);
template <class T>
void ScatterLines(int64_t count, int64_t n, Planes<T> from, T* const* lines);

// The same for the first `some` of `count` lines, if their elements are `step`
// complex numbers apart and those of neighbouring lines next to each other.
template <class T>
void GatherColumns(int64_t count, int64_t some, int64_t n, T scale,
                   const T* from, int64_t step, Planes<T> to);
template <class T>
void ScatterColumns(int64_t count, int64_t some, int64_t n, Planes<T> from,
                    T* to, int64_t step);

}  // namespace millrace::ops
