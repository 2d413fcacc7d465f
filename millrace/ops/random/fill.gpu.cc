#include "millrace/ops/random/fill.gpu.h"

MR_GPU_SOURCE(random_fill);

namespace millrace::ops {
namespace {

const char* EntryOf(Distribution distribution) {
  switch (distribution) {
    case Distribution::kUniform:
      return "Uniform";
    case Distribution::kNormal:
      return "Normal";
    case Distribution::kTruncated:
      return "Truncated";
  }
  return "";
}

// Returns a grid with a thread for each group of numbers.
GpuGrid GridOfGroups(const Tensor& out) {
  const int64_t group = SizeOf(out.dtype()) == 8 ? 2 : 4;
  return GridOver((out.num_elements() + group - 1) / group);
}

}  // namespace

StatusOr<GpuRandomFill> GpuRandomFill::Make(const KernelInit& init,
                                            Distribution distribution) {
  GpuRandomFill fill;
  MR_ASSIGN_OR_RETURN(
      fill.fill_, LoadGpuFunction(init, MR_GPU_SOURCE_OF(random_fill),
                                  EntryOf(distribution),
                                  {{"T", GpuTypeName(init.output_type(0))}}));
  return fill;
}

StatusOr<GpuRandomFill> GpuRandomFill::MakeIntegers(const KernelInit& init) {
  GpuRandomFill fill;
  const bool is_long = SizeOf(init.output_type(0)) == 8;
  MR_ASSIGN_OR_RETURN(
      fill.fill_,
      LoadGpuFunction(init, MR_GPU_SOURCE_OF(random_fill), "Integers",
                      {{"T", is_long ? "int64_t" : "int32_t"}}));
  return fill;
}

Status GpuRandomFill::Launch(KernelContext& ctx, const Philox4x32& base,
                             GpuPointer state, Tensor* out) const {
  return LaunchGpu(ctx, fill_, GridOfGroups(*out), GpuOutput(*out), base, state,
                   out->num_elements());
}

Status GpuRandomFill::Run(KernelContext& ctx, const Philox4x32& base,
                          Tensor* out) const {
  return Launch(ctx, base, GpuPointer(), out);
}

Status GpuRandomFill::RunFrom(KernelContext& ctx, const Tensor& state,
                              Tensor* out) const {
  return Launch(ctx, Philox4x32(), GpuInput(state), out);
}

Status GpuRandomFill::RunIntegers(KernelContext& ctx, const Philox4x32& base,
                                  uint64_t low, uint64_t range,
                                  Tensor* out) const {
  return LaunchGpu(ctx, fill_, GridOfGroups(*out), GpuOutput(*out), base,
                   GpuPointer(), low, range, out->num_elements());
}

Status GpuRandomFill::RunIntegersFrom(KernelContext& ctx, const Tensor& state,
                                      uint64_t low, uint64_t range,
                                      Tensor* out) const {
  return LaunchGpu(ctx, fill_, GridOfGroups(*out), GpuOutput(*out),
                   Philox4x32(), GpuInput(state), low, range,
                   out->num_elements());
}

}  // namespace millrace::ops
