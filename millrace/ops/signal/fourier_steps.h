// Loops of Fourier transforms over lines that lie side by side, so that vectors
// hold the same element of different lines.
#pragma once

#include <cstdint>

namespace millrace::ops {

// Real and imaginary parts of lines: element k of line v is [k * lines + v].
template <class T>
struct Planes {
  T* re = nullptr;
  T* im = nullptr;
};

// One step of Stockham's algorithm: lines of r * m elements, `stride` of them
// side by side, become r times as many lines of m elements.
template <class T>
struct FourierStep {
  int64_t r = 0, m = 0, stride = 0;
  // exp(-2 pi sqrt(-1) j p / (r m)) for each p < m and each j from 1 to r - 1.
  const T* roots = nullptr;
  const T* cycle = nullptr;  // exp(-2 pi sqrt(-1) k / r)
};

template <class T>
void RunFourierStep(const FourierStep<T>& step, Planes<T> x, Planes<T> y);

// Sets element k of all lines to its product by factors[k], for n elements. `y`
// may be `x`.
template <class T>
void MultiplyLines(int64_t lines, int64_t n, const T* factors, Planes<T> x,
                   Planes<T> y);

// Sets `y`, half + 1 elements of each line, to the spectrum of real lines whose
// pairs have the spectrum `x` of `half` elements. The roots are exp(-pi
// sqrt(-1) k / half).
template <class T>
void SplitSpectrum(int64_t lines, int64_t half, const T* roots, Planes<T> x,
                   Planes<T> y);
// Undoes SplitSpectrum, but for a factor of 2. Imaginary parts of elements 0
// and `half` of `x` are ignored.
template <class T>
void JoinSpectrum(int64_t lines, int64_t half, const T* roots, Planes<T> x,
                  Planes<T> y);

}  // namespace millrace::ops
