#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/indexing/nd_index.h"
#include "millrace/ops/state/scatter.gpu.h"
#include "millrace/ops/state/variable_lookup.h"

namespace millrace::ops {
namespace {

// Places that do not exist are passed over, whatever the attribute
// bad_indices_policy says: nothing on the host knows the indices.
template <GpuScatterOp kOp>
class ScatterNdOnGpu {
 public:
  static StatusOr<ScatterNdOnGpu> Make(const KernelInit& init) {
    MR_RETURN_IF_ERROR(BadIndicesPolicy(init.node().attrs).status());
    ScatterNdOnGpu k;
    MR_ASSIGN_OR_RETURN(
        k.scatter_,
        GpuScatter::Make(init, kOp, init.input_type(2), init.input_type(1)));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(Ref<Variable> variable, VariableAt(ctx, 0));
    MR_RETURN_IF_ERROR(Scatter(ctx, *variable));
    if (ctx.num_outputs() > 0) ctx.set_output_ref(0, std::move(variable));
    return OkStatus();
  }

 private:
  Status Scatter(KernelContext& ctx, Variable& variable) const {
    const Tensor& updates = ctx.input(2);
    if (variable.dtype() != updates.dtype()) {
      return InvalidArgument("the variable has type ",
                             DataTypeName(variable.dtype()), ", the updates ",
                             DataTypeName(updates.dtype()));
    }
    WriterLock lock(variable.mu());
    if (!variable.initialized_locked()) return variable.Uninitialized();
    const TensorShape shape = variable.value_locked().shape();
    Tensor indices;
    MR_RETURN_IF_ERROR(CheckScatter(ctx.input(1), updates, shape, &indices));
    if (updates.num_elements() == 0) return OkStatus();
    MR_ASSIGN_OR_RETURN(Tensor* const target,
                        variable.MutableLocked(ctx.device().allocator()));
    const int last = indices.rank() - 1;
    DimVector dims = shape.dims();
    dims.resize(static_cast<size_t>(indices.dim(last)));
    return scatter_.Run(ctx, *target, indices,
                        indices.shape().NumElements(0, last), dims, updates);
  }

  GpuScatter scatter_;
};

// As in TensorFlow, int32 is in host memory.
#define MR_GPU_INT32_SCATTER_ND "T: int32; Tindices: int32, int64"
#define MR_GPU_ND_NUMBERS                                            \
  "T: bfloat16, complex128, complex64, double, float, half, int16, " \
  "int64, int8, uint16, uint32, uint64, uint8; Tindices: int32, int64"
#define MR_GPU_ND_PLAIN                                                    \
  "T: bfloat16, bool, complex128, complex64, double, float, half, int16, " \
  "int64, int8, uint16, uint32, uint64, uint8; Tindices: int32, int64"

}  // namespace

MR_KERNELS(ScatterNdUpdate, Gpu){
    {.types = MR_GPU_ND_PLAIN,
     .make = MakeKernel<ScatterNdOnGpu<GpuScatterOp::kReplace>>},
    {.types = MR_GPU_INT32_SCATTER_ND, .make = OnHost, .host = "*"}};
MR_KERNELS(ScatterNdAdd, Gpu){
    {.types = MR_GPU_ND_NUMBERS,
     .make = MakeKernel<ScatterNdOnGpu<GpuScatterOp::kAdd>>},
    {.types = MR_GPU_INT32_SCATTER_ND, .make = OnHost, .host = "*"}};
MR_KERNELS(ScatterNdSub, Gpu){
    {.types = MR_GPU_ND_NUMBERS,
     .make = MakeKernel<ScatterNdOnGpu<GpuScatterOp::kSubtract>>},
    {.types = MR_GPU_INT32_SCATTER_ND, .make = OnHost, .host = "*"}};
MR_KERNELS(ResourceScatterNdUpdate, Gpu){
    {.types = MR_GPU_ND_PLAIN,
     .make = MakeKernel<ScatterNdOnGpu<GpuScatterOp::kReplace>>,
     .host = "ref"},
    {.types = MR_GPU_INT32_SCATTER_ND, .make = OnHost, .host = "*"}};
MR_KERNELS(ResourceScatterNdAdd, Gpu){
    {.types = MR_GPU_ND_PLAIN,
     .make = MakeKernel<ScatterNdOnGpu<GpuScatterOp::kAdd>>,
     .host = "ref"},
    {.types = MR_GPU_INT32_SCATTER_ND, .make = OnHost, .host = "*"}};
MR_KERNELS(ResourceScatterNdSub, Gpu){
    {.types = MR_GPU_ND_PLAIN,
     .make = MakeKernel<ScatterNdOnGpu<GpuScatterOp::kSubtract>>,
     .host = "ref"},
    {.types = MR_GPU_INT32_SCATTER_ND, .make = OnHost, .host = "*"}};

}  // namespace millrace::ops
