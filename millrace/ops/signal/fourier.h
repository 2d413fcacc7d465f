// Discrete Fourier transforms of lines of one length.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "millrace/base/memory/memory_charge.h"
#include "millrace/tensor/numeric_types.h"

namespace millrace::ops {

enum class FourierDirection { kForward, kInverse };

// For larger prime factors p, p^2 operations cost more than a convolution.
inline constexpr int64_t kLargestFourierFactor = 37;
// Returns the factors of n by which lines are transformed, those of 4 before
// the others; none if one is too large.
std::vector<int64_t> FourierFactors(int64_t n);

// Immutable; any number of threads may use it at once.
class FourierPlan {
 public:
  // Makes a plan for n >= 1. Returns RESOURCE_EXHAUSTED if the memory budget
  // has no room for what is computed once for all lines.
  static StatusOr<std::unique_ptr<const FourierPlan>> Make(int64_t n);

  int64_t length() const { return n_; }
  // Returns the number of elements that Run needs as `work`.
  int64_t work_size() const;

  // Replaces line[k] by the sum over i of line[i] exp(-2 pi sqrt(-1) i k / n);
  // the inverse has the opposite sign and divides by n.
  void Run(FourierDirection direction, Complex128* line,
           Complex128* work) const;

 private:
  FourierPlan(int64_t n, std::vector<int64_t> factors)
      : n_(n), factors_(std::move(factors)) {}
  Status Tabulate();
  void Forward(Complex128* line, Complex128* work) const;
  void ByFactors(Complex128* line, Complex128* work) const;
  void ByConvolution(Complex128* line, Complex128* work) const;

  const int64_t n_;
  const std::vector<int64_t> factors_;  // of n; empty: by convolution
  MemoryCharge charge_;                 // of what follows
  std::vector<Complex128> roots_;       // exp(-2 pi sqrt(-1) k / n)
  std::unique_ptr<const FourierPlan> convolution_;
  std::vector<Complex128> chirp_;           // exp(-pi sqrt(-1) k * k / n)
  std::vector<Complex128> chirp_spectrum_;  // of the conjugate chirp, both ways
};

}  // namespace millrace::ops
