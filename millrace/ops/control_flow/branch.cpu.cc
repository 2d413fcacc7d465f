#include "millrace/kernel/kernel_decl.h"

namespace millrace {
namespace {

Status RunNoOp(KernelContext&) { return OkStatus(); }

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

// The executor runs merges itself, as it knows which input came first; this is
// what a node alone does.
Status RunMerge(KernelContext& ctx) {
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    EdgeValue& input = ctx.input_edge(i);
    if (input.is_dead || (!input.tensor.valid() && input.ref == nullptr)) {
      continue;
    }
    ctx.output_edge(0) = std::move(input);
    ctx.set_output(1, Tensor::Scalar<int32_t>(i));
    return OkStatus();
  }
  ctx.set_output_dead(0);
  ctx.set_output_dead(1);
  return OkStatus();
}

class AbortKernel {
 public:
  static StatusOr<AbortKernel> Make(const KernelInit& init) {
    AbortKernel k;
    MR_ASSIGN(k.message_, init.Attr<std::string>("error_msg"));
    MR_ASSIGN(k.without_error_, init.Attr<bool>("exit_without_error"));
    return k;
  }
  Status Run(KernelContext&) const {
    return Aborted("Abort_op intentional failure; ",
                   without_error_ ? "exit_without_error was asked" : message_);
  }

 private:
  std::string message_;
  bool without_error_ = false;
};

#define MR_SWITCH_TYPES                                                    \
  "T: bfloat16, bool, complex128, complex64, double, float, half, int16, " \
  "int32, int64, int8, qint32, qint8, quint8, resource, string, uint16, "  \
  "uint32, uint64, uint8, variant"

}  // namespace
}  // namespace millrace

namespace millrace::ops {

MR_KERNELS(NoOp, Cpu){{.make = MakeFunctionKernel<RunNoOp>, .cheap = true}};
MR_KERNELS(ControlTrigger,
           Cpu){{.make = MakeFunctionKernel<RunNoOp>, .cheap = true}};
MR_KERNELS(Abort, Cpu){{.make = MakeKernel<AbortKernel>, .cheap = true}};
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
MR_KERNELS(Merge, Cpu){{.make = MakeFunctionKernel<RunMerge>,
                        .host = "value_index",
                        .cheap = true}};
MR_KERNELS(RefMerge, Cpu){{.make = MakeFunctionKernel<RunMerge>,
                           .host = "value_index",
                           .cheap = true}};

}  // namespace millrace::ops
