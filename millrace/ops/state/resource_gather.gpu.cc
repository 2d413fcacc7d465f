#include "millrace/ops/state/resource_gather.h"

#include <algorithm>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/state/rows/row_order.gpu.h"
#include "millrace/ops/state/variable_lookup.h"

MR_GPU_SOURCE(state_resource_gather);

namespace millrace::ops {
namespace {

constexpr int64_t kPieceBytes = 16;

// As in TensorFlow on GPUs, a row that does not exist is one of zeros.
class ResourceGatherOnGpu {
 public:
  static StatusOr<ResourceGatherOnGpu> Make(const KernelInit& init) {
    ResourceGatherOnGpu k;
    MR_ASSIGN_OR_RETURN(k.dtype_, init.Attr<DataType>("dtype"));
    MR_ASSIGN_OR_RETURN(k.batch_dims_, ResourceGatherBatchDims(init));
    const std::vector<GpuDefine> defines = {
        {"T", GpuNameOfSize(k.dtype_)},
        {"INDEX", GpuTypeName(init.input_type(1))}};
    const GpuSource& source = MR_GPU_SOURCE_OF(state_resource_gather);
    MR_ASSIGN_OR_RETURN(k.gather_,
                        LoadGpuFunction(init, source, "Gather", defines));
    MR_ASSIGN_OR_RETURN(k.gather_pieces_,
                        LoadGpuFunction(init, source, "GatherPieces", defines));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(const Ref<Variable> variable, LookupVariable(ctx, 0));
    if (variable->dtype() != dtype_) {
      return InvalidArgument(
          "Trying to read variable with wrong dtype. Expected ",
          DataTypeName(variable->dtype()), " got ", DataTypeName(dtype_));
    }
    // Updates that are enqueued later do not change what is read here, so the
    // buffer need not be held, and they need not copy it.
    ReaderLock lock(variable->mu());
    if (!variable->initialized_locked()) return variable->Uninitialized();
    const Tensor& params = variable->value_locked();
    const TensorShape& shape = params.shape();
    const Tensor& indices = ctx.input(1);
    MR_ASSIGN_OR_RETURN(
        TensorShape result,
        ResourceGatherShape(shape, indices.shape(), batch_dims_));
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, std::move(result)));
    if (out->num_elements() == 0) return OkStatus();
    const int batch = static_cast<int>(batch_dims_);
    const int64_t count = indices.num_elements();
    const int64_t per_batch = count / shape.NumElements(0, batch);
    const int64_t limit = shape.dim(batch);
    const int64_t elements = shape.NumElements(batch + 1, shape.rank());
    const int64_t bytes = elements * static_cast<int64_t>(SizeOf(dtype_));
    const bool pieces =
        bytes % kPieceBytes == 0 &&
        (params.num_elements() == 0 || params.address() % kPieceBytes == 0) &&
        out->address() % kPieceBytes == 0;
    const int64_t moved = pieces ? bytes / kPieceBytes : elements;
    const RowGrid grid = GridOverRows(count, moved);
    return LaunchGpu(ctx, pieces ? gather_pieces_ : gather_, grid.grid,
                     GpuInput(params), GpuInput(indices), count, per_batch,
                     limit, moved, grid.lane_bits, grid.blocks_per_row,
                     GpuOutput(*out));
  }

 private:
  DataType dtype_ = DataType::kInvalid;
  int64_t batch_dims_ = 0;
  GpuFunction gather_, gather_pieces_;
};

// Variables of these types are in host memory.
#define MR_HOST_GATHER_TYPES "dtype: int32, variant; Tindices: int32, int64"
#define MR_GPU_GATHER_TYPES                                                    \
  "dtype: bfloat16, bool, complex128, complex64, double, float, half, int16, " \
  "int64, int8, uint16, uint32, uint64, uint8; Tindices: int32, int64"

}  // namespace

MR_KERNELS(ResourceGather, Gpu){
    {.types = MR_GPU_GATHER_TYPES,
     .make = MakeKernel<ResourceGatherOnGpu>,
     .host = "resource"},
    {.types = MR_HOST_GATHER_TYPES, .make = OnHost, .host = "*"}};

}  // namespace millrace::ops
