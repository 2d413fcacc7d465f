#include <vector>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/reduction/reduce.gpu.h"

namespace millrace::ops {
namespace {

class L2LossGpu {
 public:
  static StatusOr<L2LossGpu> Make(const KernelInit& init) {
    L2LossGpu k;
    MR_ASSIGN_OR_RETURN(
        k.reducer_,
        GpuReducer::Make(init, RemoveRef(init.input_type(0)), "HalfSquareOf"));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& t = ctx.input(0);
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, TensorShape()));
    return reducer_.Reduce(
        ctx, t, std::vector<bool>(static_cast<size_t>(t.rank()), true), out);
  }

 private:
  GpuReducer reducer_;
};

}  // namespace

MR_KERNELS(L2Loss, Gpu){{.types = "T: bfloat16, double, float, half",
                         .make = MakeKernel<L2LossGpu>}};

}  // namespace millrace::ops
