#include <algorithm>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/move.h"
#include "millrace/ops/array/shape_rules.op.h"
#include "millrace/ops/layout/move_kernels.h"

namespace millrace::ops {

StatusOr<DimVector> PlanRoll(const Tensor& in, const Tensor& shifts,
                             const Tensor& axes) {
  const int rank = in.rank();
  if (rank < 1) return InvalidArgument("input must be 1-D or higher");
  if (shifts.rank() > 1) {
    return InvalidArgument("shift must be a scalar or a 1-D vector. Found: ",
                           shifts.shape().DebugString());
  }
  if (axes.rank() > 1) {
    return InvalidArgument("axis must be a scalar or a 1-D vector. Found: ",
                           axes.shape().DebugString());
  }
  if (!(shifts.shape() == axes.shape())) {
    return InvalidArgument("shift and axis must have the same size");
  }
  DimVector moved(static_cast<size_t>(rank));
  for (int64_t i = 0; i < axes.num_elements(); ++i) {
    int64_t axis = IntAt(axes, i);
    if (axis < 0) axis += rank;
    if (axis < 0 || axis >= rank)
      return InvalidArgument("axis ", axis, " is out of range");
    const int64_t size = std::max<int64_t>(in.dim(static_cast<int>(axis)), 1);
    moved[axis] =
        ((moved[axis] + IntAt(shifts, i) % size) % size + size) % size;
  }
  return moved;
}

namespace {

Status RollKernel(KernelContext& ctx) {
  const Tensor& in = ctx.input(0);
  MR_ASSIGN_OR_RETURN(const DimVector moved,
                      PlanRoll(in, ctx.input(1), ctx.input(2)));
  int last = in.rank() - 1;
  while (last >= 0 && moved[last] == 0) --last;
  if (last < 0 || in.num_elements() == 0) {
    ctx.set_output(0, ctx.TakeInput(0));
    return OkStatus();
  }
  MR_ASSIGN_OR_RETURN(Tensor * out, ctx.AllocateOutput(0, in.shape()));
  // A row extends from the last dimension that is shifted to the end; it is
  // copied as two runs.
  const DimVector dims = in.shape().dims();
  const DimVector strides = RowMajorStrides(dims);
  const DimVector row_dims(dims.begin(), dims.begin() + last);
  const int64_t row = dims[last] * strides[last];
  const int64_t split = moved[last] * strides[last];
  const int64_t rows = in.num_elements() / row;
  const DataType type = in.dtype();
  const char* src = in.data();
  char* dst = out->mutable_data();
  return ctx.ParallelFor(
      rows, MoveCost(type, row) + 10, [&](int64_t begin, int64_t end) {
        DimVector at = Coordinates(begin, row_dims);
        for (int64_t r = begin; r < end; ++r) {
          int64_t from = 0;
          for (int d = 0; d < last; ++d) {
            const int64_t i = at[d] - moved[d];
            from += (i < 0 ? i + dims[d] : i) * strides[d];
          }
          const int64_t to = r * row;
          CopyElements(type, src, from, dst, to + split, row - split);
          CopyElements(type, src, from + row - split, dst, to, split);
          for (int d = last - 1; d >= 0 && ++at[d] == dims[d]; --d) at[d] = 0;
        }
      });
}

}  // namespace

MR_KERNELS(Roll, Cpu){{.types = "T: " MR_ELEMENT_TYPES,
                       .make = MakeFunctionKernel<RollKernel>,
                       .host = "shift, axis"}};

}  // namespace millrace::ops
