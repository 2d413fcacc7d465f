#include <vector>

#include "millrace/ops/layout/move_kernels.h"

namespace millrace::ops {

Status CutAlong(KernelContext& ctx, const Mover& mover, int input, int axis,
                absl::Span<const int64_t> sizes, const CutOptions& options) {
  const Tensor& in = ctx.input(input);
  const bool may_share =
      axis == 0 && (in.rank() > 1 || !in.is_view() || options.shares_vector);
  const int64_t outer = in.shape().NumElements(0, axis);
  const int64_t inner = in.shape().NumElements(axis + 1, in.rank());
  const int64_t row = in.dim(axis) * inner;
  int64_t begin = 0;
  std::vector<Mover::Piece> pieces;
  for (int i = 0; i < static_cast<int>(sizes.size()); ++i) {
    DimVector dims = in.shape().dims();
    dims[axis] = sizes[i];
    if (options.drops_axis) dims.erase(dims.begin() + axis);
    TensorShape shape{absl::Span<const int64_t>(dims)};
    Tensor shared;
    if (may_share && ShareRows(in, begin, begin + sizes[i], &shared)) {
      ctx.set_output(i, options.drops_axis ? shared.Reshaped(std::move(shape))
                                           : std::move(shared));
    } else {
      MR_ASSIGN_OR_RETURN(Tensor * out,
                          ctx.AllocateOutput(i, std::move(shape)));
      if (out->num_elements() > 0) {
        pieces.push_back({begin * inner, sizes[i] * inner, out});
      }
    }
    begin += sizes[i];
  }
  if (pieces.empty()) return OkStatus();
  MR_RETURN_IF_ERROR(ctx.BindInput(input));
  return mover.Split(ctx, in, outer, row, pieces);
}

}  // namespace millrace::ops
