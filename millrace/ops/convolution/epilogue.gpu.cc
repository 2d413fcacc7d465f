#include "millrace/ops/convolution/epilogue.gpu.h"

MR_GPU_SOURCE(convolution_epilogue);

namespace millrace::ops {

StatusOr<GpuEpilogue> GpuEpilogue::Make(const KernelInit& init,
                                        const char* what, int first_input) {
  GpuEpilogue e;
  MR_ASSIGN_OR_RETURN(e.ops_, EpilogueOps::Read(init, what, first_input));
  e.function_ =
      LazyGpuFunction(init, MR_GPU_SOURCE_OF(convolution_epilogue), "Epilogue",
                      {{"T", GpuTypeName(init.output_type(0))},
                       {"BIAS", e.ops_.adds_bias ? "1" : "0"},
                       {"NORMALIZE", e.ops_.normalizes ? "1" : "0"},
                       {"ADD", e.ops_.adds_tensor ? "1" : "0"},
                       {"ACTIVATION", e.ops_.activation_name}});
  return e;
}

Status GpuEpilogue::Run(KernelContext& ctx, int channel_dim,
                        Tensor* out) const {
  const int64_t n = out->num_elements();
  if (n == 0) return OkStatus();
  const int64_t channels = out->dim(channel_dim);
  const int64_t inner = out->shape().NumElements(channel_dim + 1, out->rank());
  MR_RETURN_IF_ERROR(
      ops_.CheckArguments(ctx, out->dtype(), out->shape(), channels));
  MR_ASSIGN_OR_RETURN(const GpuFunction function, function_.Get());
  const auto argument = [&](int i) {
    return GpuInput(ctx.input(ops_.first_input + i));
  };
  GpuPointer offset, scale, mean, variance, added;
  if (ops_.adds_bias) {
    offset = argument(0);
  } else {
    scale = argument(0);
    offset = argument(1);
    mean = argument(2);
    variance = argument(3);
  }
  if (ops_.adds_tensor) added = GpuInput(ctx.input(ops_.added_input()));
  return LaunchGpu(ctx, function, GridOver(n), GpuOutput(*out), n, inner,
                   channels, offset, scale, mean, variance, added, ops_.epsilon,
                   ops_.alpha);
}

}  // namespace millrace::ops
