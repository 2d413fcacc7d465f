// Kernel of SparseTensorDenseMatMul on GPUs: entries are sorted by the row of
// the result that they give to, so that one thread adds up each element, in the
// order of the entries. As in TensorFlow on GPUs, an entry whose row does not
// exist is passed over, and a column that does not exist gives NaN; on CPUs
// they are errors.
#include <string>
#include <vector>

#include "millrace/device/cuda/launch.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/sparse/checks/matmul.h"
#include "millrace/ops/state/rows/row_order.gpu.h"

MR_GPU_SOURCE(sparse_matmul);

namespace millrace::ops {
namespace {

// As in the device text.
struct SparseProductArgs {
  int64_t rows = 0, columns = 0, inner = 0;
  uint64_t position_mask = 0;
  int32_t lane_bits = 0, blocks_per_row = 1;
  GpuPointer keys, begins, indices, a, b, out;
};

class SparseMatMulGpu {
 public:
  static StatusOr<SparseMatMulGpu> Make(const KernelInit& init) {
    SparseMatMulGpu k;
    MR_ASSIGN_OR_RETURN(k.adjoint_a_, init.Attr<bool>("adjoint_a"));
    MR_ASSIGN_OR_RETURN(k.adjoint_b_, init.Attr<bool>("adjoint_b"));
    MR_ASSIGN_OR_RETURN(k.order_, GpuRowOrder::Make(init, DataType::kInt64));
    const std::vector<GpuDefine> defines = {
        {"T", GpuTypeName(RemoveRef(init.input_type(1)))},
        {"I", GpuTypeName(RemoveRef(init.input_type(0)))},
        {"ADJOINT_A", k.adjoint_a_ ? "1" : "0"},
        {"ADJOINT_B", k.adjoint_b_ ? "1" : "0"}};
    const GpuSource& source = MR_GPU_SOURCE_OF(sparse_matmul);
    MR_ASSIGN_OR_RETURN(
        k.rows_, LoadGpuFunction(init, source, "RowsOfEntries", defines));
    MR_ASSIGN_OR_RETURN(k.multiply_,
                        LoadGpuFunction(init, source, "Multiply", defines));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(const SparseMatMulShape p,
                        CheckSparseMatMul(ctx, adjoint_a_, adjoint_b_));
    MR_ASSIGN_OR_RETURN(const TensorShape shape,
                        TensorShape::Make({p.rows, p.columns}));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, shape));
    if (out->num_elements() == 0) return OkStatus();
    MR_ASSIGN_OR_RETURN(Tensor rows, ctx.AllocateTemp(DataType::kInt64,
                                                      TensorShape({p.count})));
    MR_RETURN_IF_ERROR(LaunchGpu(ctx, rows_, GridOver(p.count),
                                 GpuInput(ctx.input(0)), p.count,
                                 GpuOutput(rows)));
    MR_ASSIGN_OR_RETURN(const SortedRows sorted,
                        order_.Sort(ctx, rows, p.count, {p.rows}));
    MR_ASSIGN_OR_RETURN(const Tensor begins,
                        order_.Begins(ctx, sorted, p.rows));
    const RowGrid grid = GridOverRows(p.rows, p.columns);
    return LaunchGpu(
        ctx, multiply_, grid.grid,
        SparseProductArgs{
            .rows = p.rows,
            .columns = p.columns,
            .inner = p.inner,
            .position_mask = (uint64_t{1} << sorted.position_bits) - 1,
            .lane_bits = grid.lane_bits,
            .blocks_per_row = grid.blocks_per_row,
            .keys = GpuInput(sorted.keys),
            .begins = GpuInput(begins),
            .indices = GpuInput(ctx.input(0)),
            .a = GpuInput(ctx.input(1)),
            .b = GpuInput(ctx.input(3)),
            .out = GpuOutput(*out)});
  }

 private:
  bool adjoint_a_ = false, adjoint_b_ = false;
  GpuRowOrder order_;
  GpuFunction rows_, multiply_;
};

}  // namespace

MR_KERNELS(SparseTensorDenseMatMul, Gpu){
    {.types = "T: bfloat16, complex128, complex64, double, float, half",
     .make = MakeKernel<SparseMatMulGpu>,
     .host = "a_shape"},
    kOnHostIfAsked};

}  // namespace millrace::ops
