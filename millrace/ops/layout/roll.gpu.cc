#include <algorithm>
#include <vector>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/mover.gpu.h"
#include "millrace/ops/layout/move_kernels.h"

namespace millrace::ops {
namespace {

// Copies a box for each combination of the two parts that a dimension that is
// shifted has.
Status RollOnGpu(KernelContext& ctx, const Mover& mover) {
  const Tensor& in = ctx.input(0);
  MR_ASSIGN_OR_RETURN(const DimVector moved,
                      PlanRoll(in, ctx.input(1), ctx.input(2)));
  std::vector<int> shifted;
  for (int d = 0; d < in.rank(); ++d) {
    if (moved[d] != 0) shifted.push_back(d);
  }
  if (shifted.empty() || in.num_elements() == 0) {
    ctx.set_output(0, ctx.TakeInput(0));
    return OkStatus();
  }
  constexpr size_t kMaxShifted = 16;
  if (shifted.size() > kMaxShifted) {
    return Unimplemented("Roll on GPUs shifts at most ", kMaxShifted,
                         " dimensions, but got ", shifted.size());
  }
  MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, in.shape()));
  const DimVector strides = RowMajorStrides(in.shape().dims());
  for (uint32_t box = 0; box < uint32_t{1} << shifted.size(); ++box) {
    StridedCopySpec spec;
    size_t next = 0;
    for (int d = 0; d < in.rank(); ++d) {
      int64_t size = in.dim(d);
      if (moved[d] != 0) {
        const int64_t kept = size - moved[d];
        if ((box >> next & 1) == 0) {
          spec.dst_offset += moved[d] * strides[d];
          size = kept;
        } else {
          spec.src_offset += kept * strides[d];
          size = moved[d];
        }
        ++next;
      }
      spec.Add(size, strides[d], strides[d]);
    }
    MR_RETURN_IF_ERROR(mover.Copy(ctx, in, out, spec));
  }
  return OkStatus();
}

}  // namespace

MR_KERNELS(Roll, Gpu){{.types = "T: " MR_GPU_TYPES ", int32",
                       .make = MakeOnGpu<MoveBy<RollOnGpu>>,
                       .host = "shift, axis"}};

}  // namespace millrace::ops
