// A product plus its bias, split into parts: the gates of a recurrent cell. The
// bias is added while the parts are written.
#include <algorithm>
#include <optional>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "millrace/base/target_clones.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/fused/fused_kernels.h"
#include "millrace/ops/product/matrix_product.h"

namespace millrace::ops {
// Function clones need external linkage.
namespace split_product {

MR_TARGET_CLONES void AddBias(const float* x, const float* bias, float* z,
                              int64_t n) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) z[i] = x[i] + bias[i];
}

}  // namespace split_product

namespace {

class SplitProductKernel {
 public:
  static StatusOr<SplitProductKernel> Make(const KernelInit& init) {
    SplitProductKernel k;
    MR_ASSIGN_OR_RETURN(k.kernels_, FusedKernels::Make(init));
    MR_ASSIGN_OR_RETURN(k.transpose_a_, init.Attr<bool>("transpose_a"));
    MR_ASSIGN_OR_RETURN(k.transpose_b_, init.Attr<bool>("transpose_b"));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const std::optional<MatrixProblem> p = FindProblem(ctx);
    if (!p) return kernels_.RunOneByOne(ctx);
    MR_ASSIGN_OR_RETURN(
        Tensor product,
        ctx.AllocateTemp(DataType::kFloat, TensorShape({p->m, p->n})));
    const int64_t width = p->n / ctx.num_outputs();
    absl::InlinedVector<float*, 4> outputs;
    for (int i = 0; i < ctx.num_outputs(); ++i) {
      MR_ASSIGN_OR_RETURN(Tensor* const out,
                          ctx.AllocateOutput(i, TensorShape({p->m, width})));
      outputs.push_back(out->mutable_flat<float>().data());
    }
    const float* const x = product.flat<float>().data();
    const float* const bias = ctx.input(2).flat<float>().data();
    return product_.RunInParts(
        ctx, *p, ctx.input(0).data(), ctx.input(1).data(),
        product.mutable_data(), [&](const ProductPart& part) {
          const int64_t end = part.column + part.columns;
          for (int64_t row = part.row; row < part.row + part.rows; ++row) {
            const float* const from = x + row * p->n;
            // Continues to the end of the part or of the output.
            for (int64_t at = part.column, next; at < end; at = next) {
              const int64_t output = at / width, first = output * width;
              next = std::min(end, first + width);
              split_product::AddBias(from + at, bias + at,
                                     outputs[output] + row * width + at - first,
                                     next - at);
            }
          }
        });
  }

 private:
  // Returns nothing if an op is an error or has nothing to do, and for a Split
  // along the rows.
  std::optional<MatrixProblem> FindProblem(KernelContext& ctx) const {
    const Tensor &a = ctx.input(0), &b = ctx.input(1), &bias = ctx.input(2);
    const Tensor& dim = ctx.input(3);
    if (a.rank() != 2 || b.rank() != 2 || bias.rank() != 1 || dim.rank() != 0 ||
        (dim.scalar<int32_t>() != 1 && dim.scalar<int32_t>() != -1)) {
      return std::nullopt;
    }
    const StatusOr<MatrixProblem> p =
        ProblemOfMatrices(a, transpose_a_, b, transpose_b_);
    if (!p.ok() || p->m == 0 || p->k == 0 || p->n == 0 || bias.dim(0) != p->n ||
        p->n % ctx.num_outputs() != 0) {
      return std::nullopt;
    }
    return *p;
  }

  FusedKernels kernels_;
  bool transpose_a_ = false, transpose_b_ = false;
  MatrixProduct product_;
};

}  // namespace

MR_KERNELS(_SplitProduct, Cpu){{.types = "T: float",
                                .make = MakeKernel<SplitProductKernel>,
                                .host = "split_dim"}};

}  // namespace millrace::ops
