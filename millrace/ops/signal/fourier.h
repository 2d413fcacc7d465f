// Discrete Fourier transforms of lines of one length, several at once.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "millrace/base/memory/memory_charge.h"
#include "millrace/ops/signal/fourier_steps.h"

namespace millrace::ops {

enum class FourierDirection { kForward, kInverse };

// For larger prime factors p, p^2 operations cost more than a convolution.
inline constexpr int64_t kLargestFourierFactor = 37;
// Returns the factors of n by which lines are transformed, those of 4 before
// the others; none if one is too large.
std::vector<int64_t> FourierFactors(int64_t n);

// Transforms of complex numbers. Immutable; any number of threads may use it at
// once. An inverse transform is the forward one of numbers whose real and
// imaginary parts have changed places, before and after.
template <class T>
class FourierPlan {
 public:
  // Makes a plan for n >= 1. Returns RESOURCE_EXHAUSTED if the memory budget
  // has no room for what is computed once for all lines.
  static StatusOr<std::unique_ptr<const FourierPlan>> Make(int64_t n);

  int64_t length() const { return n_; }
  // Returns the numbers, for each line, that Forward needs as `work`.
  int64_t work_size() const;

  // Computes the sums over i of line[i] exp(-2 pi sqrt(-1) i k / n). Returns
  // where they are, in `x` or in `work`, both of which are overwritten.
  Planes<T> Forward(int64_t lines, Planes<T> x, T* work) const;

 private:
  explicit FourierPlan(int64_t n) : n_(n) {}
  Status TabulateFactors(const std::vector<int64_t>& factors);
  Status TabulateConvolution();
  Planes<T> ByFactors(int64_t lines, Planes<T> x, Planes<T> y) const;
  Planes<T> ByConvolution(int64_t lines, Planes<T> x, T* work) const;

  const int64_t n_;
  MemoryCharge charge_;  // of what follows
  std::vector<T> roots_;
  std::vector<FourierStep<T>> steps_;  // for one line
  std::unique_ptr<const FourierPlan> convolution_;
  std::vector<T> chirp_;           // exp(-pi sqrt(-1) k * k / n)
  std::vector<T> chirp_spectrum_;  // of the conjugate chirp, both ways
};

// Transforms between real lines of n numbers and the n / 2 + 1 complex numbers
// that determine their spectrum.
template <class T>
class RealFourierPlan {
 public:
  static StatusOr<std::unique_ptr<const RealFourierPlan>> Make(int64_t n);

  // If n is even, each two of a line's numbers are taken as the parts of a
  // complex one, and the transform has half the length.
  bool paired() const { return n_ % 2 == 0; }
  // Returns the complex numbers of a line that is transformed.
  int64_t length() const { return complex_->length(); }
  // Returns the real numbers, for each line, that both functions need as
  // `work`.
  int64_t work_size() const;

  // Returns where the n / 2 + 1 numbers are, for lines `x` of real numbers:
  // pairs, or real parts beside imaginary parts of 0.
  Planes<T> Forward(int64_t lines, Planes<T> x, T* work) const;
  // Returns where the real numbers are, as `Forward` takes them; imaginary
  // parts are not set unless numbers are paired. `x` holds n / 2 + 1 numbers
  // of each line, and has room for `length` if that is more; the result is not
  // divided by n. The imaginary parts of what is its own conjugate are ignored.
  Planes<T> Inverse(int64_t lines, Planes<T> x, T* work) const;

 private:
  explicit RealFourierPlan(int64_t n) : n_(n) {}

  const int64_t n_;
  MemoryCharge charge_;   // of the roots
  std::vector<T> roots_;  // exp(-2 pi sqrt(-1) k / n), if numbers are paired
  std::unique_ptr<const FourierPlan<T>> complex_;
};

}  // namespace millrace::ops
