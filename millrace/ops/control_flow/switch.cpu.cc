#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {
namespace {

Status RunSwitch(KernelContext& ctx) {
  const Tensor& pred = ctx.input(1);
  if (pred.rank() != 0) {
    return InvalidArgument(
        "The second input must be a scalar, but it has shape ",
        pred.shape().DebugString());
  }
  const int taken = pred.scalar<bool>() ? 1 : 0;
  ctx.output_edge(taken) = std::move(ctx.input_edge(0));
  ctx.set_output_dead(1 - taken);
  return OkStatus();
}

Status RunSwitchN(KernelContext& ctx) {
  MR_RETURN_IF_ERROR(CheckScalar(ctx.input(1), "The second input"));
  const int32_t index = ctx.input(1).scalar<int32_t>();
  const int last = ctx.num_outputs() - 1;
  const int taken = index < 0 || index > last ? last : index;
  for (int i = 0; i <= last; ++i) {
    if (i != taken) ctx.set_output_dead(i);
  }
  ctx.output_edge(taken) = std::move(ctx.input_edge(0));
  return OkStatus();
}

#define MR_SWITCH_TYPES                                                    \
  "T: bfloat16, bool, complex128, complex64, double, float, half, int16, " \
  "int32, int64, int8, qint32, qint8, quint8, resource, string, uint16, "  \
  "uint32, uint64, uint8, variant"

}  // namespace

MR_KERNELS(Switch, Cpu){{.types = MR_SWITCH_TYPES,
                         .make = MakeFunctionKernel<RunSwitch>,
                         .host = "pred",
                         .views = "data",
                         .cheap = true}};
MR_KERNELS(RefSwitch, Cpu){{.types = MR_SWITCH_TYPES,
                            .make = MakeFunctionKernel<RunSwitch>,
                            .host = "pred",
                            .cheap = true}};
MR_KERNELS(_SwitchN, Cpu){{.types = MR_SWITCH_TYPES,
                           .make = MakeFunctionKernel<RunSwitchN>,
                           .host = "output_index",
                           .views = "data",
                           .cheap = true}};

}  // namespace millrace::ops
