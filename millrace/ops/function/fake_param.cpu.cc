#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/move.h"

namespace millrace::ops {
namespace {

// Gives zeros, empty strings or null handles. Sizes that are not known are 0,
// as is the rank.
class FakeParamKernel {
 public:
  static StatusOr<FakeParamKernel> Make(const KernelInit& init) {
    MR_ASSIGN_OR_RETURN(const PartialShape shape,
                        init.Attr<PartialShape>("shape"));
    DimVector dims;
    if (shape.known_rank())
      dims.assign(shape.dims().begin(), shape.dims().end());
    for (int64_t& dim : dims) {
      if (dim == kUnknownDim) dim = 0;
    }
    FakeParamKernel k;
    MR_ASSIGN_OR_RETURN(k.shape_, TensorShape::Make(absl::MakeConstSpan(dims)));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, shape_));
    return ZeroTensor(ctx, out);
  }

 private:
  TensorShape shape_;
};

}  // namespace

MR_KERNELS(FakeParam, Cpu){{.make = MakeKernel<FakeParamKernel>}};

}  // namespace millrace::ops
