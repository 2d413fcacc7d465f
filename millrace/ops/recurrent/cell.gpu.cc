#include "millrace/ops/recurrent/cell.gpu.h"

MR_GPU_SOURCE(recurrent_cell);

namespace millrace::ops {
namespace {

// As in the device text.
struct JoinArgs {
  int64_t rows = 0, input = 0, cell = 0, first_rows = 0;
  const void *x, *h, *more;
  GpuPointer to;
};

}  // namespace

StatusOr<GpuInputJoin> GpuInputJoin::Make(const KernelInit& init,
                                          DataType type) {
  GpuInputJoin join;
  join.type_ = type;
  MR_ASSIGN_OR_RETURN(join.function_,
                      LoadGpuFunction(init, MR_GPU_SOURCE_OF(recurrent_cell),
                                      "JoinRows", {{"T", GpuTypeName(type)}}));
  return join;
}

StatusOr<Tensor> GpuInputJoin::Run(KernelContext& ctx, const Rows& r) const {
  MR_ASSIGN_OR_RETURN(const TensorShape shape,
                      TensorShape::Make({r.rows, r.input + r.cell}));
  MR_ASSIGN_OR_RETURN(Tensor joined, ctx.AllocateTemp(type_, shape));
  const JoinArgs a{.rows = r.rows,
                   .input = r.input,
                   .cell = r.cell,
                   .first_rows = r.first_rows,
                   .x = r.x,
                   .h = r.h,
                   .more = r.more,
                   .to = GpuOutput(joined)};
  MR_RETURN_IF_ERROR(
      LaunchGpu(ctx, function_, GridOver(joined.num_elements()), a));
  return joined;
}

}  // namespace millrace::ops
