#include <algorithm>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/state/rows/row_order.gpu.h"
#include "millrace/ops/state/variable_lookup.h"

MR_GPU_SOURCE(state_assign_update);

namespace millrace::ops {
namespace {

enum class GpuChange { kAdd, kSubtract };

template <GpuChange kChange>
class AssignUpdateOnGpu {
 public:
  static StatusOr<AssignUpdateOnGpu> Make(const KernelInit& init) {
    AssignUpdateOnGpu k;
    const DataType type = init.input_type(1);
    MR_ASSIGN_OR_RETURN(
        k.change_,
        LoadGpuFunction(
            init, MR_GPU_SOURCE_OF(state_assign_update), "Change",
            // Integers wrap around.
            {{"T", IsInteger(type) ? GpuNameOfSize(type) : GpuTypeName(type)},
             {"SUBTRACT", kChange == GpuChange::kSubtract ? "1" : "0"}}));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(Ref<Variable> variable, VariableAt(ctx, 0));
    MR_RETURN_IF_ERROR(Update(ctx, *variable));
    if (ctx.num_outputs() > 0) ctx.set_output_ref(0, std::move(variable));
    return OkStatus();
  }

 private:
  Status Update(KernelContext& ctx, Variable& variable) const {
    const Tensor& value = ctx.input(1);
    if (variable.dtype() != value.dtype()) {
      return InvalidArgument(
          "DType of variable handle and value does not match: ",
          DataTypeName(variable.dtype()), " and ", DataTypeName(value.dtype()));
    }
    WriterLock lock(variable.mu());
    MR_RETURN_IF_ERROR(CheckUpdateShape(ctx, variable, value));
    MR_ASSIGN_OR_RETURN(Tensor* const target,
                        variable.MutableLocked(ctx.device().allocator()));
    const int64_t n = value.num_elements();
    if (n == 0) return OkStatus();
    const int64_t of_pack = 16 / static_cast<int64_t>(SizeOf(value.dtype()));
    const bool aligned = (target->address() | value.address()) % 16 == 0;
    const int64_t packs = aligned ? n / of_pack : 0;
    return LaunchGpu(ctx, change_,
                     GridOver(std::max(packs, n - packs * of_pack)),
                     GpuOutput(*target), GpuInput(value), packs, n);
  }

  GpuFunction change_;
};

// As in TensorFlow, reference variables of int32 are on CPUs; resources of that
// type are in host memory.
#define MR_GPU_INT32_ASSIGN_UPDATE "dtype: int32"
#define MR_GPU_UPDATE_TYPES                                              \
  "bfloat16, complex128, complex64, double, float, half, int16, int64, " \
  "int8, uint16, uint32, uint64, uint8"

}  // namespace

MR_KERNELS(AssignAdd,
           Gpu){{.types = "T: " MR_GPU_UPDATE_TYPES,
                 .make = MakeKernel<AssignUpdateOnGpu<GpuChange::kAdd>>}};
MR_KERNELS(AssignSub,
           Gpu){{.types = "T: " MR_GPU_UPDATE_TYPES,
                 .make = MakeKernel<AssignUpdateOnGpu<GpuChange::kSubtract>>}};
MR_KERNELS(AssignAddVariableOp, Gpu){
    {.types = "dtype: " MR_GPU_UPDATE_TYPES,
     .make = MakeKernel<AssignUpdateOnGpu<GpuChange::kAdd>>,
     .host = "resource"},
    {.types = MR_GPU_INT32_ASSIGN_UPDATE, .make = OnHost, .host = "*"}};
MR_KERNELS(AssignSubVariableOp, Gpu){
    {.types = "dtype: " MR_GPU_UPDATE_TYPES,
     .make = MakeKernel<AssignUpdateOnGpu<GpuChange::kSubtract>>,
     .host = "resource"},
    {.types = MR_GPU_INT32_ASSIGN_UPDATE, .make = OnHost, .host = "*"}};

}  // namespace millrace::ops
