// Matrix products of every number type, for MatMul and its batched forms.
#pragma once

#include <cstdint>
#include <memory>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "millrace/kernel/kernel_context.h"
#include "millrace/ops/product/bfloat16_product.h"
#include "millrace/ops/product/float_product.h"
#include "millrace/ops/product/matrix_problem.h"

namespace millrace::ops {

// Returns INVALID_ARGUMENT unless both operands are matrices.
Status ExpectMatrices(const Tensor& a, const Tensor& b);
// Returns the product of two matrices as a problem, or INVALID_ARGUMENT if
// their sizes do not fit.
StatusOr<MatrixProblem> ProblemOfMatrices(const Tensor& a, bool transpose_a,
                                          const Tensor& b, bool transpose_b);

// Computes float as float_product.h says, bfloat16 by oneDNN, or in float on
// machines without AVX-512, half in float, double and integers (which wrap
// around) by our own blocked loops, and complex types as four real products.
// Each kernel has its own; thread-safe.
class MatrixProduct {
 public:
  // Requires: all three sizes and `batches` are at least 1.
  Status Run(KernelContext& ctx, const MatrixProblem& p, const char* a,
             const char* b, char* c) const;

  // Does the same for one product of floats. Calls `finish` for each finished
  // part of c on the thread that computed it, which still has it in its caches.
  // Together the parts are c.
  Status RunInParts(KernelContext& ctx, const MatrixProblem& p, const char* a,
                    const char* b, char* c, FinishProduct finish) const;

  // Sets c to the sum of single products of one size, of float or double.
  Status RunSum(KernelContext& ctx, absl::Span<const ProductTerm> terms,
                char* c) const;

 private:
  Status RunFloat(KernelContext& ctx, const MatrixProblem& p, const float* a,
                  const float* b, float* c, bool accumulate) const;
  Status RunThroughFloat(KernelContext& ctx, const MatrixProblem& p,
                         const char* a, const char* b, char* c) const;
  template <class T>
  Status RunComplex(KernelContext& ctx, const MatrixProblem& p, const char* a,
                    const char* b, char* c) const;

  Bfloat16Product bfloat16_;
};

// Computes c (m x n) = or += op(a) op(b), for T double or an unsigned integer
// type.
template <class T>
Status BlockedGemm(KernelContext& ctx, const MatrixProblem& p, const T* a,
                   const T* b, T* c, bool accumulate);
extern template Status BlockedGemm<double>(KernelContext&, const MatrixProblem&,
                                           const double*, const double*,
                                           double*, bool);
extern template Status BlockedGemm<uint16_t>(KernelContext&,
                                             const MatrixProblem&,
                                             const uint16_t*, const uint16_t*,
                                             uint16_t*, bool);
extern template Status BlockedGemm<uint32_t>(KernelContext&,
                                             const MatrixProblem&,
                                             const uint32_t*, const uint32_t*,
                                             uint32_t*, bool);
extern template Status BlockedGemm<uint64_t>(KernelContext&,
                                             const MatrixProblem&,
                                             const uint64_t*, const uint64_t*,
                                             uint64_t*, bool);

}  // namespace millrace::ops
