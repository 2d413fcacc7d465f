// The probability of a sequence of labels, summed over all its alignments with
// the steps of an input (Graves, "Supervised sequence labelling with recurrent
// neural networks", 2012, chapter 7).
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/types/span.h"
#include "millrace/kernel/kernel_context.h"

namespace millrace::ops {

template <class T>
inline constexpr T kLogOfZero = -std::numeric_limits<T>::infinity();

// Returns log(exp(a) + exp(b)).
template <class T>
T AddLogs(T a, T b) {
  if (a == kLogOfZero<T>) return b;
  if (b == kLogOfZero<T>) return a;
  return a > b ? a + std::log1p(std::exp(b - a))
               : b + std::log1p(std::exp(a - b));
}

// Step t of a sequence: the elements of all classes begin at
// at + t * step.
template <class T>
struct StepsOf {
  T* at = nullptr;
  int64_t step = 0;
  T* operator()(int64_t t) const { return at + t * step; }
};

// One sequence to align. `padded` has its labels with a blank before, between
// and behind them.
template <class T>
struct AlignmentProblem {
  int64_t time = 0, classes = 0;
  absl::Span<const int32_t> padded;
  int32_t blank = 0;
  // Whether a label may stay for several steps, and needs a blank before
  // another one of its kind.
  bool merge_repeated = true;
  StepsOf<const T> logits;
};

// Returns the bytes that Align allocates.
template <class T>
StatusOr<int64_t> AlignmentBytes(int64_t time, int64_t classes,
                                 int64_t padded_labels);

// Sets *loss to the negative logarithm of the probability, and the steps of
// `gradient` to the gradient with respect to the logits, which is the classes'
// probabilities if there is no alignment. Ends early if the step is cancelled.
// Requires: time and classes are at least 1.
template <class T>
void Align(const KernelContext& ctx, const AlignmentProblem<T>& p, T* loss,
           StepsOf<T> gradient);

#define MR_ALIGNMENT(prefix, T)                                         \
  prefix template StatusOr<int64_t> AlignmentBytes<T>(int64_t, int64_t, \
                                                      int64_t);         \
  prefix template void Align<T>(const KernelContext&,                   \
                                const AlignmentProblem<T>&, T*, StepsOf<T>);
MR_ALIGNMENT(extern, float)
MR_ALIGNMENT(extern, double)

}  // namespace millrace::ops
