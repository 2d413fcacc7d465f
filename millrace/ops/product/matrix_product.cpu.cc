#include "millrace/ops/product/matrix_product.h"

#include <algorithm>

#include "millrace/ops/elementwise/elementwise.h"
#include "millrace/ops/elementwise/float_blocks.h"
#include "millrace/ops/product/float_product.h"

namespace millrace::ops {
namespace {

// Products of fewer multiply-adds are not worth a second thread each; a batch
// of them is spread over threads instead.
constexpr int64_t kSmallProduct = int64_t{1} << 20;
// oneDNN cannot be cancelled, so a product is cut into parts of this size,
// which take about a tenth of a second.
constexpr int64_t kLongestPart = int64_t{1} << 33;

// Returns the number of matrices that the operand has.
int64_t MatrixCount(absl::Span<const int64_t> index, int64_t batches) {
  if (index.empty()) return batches;
  return *std::max_element(index.begin(), index.end()) + 1;
}

// Terms of this many multiply-adds are added up between two checks for
// cancellation.
constexpr int64_t kTermsAtOnce = int64_t{1} << 30;

int64_t WorkOf(const ProductTerm& t) {
  return t.problem.m * t.problem.k * t.problem.n;
}

// Calls f(row, rows) for parts of c that do not take long, until the step is
// cancelled.
Status ForParts(KernelContext& ctx, const MatrixProblem& p,
                absl::FunctionRef<Status(int64_t, int64_t)> f) {
  const int64_t part =
      std::clamp<int64_t>(kLongestPart / (p.k * p.n), 16, p.m + 16);
  for (int64_t row = 0; row < p.m; row += part) {
    if (row > 0) MR_RETURN_IF_ERROR(ctx.CheckCancelled());
    MR_RETURN_IF_ERROR(f(row, std::min(part, p.m - row)));
  }
  return OkStatus();
}

template <class T>
Status RunBlocked(KernelContext& ctx, const MatrixProblem& p, const char* a,
                  const char* b, char* c, bool accumulate = false) {
  return BlockedGemm<T>(ctx, p, reinterpret_cast<const T*>(a),
                        reinterpret_cast<const T*>(b), reinterpret_cast<T*>(c),
                        accumulate);
}

}  // namespace

Status ExpectMatrices(const Tensor& a, const Tensor& b) {
  if (a.rank() != b.rank()) {
    return InvalidArgument(
        "In[0] and In[1] has different ndims: ", a.shape().DebugString(),
        " vs. ", b.shape().DebugString());
  }
  if (a.rank() < 2) {
    return InvalidArgument("In[0] ndims must be >= 2: ", a.rank());
  }
  if (a.rank() > 2) {
    return InvalidArgument("In[0] is not a matrix. Instead it has shape ",
                           a.shape().DebugString());
  }
  return OkStatus();
}

StatusOr<MatrixProblem> ProblemOfMatrices(const Tensor& a, bool transpose_a,
                                          const Tensor& b, bool transpose_b) {
  MatrixProblem p;
  p.type = a.dtype();
  p.transpose_a = transpose_a;
  p.transpose_b = transpose_b;
  p.m = a.dim(transpose_a ? 1 : 0);
  p.k = a.dim(transpose_a ? 0 : 1);
  p.n = b.dim(transpose_b ? 0 : 1);
  if (p.k != b.dim(transpose_b ? 1 : 0)) {
    return InvalidArgument(
        "Matrix size-incompatible: In[0]: ", a.shape().DebugString(),
        ", In[1]: ", b.shape().DebugString());
  }
  return p;
}

Status MatrixProduct::RunFloat(KernelContext& ctx, const MatrixProblem& p,
                               const float* a, const float* b, float* c,
                               bool accumulate) const {
  if (p.batches > 1 && p.m * p.k * p.n < kSmallProduct) {
    return FloatProductBatch(ctx, p, a, b, c, accumulate);
  }
  for (int64_t i = 0; i < p.batches; ++i) {
    if (i > 0) MR_RETURN_IF_ERROR(ctx.CheckCancelled());
    const ProductTerm term = TermOf(p, a, b, i);
    MR_RETURN_IF_ERROR(ForParts(ctx, p, [&](int64_t row, int64_t rows) {
      DnnlRun run(ctx, rows * p.k * p.n);
      return FloatProductRows(run, {&term, 1}, row, rows, c + i * p.m * p.n,
                              accumulate);
    }));
  }
  return OkStatus();
}

Status MatrixProduct::RunInParts(KernelContext& ctx, const MatrixProblem& p,
                                 const char* a, const char* b, char* c,
                                 FinishProduct finish) const {
  const ProductTerm term = {p, a, b};
  return ForParts(ctx, p, [&](int64_t row, int64_t rows) {
    DnnlRun run(ctx, rows * p.k * p.n);
    return FloatProductRows(run, {&term, 1}, row, rows,
                            reinterpret_cast<float*>(c), /*accumulate=*/false,
                            &finish);
  });
}

Status MatrixProduct::RunSum(KernelContext& ctx,
                             absl::Span<const ProductTerm> terms,
                             char* c) const {
  if (terms[0].problem.type == DataType::kDouble) {
    for (const ProductTerm& t : terms) {
      MR_RETURN_IF_ERROR(
          RunBlocked<double>(ctx, t.problem, t.a, t.b, c, &t != &terms[0]));
    }
    return OkStatus();
  }
  int64_t work = 0;
  for (const ProductTerm& t : terms) work += WorkOf(t);
  // One product may not be worth the threads, but all of them together are.
  DnnlRun run(ctx, work);
  for (size_t i = 0; i < terms.size();) {
    MR_RETURN_IF_ERROR(ctx.CheckCancelled());
    // A long term is computed alone, in parts of its own.
    size_t n = 1;
    for (work = WorkOf(terms[i]);
         i + n < terms.size() && work + WorkOf(terms[i + n]) <= kTermsAtOnce;
         ++n) {
      work += WorkOf(terms[i + n]);
    }
    const absl::Span<const ProductTerm> some = terms.subspan(i, n);
    MR_RETURN_IF_ERROR(
        ForParts(ctx, terms[i].problem, [&](int64_t row, int64_t rows) {
          return FloatProductRows(run, some, row, rows,
                                  reinterpret_cast<float*>(c), i > 0);
        }));
    i += n;
  }
  return OkStatus();
}

Status MatrixProduct::RunThroughFloat(KernelContext& ctx,
                                      const MatrixProblem& p, const char* a,
                                      const char* b, char* c) const {
  const int64_t a_size = MatrixCount(p.a_index, p.batches) * p.m * p.k;
  const int64_t b_size = MatrixCount(p.b_index, p.batches) * p.k * p.n;
  const int64_t c_size = p.batches * p.m * p.n;
  MR_ASSIGN_OR_RETURN(
      Tensor floats, ctx.AllocateTemp(DataType::kFloat,
                                      TensorShape({a_size + b_size + c_size})));
  float* fa = floats.mutable_flat<float>().data();
  float* fb = fa + a_size;
  float* fc = fb + b_size;
  MR_RETURN_IF_ERROR(
      ShardElements(ctx, a_size, 300, [&](int64_t begin, int64_t end) {
        ToFloats(p.type, a + begin * 2, fa + begin, end - begin);
      }));
  MR_RETURN_IF_ERROR(
      ShardElements(ctx, b_size, 300, [&](int64_t begin, int64_t end) {
        ToFloats(p.type, b + begin * 2, fb + begin, end - begin);
      }));
  const auto round = [&](int64_t begin, int64_t end) {
    FromFloats(p.type, fc + begin, c + begin * 2, end - begin);
  };
  if (p.batches == 1) {
    return RunInParts(ctx, p, reinterpret_cast<const char*>(fa),
                      reinterpret_cast<const char*>(fb),
                      reinterpret_cast<char*>(fc),
                      [&](const ProductPart& part) {
                        for (int64_t i = 0; i < part.rows; ++i) {
                          const int64_t at = (part.row + i) * p.n + part.column;
                          round(at, at + part.columns);
                        }
                      });
  }
  MR_RETURN_IF_ERROR(RunFloat(ctx, p, fa, fb, fc, /*accumulate=*/false));
  return ShardElements(ctx, c_size, 300, round);
}

template <class T>
Status MatrixProduct::RunComplex(KernelContext& ctx, const MatrixProblem& p,
                                 const char* a, const char* b, char* c) const {
  using C = std::complex<T>;
  const int64_t a_size = MatrixCount(p.a_index, p.batches) * p.m * p.k;
  const int64_t b_size = MatrixCount(p.b_index, p.batches) * p.k * p.n;
  const int64_t c_size = p.batches * p.m * p.n;
  // Planes: re a, im a, -im a, re b, im b, re c, im c.
  MR_ASSIGN_OR_RETURN(
      Tensor planes,
      ctx.AllocateTemp(DataTypeOf<T>,
                       TensorShape({3 * a_size + 2 * b_size + 2 * c_size})));
  T* a_re = planes.mutable_flat<T>().data();
  T* a_im = a_re + a_size;
  T* a_minus_im = a_im + a_size;
  T* b_re = a_minus_im + a_size;
  T* b_im = b_re + b_size;
  T* c_re = b_im + b_size;
  T* c_im = c_re + c_size;
  const C* ac = reinterpret_cast<const C*>(a);
  const C* bc = reinterpret_cast<const C*>(b);
  C* cc = reinterpret_cast<C*>(c);
  MR_RETURN_IF_ERROR(
      ShardElements(ctx, a_size, 500, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const T im = p.conjugate_a ? -ac[i].imag() : ac[i].imag();
          a_re[i] = ac[i].real();
          a_im[i] = im;
          a_minus_im[i] = -im;
        }
      }));
  MR_RETURN_IF_ERROR(
      ShardElements(ctx, b_size, 500, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          b_re[i] = bc[i].real();
          b_im[i] = p.conjugate_b ? -bc[i].imag() : bc[i].imag();
        }
      }));
  const auto product = [&](const T* x, const T* y, T* z, bool accumulate) {
    if constexpr (std::is_same_v<T, float>) {
      return RunFloat(ctx, p, x, y, z, accumulate);
    } else {
      return BlockedGemm<T>(ctx, p, x, y, z, accumulate);
    }
  };
  MR_RETURN_IF_ERROR(product(a_re, b_re, c_re, /*accumulate=*/false));
  MR_RETURN_IF_ERROR(product(a_minus_im, b_im, c_re, /*accumulate=*/true));
  MR_RETURN_IF_ERROR(product(a_re, b_im, c_im, /*accumulate=*/false));
  MR_RETURN_IF_ERROR(product(a_im, b_re, c_im, /*accumulate=*/true));
  return ShardElements(ctx, c_size, 500, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) cc[i] = C(c_re[i], c_im[i]);
  });
}

Status MatrixProduct::Run(KernelContext& ctx, const MatrixProblem& p,
                          const char* a, const char* b, char* c) const {
  switch (p.type) {
    case DataType::kFloat:
      return RunFloat(ctx, p, reinterpret_cast<const float*>(a),
                      reinterpret_cast<const float*>(b),
                      reinterpret_cast<float*>(c), /*accumulate=*/false);
    case DataType::kDouble:
      return RunBlocked<double>(ctx, p, a, b, c);
    case DataType::kBfloat16: {
      Status status = bfloat16_.Run(ctx, p, a, b, c);
      // The machine has no AVX-512.
      if (status.code() != StatusCode::kUnimplemented) return status;
      return RunThroughFloat(ctx, p, a, b, c);
    }
    case DataType::kHalf:
      return RunThroughFloat(ctx, p, a, b, c);
    case DataType::kInt16:
      return RunBlocked<uint16_t>(ctx, p, a, b, c);
    case DataType::kInt32:
      return RunBlocked<uint32_t>(ctx, p, a, b, c);
    case DataType::kInt64:
      return RunBlocked<uint64_t>(ctx, p, a, b, c);
    case DataType::kComplex64:
      return RunComplex<float>(ctx, p, a, b, c);
    case DataType::kComplex128:
      return RunComplex<double>(ctx, p, a, b, c);
    default:
      return Internal("no matrix product of dtype ", DataTypeName(p.type));
  }
}

}  // namespace millrace::ops
