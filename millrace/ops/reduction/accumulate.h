// AccumulateNV2 by a kernel of AddN, on all devices.
#pragma once

#include <utility>

#include "millrace/kernel/kernel.h"
#include "millrace/kernel/kernel_context.h"

namespace millrace::ops {

// Sums as `Sum` does what has the shape that the attribute says: who uses the
// result counts on it.
template <class Sum>
class AccumulateKernel {
 public:
  static StatusOr<AccumulateKernel> Make(const KernelInit& init) {
    AccumulateKernel k;
    MR_ASSIGN_OR_RETURN(k.shape_, init.Attr<PartialShape>("shape"));
    MR_ASSIGN_OR_RETURN(k.sum_, Sum::Make(init));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const TensorShape& shape = ctx.input(0).shape();
    if (!shape_.IsCompatibleWith(PartialShape(shape))) {
      return InvalidArgument("AccumulateNV2 sums tensors of the shape ",
                             shape_.DebugString(), ", but input 0 has shape ",
                             shape.DebugString());
    }
    return sum_.Run(ctx);
  }

 private:
  PartialShape shape_;
  Sum sum_;
};

}  // namespace millrace::ops
