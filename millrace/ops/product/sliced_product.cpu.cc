// A part of a matrix product whose rest is not read. The gradient of the state
// of a recurrent network is one: the gradient of [x, h] W is computed for h
// alone.
//
// The steps of the network share W. oneDNN multiplies by a matrix in place at
// the peak of the machine, and copies a transposed one first (32 x 512 times
// 512 x 128: 36 and 58 us on a core), so W is transposed once for all of them.
#include <optional>
#include <utility>
#include <vector>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/move.h"
#include "millrace/ops/fused/fused_kernels.h"
#include "millrace/ops/product/matrix_product.h"

namespace millrace::ops {
namespace {

class SlicedProductKernel {
 public:
  static StatusOr<SlicedProductKernel> Make(const KernelInit& init) {
    SlicedProductKernel k;
    MR_ASSIGN_OR_RETURN(k.kernels_, FusedKernels::Make(init));
    MR_ASSIGN_OR_RETURN(k.transpose_a_, init.Attr<bool>("transpose_a"));
    MR_ASSIGN_OR_RETURN(k.transpose_b_, init.Attr<bool>("transpose_b"));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    std::optional<Part> part = FindPart(ctx);
    if (!part) return kernels_.RunOneByOne(ctx);
    const MatrixProblem& p = part->problem;
    MR_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make({p.m, p.n}));
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, std::move(shape)));
    return product_.Run(ctx, p, part->a, part->b, out->mutable_data());
  }

 private:
  // The part as a product of whole rows of the operands in place.
  struct Part {
    MatrixProblem problem;
    const char *a, *b;
  };

  // Returns the transposed b, or null if there is none.
  const Tensor* TransposedB(KernelContext& ctx, const MatrixProblem& p) const {
    if (ctx.num_inputs() < 5 || !transpose_b_) return nullptr;
    const Tensor& t = ctx.input(4);
    return t.dtype() == DataType::kFloat && t.rank() == 2 && t.dim(0) == p.k &&
                   t.dim(1) == p.n
               ? &t
               : nullptr;
  }

  // Returns nothing if the product or the slice is an error or empty, and if
  // the part needs columns of an operand.
  std::optional<Part> FindPart(KernelContext& ctx) const {
    const Tensor &a = ctx.input(0), &b = ctx.input(1);
    if (a.rank() != 2 || b.rank() != 2) return std::nullopt;
    StatusOr<MatrixProblem> p =
        ProblemOfMatrices(a, transpose_a_, b, transpose_b_);
    if (!p.ok() || p->k == 0) return std::nullopt;
    const Tensor &begin = ctx.input(2), &size = ctx.input(3);
    if (begin.rank() != 1 || size.rank() != 1 || begin.num_elements() != 2 ||
        size.num_elements() != 2) {
      return std::nullopt;
    }
    const std::vector<int64_t> from = IntValues(begin);
    std::vector<int64_t> n = IntValues(size);
    const int64_t whole[] = {p->m, p->n};
    const bool by_rows[] = {!transpose_a_, transpose_b_};
    for (int i = 0; i < 2; ++i) {
      if (from[i] < 0 || from[i] > whole[i]) return std::nullopt;
      if (n[i] == -1) n[i] = whole[i] - from[i];
      if (n[i] <= 0 || n[i] > whole[i] - from[i]) return std::nullopt;
      if (n[i] != whole[i] && !by_rows[i]) return std::nullopt;
    }
    const int64_t bytes = static_cast<int64_t>(SizeOf(a.dtype()));
    Part part{*p, a.data(), b.data()};
    part.problem.m = n[0];
    part.problem.n = n[1];
    if (by_rows[0]) part.a += from[0] * p->k * bytes;
    if (const Tensor* const transposed = TransposedB(ctx, *p)) {
      part.problem.transpose_b = false;
      part.problem.b_stride = p->n;
      part.b = transposed->data() + from[1] * bytes;
    } else if (by_rows[1]) {
      part.b += from[1] * p->k * bytes;
    }
    return part;
  }

  FusedKernels kernels_;
  bool transpose_a_ = false, transpose_b_ = false;
  MatrixProduct product_;
};

Status TransposeMatrix(KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  if (x.rank() != 2) return ctx.AllocateOutput(0, TensorShape({0, 0})).status();
  const int64_t rows = x.dim(0), columns = x.dim(1);
  MR_ASSIGN_OR_RETURN(Tensor* const y,
                      ctx.AllocateOutput(0, TensorShape({columns, rows})));
  if (y->num_elements() == 0) return OkStatus();
  StridedCopySpec spec;
  spec.Add(columns, 1, rows);
  spec.Add(rows, columns, 1);
  return StridedCopy(ctx, x.dtype(), x.data(), y->mutable_data(), spec);
}

}  // namespace

MR_KERNELS(_SlicedProduct, Cpu){{.types = "T: half, bfloat16, float, double",
                                 .make = MakeKernel<SlicedProductKernel>,
                                 .host = "begin, size"}};
// Declared cheap; otherwise it would run on a thread of its own beside the
// first products, which need all cores.
MR_KERNELS(_TransposedMatrix, Cpu){{.types = "T: float",
                                    .make = MakeFunctionKernel<TransposeMatrix>,
                                    .cheap = true}};

}  // namespace millrace::ops
