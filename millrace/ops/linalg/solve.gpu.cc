// Kernels that solve by triangular factors, and solve triangular matrices, on
// GPUs.
#include "millrace/ops/linalg/solve.h"

#include <utility>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/linalg/factor.gpu.h"

namespace millrace::ops {
namespace {

// Asynchronous: whether there is a solution is copied to the host.
class SolveGpu {
 public:
  static StatusOr<SolveGpu> Make(const KernelInit& init) {
    SolveGpu k;
    MR_ASSIGN_OR_RETURN(k.adjoint_, init.Attr<bool>("adjoint"));
    MR_ASSIGN_OR_RETURN(k.factors_, GpuFactors::Make(init, init.input_type(0)));
    return k;
  }
  void RunAsync(KernelContext& ctx, Done done) const {
    FinishInvertible(ctx, Enqueue(ctx), "Input matrix is not invertible.",
                     std::move(done));
  }

 private:
  StatusOr<Tensor> Enqueue(KernelContext& ctx) const {
    const Tensor &a = ctx.input(0), &rhs = ctx.input(1);
    MR_ASSIGN_OR_RETURN(const SolvePlan plan, PlanSolve(a, rhs));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, plan.shape));
    if (out->num_elements() == 0) return Tensor();
    GpuLuFactors f{.count = plan.count, .n = plan.n};
    MR_ASSIGN_OR_RETURN(f.matrices,
                        factors_.Copy(ctx, a, f.count, f.n, adjoint_));
    MR_RETURN_IF_ERROR(factors_.Lu(ctx, &f));
    MR_RETURN_IF_ERROR(factors_.Solve(ctx, f, &rhs, plan.columns, out));
    return factors_.FindSingular(ctx, f);
  }

  bool adjoint_ = false;
  GpuFactors factors_;
};

class TriangularSolveGpu {
 public:
  static StatusOr<TriangularSolveGpu> Make(const KernelInit& init) {
    TriangularSolveGpu k;
    MR_ASSIGN_OR_RETURN(k.options_, TriangularOptions::Make(init));
    MR_ASSIGN_OR_RETURN(k.factors_, GpuFactors::Make(init, init.input_type(0)));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(const SolvePlan plan,
                        PlanTriangularSolve(ctx, options_));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, plan.shape));
    if (out->num_elements() == 0) return OkStatus();
    Tensor places[2];
    const Tensor* given[2] = {};  // null: each in its place
    for (int i = 0; i < 2; ++i) {
      if (plan.places[i].empty()) continue;
      MR_ASSIGN_OR_RETURN(places[i], Upload(ctx, plan.places[i]));
      given[i] = &places[i];
    }
    MR_RETURN_IF_ERROR(factors_.TakePlaces(ctx, ctx.input(1), given[1],
                                           plan.n * plan.columns, out));
    return factors_.SolveTriangles(ctx,
                                   {.matrices = &ctx.input(0),
                                    .places = given[0],
                                    .lower = options_.lower != options_.adjoint,
                                    .adjoint = options_.adjoint},
                                   plan.count, plan.n, plan.columns, out);
  }

 private:
  static StatusOr<Tensor> Upload(KernelContext& ctx,
                                 absl::Span<const int64_t> numbers) {
    return UploadToGpu(ctx, numbers.data(),
                       static_cast<int64_t>(numbers.size() * sizeof(int64_t)));
  }

  TriangularOptions options_;
  GpuFactors factors_;
};

}  // namespace

MR_KERNELS(MatrixSolve,
           Gpu){{.types = MR_MATRIX_TYPES, .make = MakeKernel<SolveGpu>}};
MR_KERNELS(MatrixTriangularSolve, Gpu){
    {.types = MR_MATRIX_TYPES, .make = MakeKernel<TriangularSolveGpu>}};
MR_KERNELS(BatchMatrixTriangularSolve, Gpu){
    {.types = MR_MATRIX_TYPES, .make = MakeKernel<TriangularSolveGpu>}};

}  // namespace millrace::ops
