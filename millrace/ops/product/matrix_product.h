// Products of matrices of every number type, for MatMul and its batched forms.
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

// INVALID_ARGUMENT "In[0] is not a matrix. ...": the operand `t` is number
// `operand`.
Status ExpectMatrix(const Tensor& t, int operand);
// The product of two matrices. INVALID_ARGUMENT if their sizes do not fit.
StatusOr<MatrixProblem> ProblemOfMatrices(const Tensor& a, bool transpose_a,
                                          const Tensor& b, bool transpose_b);

// Float goes as float_product.h says, bfloat16 to oneDNN, or through float on
// machines without AVX-512, half through float, double and integers
// (which wrap around) to our own blocked loops, complex types to four real
// products. One for each kernel; thread-safe.
class MatrixProduct {
 public:
  // All three sizes and `batches` are at least 1.
  Status Run(KernelContext& ctx, const MatrixProblem& p, const char* a,
             const char* b, char* c) const;

  // The same for one product of floats; `finish` is called for parts of c that
  // are done, by the thread that computed them, which still has them in its
  // caches. Together they are c.
  Status RunInParts(KernelContext& ctx, const MatrixProblem& p, const char* a,
                    const char* b, char* c, FinishProduct finish) const;

  // c = the sum of single products of one size; float and double only.
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

// c (m x n) = or += op(a) op(b), for T double or an unsigned integer type.
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
