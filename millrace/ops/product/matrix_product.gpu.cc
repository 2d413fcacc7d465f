#include "millrace/ops/product/matrix_product.gpu.h"

namespace millrace::ops {
namespace {

// Returns products [begin, begin + count) of p, whose operands are `a_step` and
// `b_step` matrices apart.
StridedProduct EvenProducts(const MatrixProblem& p, GpuPointer a, GpuPointer b,
                            GpuPointer c, int64_t begin, int64_t count,
                            int64_t a_step, int64_t b_step) {
  const int64_t bytes = static_cast<int64_t>(SizeOf(p.type));
  const int64_t a_size = p.m * p.k;
  const int64_t b_size = (p.transpose_b ? p.n : p.k) * p.BStride();
  const auto at = [&](GpuPointer first, int64_t elements) {
    return GpuPointer{first.address + static_cast<uint64_t>(elements * bytes)};
  };
  return {.type = p.type,
          .m = p.m,
          .k = p.k,
          .n = p.n,
          .transpose_a = p.transpose_a,
          .transpose_b = p.transpose_b,
          .conjugate_a = p.conjugate_a,
          .conjugate_b = p.conjugate_b,
          .b_row = p.b_stride,
          .batches = count,
          .a_batch = a_step * a_size,
          .b_batch = b_step * b_size,
          .a = at(a, p.AIndex(begin) * a_size),
          .b = at(b, p.BIndex(begin) * b_size),
          .c = at(c, begin * p.m * p.n)};
}

}  // namespace

Status GpuMatrixProduct::Run(KernelContext& ctx, const MatrixProblem& p,
                             GpuPointer a, GpuPointer b, GpuPointer c) const {
  // Where operands broadcast, products whose operands are evenly spaced are
  // enqueued together.
  for (int64_t begin = 0, count; begin < p.batches; begin += count) {
    int64_t a_step = 1, b_step = 1;
    count = p.batches - begin;
    if (!p.a_index.empty() || !p.b_index.empty()) {
      count = 1;
      if (begin + 1 < p.batches) {
        a_step = p.AIndex(begin + 1) - p.AIndex(begin);
        b_step = p.BIndex(begin + 1) - p.BIndex(begin);
        while (
            a_step >= 0 && b_step >= 0 && begin + count < p.batches &&
            p.AIndex(begin + count) - p.AIndex(begin + count - 1) == a_step &&
            p.BIndex(begin + count) - p.BIndex(begin + count - 1) == b_step) {
          ++count;
        }
      }
    }
    const StridedProduct part =
        EvenProducts(p, a, b, c, begin, count, a_step, b_step);
    MR_ASSIGN_OR_RETURN(const bool done, cuda::MultiplyByLibrary(ctx, part));
    if (!done) MR_RETURN_IF_ERROR(tiled_.Run(ctx, part));
  }
  return OkStatus();
}

Status GpuMatrixProduct::RunOrZero(KernelContext& ctx, const MatrixProblem& p,
                                   GpuPointer a, GpuPointer b,
                                   GpuPointer c) const {
  if (p.batches == 0 || p.m == 0 || p.n == 0) return OkStatus();
  if (p.k > 0) return Run(ctx, p, a, b, c);
  const auto size = static_cast<int64_t>(SizeOf(p.type));
  return FillGpuBytes(ctx, c, 0, p.batches * p.m * p.n * size);
}

StatusOr<bool> GpuMatrixProduct::RunWithEpilogue(
    KernelContext& ctx, const MatrixProblem& p, GpuPointer a, GpuPointer b,
    GpuPointer c, const cuda::ProductEpilogue& epilogue) {
  return cuda::MultiplyByLibrary(ctx, EvenProducts(p, a, b, c, 0, 1, 0, 0),
                                 epilogue);
}

}  // namespace millrace::ops
