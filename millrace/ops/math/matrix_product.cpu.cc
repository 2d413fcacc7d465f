#include "millrace/ops/math/matrix_product.h"

#include <algorithm>
#include <atomic>

#include "millrace/ops/math/elementwise.h"
#include "millrace/ops/math/float_blocks.h"

namespace millrace::ops {
namespace {

// Products of fewer multiply-adds than this are not worth a second thread each;
// a batch of them is spread over threads instead.
constexpr int64_t kSmallProduct = int64_t{1} << 20;
// oneDNN cannot be cancelled: a product is cut into parts of this size, which
// take a tenth of a second or so.
constexpr int64_t kLongestPart = int64_t{1} << 33;

// How many matrices the operand has.
int64_t MatrixCount(absl::Span<const int64_t> index, int64_t batches) {
  if (index.empty()) return batches;
  return *std::max_element(index.begin(), index.end()) + 1;
}

// oneDNN packs a transposed b of so many columns. Where there are fewer, it
// reads them as they lie, at half the speed and less (64 x 512 times 512 x 64:
// 37 us; times 512 x 128: 41 us).
constexpr int64_t kPackedColumns = 128;
// Rows or columns that are worth a thread.
constexpr int64_t kMinLines = 32;
// Of larger products oneDNN's threads share what they pack; for smaller ones
// they wait for each other longer than that takes.
constexpr int64_t kSmallShared = int64_t{1} << 25;

// Terms of so many multiply-adds are added up without a look at the step.
constexpr int64_t kTermsAtOnce = int64_t{1} << 30;

using Part = MatrixProduct::Part;

dnnl_status_t Sgemm(const MatrixProblem& p, const Part& part, const float* a,
                    const float* b, float* c, bool accumulate) {
  const int64_t b_stride = p.b_stride != 0 ? p.b_stride
                           : p.transpose_b ? p.k
                                           : p.n;
  return dnnl_sgemm(
      p.transpose_a ? 'T' : 'N', p.transpose_b ? 'T' : 'N', part.rows,
      part.columns, p.k, 1.0f,
      p.transpose_a ? a + part.row : a + part.row * p.k,
      p.transpose_a ? p.m : p.k,
      p.transpose_b ? b + part.column * b_stride : b + part.column, b_stride,
      accumulate ? 1.0f : 0.0f, c + part.row * p.n + part.column, p.n);
}

int64_t WorkOf(const MatrixProduct::Term& t) {
  return t.problem.m * t.problem.k * t.problem.n;
}

Status SgemmStatus(dnnl_status_t s) {
  if (s == dnnl_success) return OkStatus();
  if (s == dnnl_out_of_memory) return ResourceExhausted("OOM in oneDNN");
  return Internal("oneDNN: sgemm failed with status ", static_cast<int>(s));
}

// How the members of a team share c.
enum class Sharing { kOneDnn, kRows, kColumns };

// oneDNN shares a product with a transposed b badly (64 x 512 times 512 x 256:
// 79 us by two threads, 88 by one), so then each thread has columns of its own
// (45 us), or rows where there are too few columns.
Sharing SharingOf(const MatrixProblem& p, int64_t rows, int64_t width) {
  if (width == 1) return Sharing::kOneDnn;
  if (!p.transpose_b && rows * p.k * p.n > kSmallShared) {
    return Sharing::kOneDnn;
  }
  const bool enough_rows = rows >= kMinLines * width;
  if (p.n >= kPackedColumns * width && (p.transpose_b || !enough_rows)) {
    return Sharing::kColumns;
  }
  if (enough_rows) return Sharing::kRows;
  return p.n >= kMinLines * width ? Sharing::kColumns : Sharing::kOneDnn;
}

// The part of member `index`; may be empty.
Part PartOf(Sharing sharing, const MatrixProblem& p, int64_t row, int64_t rows,
            int64_t index, int64_t width) {
  const int64_t lines = sharing == Sharing::kRows ? rows : p.n;
  const int64_t share = ((lines + width - 1) / width + 15) / 16 * 16;
  const int64_t first = std::min(index * share, lines);
  const int64_t count = std::min(share, lines - first);
  return sharing == Sharing::kRows ? Part{row + first, count, 0, p.n}
                                   : Part{row, rows, first, count};
}

using FinishPart = absl::FunctionRef<void(const Part&)>;

// Some rows of the sum of the terms, by the threads of `run`.
Status SgemmRows(DnnlRun& run, absl::Span<const MatrixProduct::Term> terms,
                 int64_t row, int64_t rows, float* c, bool accumulate,
                 const FinishPart* finish = nullptr) {
  const MatrixProblem& p = terms[0].problem;
  const auto add_up = [&](const Part& part) {
    for (const MatrixProduct::Term& t : terms) {
      const dnnl_status_t s =
          Sgemm(t.problem, part, reinterpret_cast<const float*>(t.a),
                reinterpret_cast<const float*>(t.b), c,
                accumulate || &t != &terms[0]);
      if (s != dnnl_success) return s;
    }
    return dnnl_success;
  };
  const Sharing sharing = SharingOf(p, rows, run.width());
  if (sharing == Sharing::kOneDnn) {
    MR_RETURN_IF_ERROR(SgemmStatus(add_up({row, rows, 0, p.n})));
    if (finish == nullptr) return OkStatus();
    run.ForMembers([&](int index, int width) {
      const Part part = PartOf(Sharing::kRows, p, row, rows, index, width);
      if (part.rows > 0) (*finish)(part);
    });
    return OkStatus();
  }
  std::atomic<int> failed{dnnl_success};
  run.ForMembers([&](int index, int width) {
    const Part part = PartOf(sharing, p, row, rows, index, width);
    if (part.rows == 0 || part.columns == 0) return;
    const dnnl_status_t s = add_up(part);
    if (s != dnnl_success) return failed.store(s, std::memory_order_relaxed);
    if (finish != nullptr) (*finish)(part);
  });
  return SgemmStatus(
      static_cast<dnnl_status_t>(failed.load(std::memory_order_relaxed)));
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

Status ExpectMatrix(const Tensor& t, int operand) {
  if (t.rank() == 2) return OkStatus();
  return InvalidArgument("In[", operand,
                         "] is not a matrix. Instead it has shape ",
                         t.shape().DebugString());
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
  const int64_t work = p.m * p.k * p.n;
  if (p.batches > 1 && work < kSmallProduct) {
    std::atomic<int> failed{dnnl_success};
    MR_RETURN_IF_ERROR(ctx.ParallelFor(
        p.batches, work / 40 + 200, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            const dnnl_status_t s = Sgemm(
                p, {0, p.m, 0, p.n}, a + p.AIndex(i) * p.m * p.k,
                b + p.BIndex(i) * p.k * p.n, c + i * p.m * p.n, accumulate);
            if (s != dnnl_success) failed.store(s, std::memory_order_relaxed);
          }
        }));
    return SgemmStatus(
        static_cast<dnnl_status_t>(failed.load(std::memory_order_relaxed)));
  }
  for (int64_t i = 0; i < p.batches; ++i) {
    if (i > 0) MR_RETURN_IF_ERROR(ctx.CheckCancelled());
    const Term term = {
        p, reinterpret_cast<const char*>(a + p.AIndex(i) * p.m * p.k),
        reinterpret_cast<const char*>(b + p.BIndex(i) * p.k * p.n)};
    MR_RETURN_IF_ERROR(ForParts(ctx, p, [&](int64_t row, int64_t rows) {
      DnnlRun run(ctx, rows * p.k * p.n);
      return SgemmRows(run, {&term, 1}, row, rows, c + i * p.m * p.n,
                       accumulate);
    }));
  }
  return OkStatus();
}

Status MatrixProduct::RunInParts(KernelContext& ctx, const MatrixProblem& p,
                                 const char* a, const char* b, char* c,
                                 FinishPart finish) const {
  const Term term = {p, a, b};
  return ForParts(ctx, p, [&](int64_t row, int64_t rows) {
    DnnlRun run(ctx, rows * p.k * p.n);
    return SgemmRows(run, {&term, 1}, row, rows, reinterpret_cast<float*>(c),
                     false, &finish);
  });
}

Status MatrixProduct::RunSum(KernelContext& ctx, absl::Span<const Term> terms,
                             char* c) const {
  if (terms[0].problem.type == DataType::kDouble) {
    for (const Term& t : terms) {
      MR_RETURN_IF_ERROR(
          RunBlocked<double>(ctx, t.problem, t.a, t.b, c, &t != &terms[0]));
    }
    return OkStatus();
  }
  int64_t work = 0;
  for (const Term& t : terms) work += WorkOf(t);
  // Threads that one product would not be worth are worth all of them.
  DnnlRun run(ctx, work);
  for (size_t i = 0; i < terms.size();) {
    MR_RETURN_IF_ERROR(ctx.CheckCancelled());
    // A long term goes alone, in parts of its own.
    size_t n = 1;
    for (work = WorkOf(terms[i]);
         i + n < terms.size() && work + WorkOf(terms[i + n]) <= kTermsAtOnce;
         ++n) {
      work += WorkOf(terms[i + n]);
    }
    const absl::Span<const Term> some = terms.subspan(i, n);
    MR_RETURN_IF_ERROR(
        ForParts(ctx, terms[i].problem, [&](int64_t row, int64_t rows) {
          return SgemmRows(run, some, row, rows, reinterpret_cast<float*>(c),
                           i > 0);
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
  MR_ASSIGN(Tensor floats,
            ctx.AllocateTemp(DataType::kFloat,
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
  MR_RETURN_IF_ERROR(RunFloat(ctx, p, fa, fb, fc, false));
  return ShardElements(ctx, c_size, 300, [&](int64_t begin, int64_t end) {
    FromFloats(p.type, fc + begin, c + begin * 2, end - begin);
  });
}

template <class T>
Status MatrixProduct::RunComplex(KernelContext& ctx, const MatrixProblem& p,
                                 const char* a, const char* b, char* c) const {
  using C = std::complex<T>;
  const int64_t a_size = MatrixCount(p.a_index, p.batches) * p.m * p.k;
  const int64_t b_size = MatrixCount(p.b_index, p.batches) * p.k * p.n;
  const int64_t c_size = p.batches * p.m * p.n;
  // Planes: re a, im a, -im a, re b, im b, re c, im c.
  MR_ASSIGN(
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
  MR_RETURN_IF_ERROR(product(a_re, b_re, c_re, false));
  MR_RETURN_IF_ERROR(product(a_minus_im, b_im, c_re, true));
  MR_RETURN_IF_ERROR(product(a_re, b_im, c_im, false));
  MR_RETURN_IF_ERROR(product(a_im, b_re, c_im, true));
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
                      reinterpret_cast<float*>(c), false);
    case DataType::kDouble:
      return RunBlocked<double>(ctx, p, a, b, c);
    case DataType::kBfloat16: {
      Status status = bfloat16_.Run(ctx, p, a, b, c);
      // Machines without AVX-512.
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
