#include <algorithm>

#include "millrace/graph/attr/int32_attr.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/move.h"
#include "millrace/ops/indexing/plans/one_hot.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

template <class T, class I>
Status Write(KernelContext& ctx, const OneHotForm& f, const I* indices,
             const T& on, const T& off, T* out) {
  const int64_t block = f.depth * f.inner;
  return ctx.ParallelFor(f.outer, block / 4 + f.inner + 5,
                         [&](int64_t begin, int64_t end) {
                           for (int64_t o = begin; o < end; ++o) {
                             T* to = out + o * block;
                             std::fill_n(to, block, off);
                             for (int64_t i = 0; i < f.inner; ++i) {
                               const int64_t at = indices[o * f.inner + i];
                               if (at >= 0 && at < f.depth)
                                 to[at * f.inner + i] = on;
                             }
                           }
                         });
}

struct OneHotKernel {
  static StatusOr<OneHotKernel> Make(const KernelInit& init) {
    MR_ASSIGN_OR_RETURN(int64_t axis, init.Attr<int64_t>("axis"));
    MR_RETURN_IF_ERROR(CheckInt32Attr("axis", axis));
    return OneHotKernel{axis};
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& indices = ctx.input(0);
    const Tensor& on = ctx.input(2);
    const Tensor& off = ctx.input(3);
    MR_ASSIGN_OR_RETURN(const OneHotPlan plan, PlanOneHot(ctx, axis));
    MR_ASSIGN_OR_RETURN(Tensor * out, ctx.AllocateOutput(0, plan.shape));
    if (out->num_elements() == 0) return OkStatus();
    const OneHotForm& form = plan.form;
    return DispatchBySize(on.dtype(), [&]<class T>() -> Status {
      return Dispatch<uint8_t, int8_t, int32_t, int64_t>(
          indices.dtype(), [&]<class I>() -> Status {
            return Write<T, I>(ctx, form, indices.flat<I>().data(),
                               *reinterpret_cast<const T*>(on.data()),
                               *reinterpret_cast<const T*>(off.data()),
                               reinterpret_cast<T*>(out->mutable_data()));
          });
    });
  }
  int64_t axis;
};

}  // namespace

StatusOr<OneHotPlan> PlanOneHot(KernelContext& ctx, int64_t axis) {
  const Tensor& indices = ctx.input(0);
  const Tensor& depth_tensor = ctx.input(1);
  const Tensor& on = ctx.input(2);
  const Tensor& off = ctx.input(3);
  const int rank = indices.rank();
  if (axis != -1 && (axis < 0 || axis > rank)) {
    return InvalidArgument("Expected axis to be -1 or between [0, ", rank + 1,
                           ").  But received: ", axis);
  }
  if (depth_tensor.rank() != 0) {
    return InvalidArgument("depth must be a scalar, but got: ",
                           depth_tensor.shape().DebugString());
  }
  if (on.rank() != 0) {
    return InvalidArgument("on_value must be a scalar, but got: ",
                           on.shape().DebugString());
  }
  if (off.rank() != 0) {
    return InvalidArgument("off_value must be a scalar, but got: ",
                           off.shape().DebugString());
  }
  const int64_t depth = depth_tensor.scalar<int32_t>();
  if (depth < 0)
    return InvalidArgument("depth must be non-negative, got: ", depth);
  const int at = axis == -1 ? rank : static_cast<int>(axis);
  DimVector dims = indices.shape().dims();
  dims.insert(dims.begin() + at, depth);
  OneHotPlan plan;
  MR_ASSIGN_OR_RETURN(plan.shape, TensorShape::Make(dims));
  plan.form = {indices.shape().NumElements(0, at), depth,
               indices.shape().NumElements(at, rank)};
  return plan;
}

MR_KERNELS(OneHot, Cpu){{.types = "T: " MR_ELEMENT_TYPES,
                         .make = MakeKernel<OneHotKernel>,
                         .host = "depth"}};

}  // namespace millrace::ops
