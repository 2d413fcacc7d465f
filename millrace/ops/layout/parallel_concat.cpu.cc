#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/move.h"

namespace millrace::ops {
namespace {

class ParallelConcatKernel {
 public:
  static StatusOr<ParallelConcatKernel> Make(const KernelInit& init) {
    ParallelConcatKernel k;
    MR_ASSIGN_OR_RETURN(const PartialShape shape,
                        init.Attr<PartialShape>("shape"));
    MR_ASSIGN_OR_RETURN(k.shape_, shape.AsTensorShape());
    if (k.shape_.rank() == 0) {
      return InvalidArgument("shape must have at least one dimension");
    }
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const int n = ctx.num_inputs();
    if (n > shape_.dim(0)) {
      return InvalidArgument("0th dimension of value = ", shape_.dim(0),
                             " must be greater than loc_ = ", shape_.dim(0));
    }
    DimVector dims = shape_.dims();
    dims[0] = 1;
    const TensorShape row = TensorShape(absl::MakeConstSpan(dims));
    for (int i = 0; i < n; ++i) {
      if (ctx.input(i).shape() == row) continue;
      return InvalidArgument("Each value must have the shape of a row, ",
                             row.DebugString(), ", but values[", i, "] has ",
                             ctx.input(i).shape().DebugString());
    }
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, shape_));
    if (n < shape_.dim(0)) MR_RETURN_IF_ERROR(ZeroTensor(ctx, out));
    const int64_t elements = row.num_elements();
    if (elements == 0) return OkStatus();
    char* const to = out->mutable_data();
    return ctx.ParallelFor(n, 10 + MoveCost(out->dtype(), elements),
                           [&](int64_t begin, int64_t end) {
                             for (int64_t i = begin; i < end; ++i) {
                               CopyElements(
                                   ctx.output_type(0),
                                   ctx.input(static_cast<int>(i)).data(), 0, to,
                                   i * elements, elements);
                             }
                           });
  }

 private:
  TensorShape shape_;
};

}  // namespace

MR_KERNELS(ParallelConcat, Cpu){{.types = "T: " MR_PLAIN_AND_STRING_TYPES,
                                 .make = MakeKernel<ParallelConcatKernel>}};

}  // namespace millrace::ops
