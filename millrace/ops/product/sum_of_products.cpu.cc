// The gradient of a parameter that is used many times, as by the steps of a
// recurrent network: products that are summed as they are computed.
#include <utility>
#include <vector>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/fused/fused_kernels.h"
#include "millrace/ops/product/matrix_product.h"

namespace millrace::ops {
namespace {

class SumOfProductsKernel {
 public:
  static StatusOr<SumOfProductsKernel> Make(const KernelInit& init) {
    SumOfProductsKernel k;
    MR_ASSIGN_OR_RETURN(k.kernels_, FusedKernels::Make(init));
    MR_ASSIGN_OR_RETURN(k.transpose_a_, init.Attr<bool>("transpose_a"));
    MR_ASSIGN_OR_RETURN(k.transpose_b_, init.Attr<bool>("transpose_b"));
    if (init.num_inputs() % 2 != 0) {
      return InvalidArgument("Factors come in pairs, but there are ",
                             init.num_inputs());
    }
    return k;
  }

  Status Run(KernelContext& ctx) const {
    std::vector<ProductTerm> terms;
    if (!FindTerms(ctx, &terms)) return kernels_.RunOneByOne(ctx);
    const MatrixProblem& first = terms[0].problem;
    MR_ASSIGN_OR_RETURN(TensorShape shape,
                        TensorShape::Make({first.m, first.n}));
    MR_ASSIGN_OR_RETURN(Tensor* const sum,
                        ctx.AllocateOutput(0, std::move(shape)));
    return product_.RunSum(ctx, terms, sum->mutable_data());
  }

 private:
  // Returns false if a product or the sum is an error, or one is empty.
  bool FindTerms(KernelContext& ctx, std::vector<ProductTerm>* terms) const {
    for (int i = 0; i < ctx.num_inputs(); i += 2) {
      const Tensor& a = ctx.input(i);
      const Tensor& b = ctx.input(i + 1);
      if (a.rank() != 2 || b.rank() != 2) return false;
      const StatusOr<MatrixProblem> p =
          ProblemOfMatrices(a, transpose_a_, b, transpose_b_);
      if (!p.ok() || p->m == 0 || p->k == 0 || p->n == 0) return false;
      terms->push_back({*p, a.data(), b.data()});
      const MatrixProblem& first = terms->front().problem;
      if (p->m != first.m || p->n != first.n) return false;
    }
    return true;
  }

  FusedKernels kernels_;
  bool transpose_a_ = false, transpose_b_ = false;
  MatrixProduct product_;
};

}  // namespace

MR_KERNELS(_SumOfProducts, Cpu){
    {.types = "T: float, double", .make = MakeKernel<SumOfProductsKernel>}};

}  // namespace millrace::ops
