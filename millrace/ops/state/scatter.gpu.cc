#include "millrace/ops/state/scatter.gpu.h"

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/state/row_index.h"
#include "millrace/ops/state/variable_lookup.h"

MR_GPU_SOURCE(state_scatter);

namespace millrace::ops {
namespace {

const char* NameInText(GpuScatterOp op) {
  switch (op) {
    case GpuScatterOp::kReplace:
      return "ReplaceOp";
    case GpuScatterOp::kAdd:
      return "AddOp";
    case GpuScatterOp::kSubtract:
      return "SubtractOp";
    case GpuScatterOp::kMultiply:
      return "MultiplyOp";
    case GpuScatterOp::kDivide:
      return "DivideOp";
    case GpuScatterOp::kSmaller:
      return "SmallerOp";
    case GpuScatterOp::kLarger:
      return "LargerOp";
  }
  return "";
}

// Returns the type of elements in the text: of their size if they are only
// moved, and unsigned if integers wrap around, so that types share code.
const char* TypeInText(GpuScatterOp op, DataType type) {
  const bool wraps = op == GpuScatterOp::kAdd ||
                     op == GpuScatterOp::kSubtract ||
                     op == GpuScatterOp::kMultiply;
  return op == GpuScatterOp::kReplace || (wraps && IsInteger(type))
             ? GpuNameOfSize(type)
             : GpuTypeName(type);
}

template <GpuScatterOp kOp>
class ScatterOnGpu {
 public:
  static StatusOr<ScatterOnGpu> Make(const KernelInit& init) {
    ScatterOnGpu k;
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
    const Tensor& indices = ctx.input(1);
    const Tensor& updates = ctx.input(2);
    if (variable.dtype() != updates.dtype()) {
      return InvalidArgument(
          "DType of scatter resource and updates does not match: ",
          DataTypeName(variable.dtype()), " and ",
          DataTypeName(updates.dtype()));
    }
    WriterLock lock(variable.mu());
    if (!variable.initialized_locked()) return variable.Uninitialized();
    const TensorShape shape = variable.value_locked().shape();
    MR_RETURN_IF_ERROR(
        CheckRowUpdates(ctx.ref_input(0) == nullptr, indices, updates, shape));
    MR_ASSIGN_OR_RETURN(Tensor* const target,
                        variable.MutableLocked(ctx.device().allocator()));
    const int64_t dims[] = {shape.dim(0)};
    return scatter_.Run(ctx, *target, indices, indices.num_elements(), dims,
                        updates);
  }

  GpuScatter scatter_;
};

}  // namespace

StatusOr<GpuScatter> GpuScatter::Make(const KernelInit& init, GpuScatterOp op,
                                      DataType type, DataType index_type) {
  GpuScatter made;
  MR_ASSIGN_OR_RETURN(made.order_, GpuRowOrder::Make(init, index_type));
  MR_ASSIGN_OR_RETURN(
      made.scatter_,
      LoadGpuFunction(init, MR_GPU_SOURCE_OF(state_scatter), "Scatter",
                      {{"T", TypeInText(op, type)}, {"OP", NameInText(op)}}));
  return made;
}

Status GpuScatter::Run(KernelContext& ctx, Tensor& target,
                       const Tensor& indices, int64_t count,
                       absl::Span<const int64_t> dims,
                       const Tensor& updates) const {
  const int64_t elements =
      target.shape().NumElements(static_cast<int>(dims.size()), target.rank());
  if (count == 0 || target.num_elements() == 0) return OkStatus();
  MR_ASSIGN_OR_RETURN(const SortedRows rows,
                      order_.Sort(ctx, indices, count, dims));
  const RowGrid grid = GridOverRows(count, elements);
  const bool scalar = updates.rank() == 0;
  return LaunchGpu(ctx, scatter_, grid.grid, GpuOutput(target),
                   GpuInput(updates), scalar, GpuInput(rows.keys), count,
                   rows.position_bits, elements, grid.lane_bits,
                   grid.blocks_per_row);
}

Status GpuScatter::RunByPlace(KernelContext& ctx, Tensor& target,
                              const Tensor& places,
                              const Tensor& updates) const {
  const int64_t dims[] = {target.num_elements()};
  const int64_t count = places.num_elements();
  Tensor elements = target.Reshaped(TensorShape({dims[0]}));
  return Run(ctx, elements, places, count, dims,
             updates.Reshaped(TensorShape({count})));
}

// As in TensorFlow, reference variables of int32 are on CPUs; resources of that
// type are in host memory.
#define MR_GPU_INT32_SCATTER "dtype: int32; Tindices: int32, int64"
#define MR_GPU_INDEX_TYPES "; Tindices: int32, int64"
#define MR_GPU_SCATTER_REALS                                            \
  "bfloat16, double, float, half, int16, int64, int8, uint16, uint32, " \
  "uint64, uint8" MR_GPU_INDEX_TYPES
#define MR_GPU_SCATTER_NUMBERS "complex128, complex64, " MR_GPU_SCATTER_REALS
#define MR_GPU_SCATTER_PLAIN "bool, " MR_GPU_SCATTER_NUMBERS
#define MR_GPU_SCATTER_SIZES \
  "bfloat16, double, float, half, int64" MR_GPU_INDEX_TYPES

MR_KERNELS(ScatterAdd,
           Gpu){{.types = "T: " MR_GPU_SCATTER_NUMBERS,
                 .make = MakeKernel<ScatterOnGpu<GpuScatterOp::kAdd>>}};
MR_KERNELS(ResourceScatterAdd, Gpu){
    {.types = "dtype: " MR_GPU_SCATTER_NUMBERS,
     .make = MakeKernel<ScatterOnGpu<GpuScatterOp::kAdd>>,
     .host = "resource"},
    {.types = MR_GPU_INT32_SCATTER, .make = OnHost, .host = "*"}};
MR_KERNELS(ScatterSub,
           Gpu){{.types = "T: " MR_GPU_SCATTER_NUMBERS,
                 .make = MakeKernel<ScatterOnGpu<GpuScatterOp::kSubtract>>}};
MR_KERNELS(ResourceScatterSub, Gpu){
    {.types = "dtype: " MR_GPU_SCATTER_NUMBERS,
     .make = MakeKernel<ScatterOnGpu<GpuScatterOp::kSubtract>>,
     .host = "resource"},
    {.types = MR_GPU_INT32_SCATTER, .make = OnHost, .host = "*"}};
MR_KERNELS(ScatterMul,
           Gpu){{.types = "T: " MR_GPU_SCATTER_NUMBERS,
                 .make = MakeKernel<ScatterOnGpu<GpuScatterOp::kMultiply>>}};
MR_KERNELS(ResourceScatterMul, Gpu){
    {.types = "dtype: " MR_GPU_SCATTER_NUMBERS,
     .make = MakeKernel<ScatterOnGpu<GpuScatterOp::kMultiply>>,
     .host = "resource"},
    {.types = MR_GPU_INT32_SCATTER, .make = OnHost, .host = "*"}};
MR_KERNELS(ScatterDiv,
           Gpu){{.types = "T: " MR_GPU_SCATTER_NUMBERS,
                 .make = MakeKernel<ScatterOnGpu<GpuScatterOp::kDivide>>}};
MR_KERNELS(ResourceScatterDiv, Gpu){
    {.types = "dtype: " MR_GPU_SCATTER_NUMBERS,
     .make = MakeKernel<ScatterOnGpu<GpuScatterOp::kDivide>>,
     .host = "resource"},
    {.types = MR_GPU_INT32_SCATTER, .make = OnHost, .host = "*"}};
MR_KERNELS(ScatterMin,
           Gpu){{.types = "T: " MR_GPU_SCATTER_SIZES,
                 .make = MakeKernel<ScatterOnGpu<GpuScatterOp::kSmaller>>}};
MR_KERNELS(ResourceScatterMin, Gpu){
    {.types = "dtype: " MR_GPU_SCATTER_REALS,
     .make = MakeKernel<ScatterOnGpu<GpuScatterOp::kSmaller>>,
     .host = "resource"},
    {.types = MR_GPU_INT32_SCATTER, .make = OnHost, .host = "*"}};
MR_KERNELS(ScatterMax,
           Gpu){{.types = "T: " MR_GPU_SCATTER_SIZES,
                 .make = MakeKernel<ScatterOnGpu<GpuScatterOp::kLarger>>}};
MR_KERNELS(ResourceScatterMax, Gpu){
    {.types = "dtype: " MR_GPU_SCATTER_REALS,
     .make = MakeKernel<ScatterOnGpu<GpuScatterOp::kLarger>>,
     .host = "resource"},
    {.types = MR_GPU_INT32_SCATTER, .make = OnHost, .host = "*"}};
MR_KERNELS(ScatterUpdate,
           Gpu){{.types = "T: " MR_GPU_SCATTER_PLAIN,
                 .make = MakeKernel<ScatterOnGpu<GpuScatterOp::kReplace>>}};
MR_KERNELS(ResourceScatterUpdate, Gpu){
    {.types = "dtype: " MR_GPU_SCATTER_PLAIN,
     .make = MakeKernel<ScatterOnGpu<GpuScatterOp::kReplace>>,
     .host = "resource"},
    {.types = "dtype: int32, variant" MR_GPU_INDEX_TYPES,
     .make = OnHost,
     .host = "*"}};

}  // namespace millrace::ops
