#include "millrace/ops/signal/fourier.gpu.h"

#include <algorithm>
#include <utility>

#include "millrace/ops/signal/fourier.h"

MR_GPU_SOURCE(signal_fourier);

namespace millrace::ops {
namespace {

// As in the device text.
struct GpuFourierStep {
  GpuPointer x, y, roots;
  int64_t work = 0, r = 0, m = 0, stride = 0, root_step = 0;
};

// As in the device text.
struct GpuFourierFactors {
  int32_t count = 0;
  int32_t factors[12] = {};
};
int64_t ShortLine(DataType type) {
  return type == DataType::kComplex128 ? 1024 : 2048;
}

}  // namespace

StatusOr<GpuFourier> GpuFourier::Make(const KernelInit& init, DataType type) {
  const GpuSource& source = MR_GPU_SOURCE_OF(signal_fourier);
  const std::vector<GpuDefine> defines = {
      {"F", type == DataType::kComplex128 ? "double" : "float"}};
  GpuFourier f;
  f.type_ = type;
  MR_ASSIGN_OR_RETURN(f.roots_,
                      LoadGpuFunction(init, source, "Roots", defines));
  const auto lazy = [&](const char* entry) {
    return LazyGpuFunction(init, source, entry, defines);
  };
  f.short_lines_ = lazy("ShortLines");
  f.step2_ = lazy("Step2");
  f.step4_ = lazy("Step4");
  f.step_any_ = lazy("StepAny");
  f.chirp_ = lazy("Chirp");
  f.both_ways_ = lazy("ChirpBothWays");
  f.pad_ = lazy("PadByChirp");
  f.times_ = lazy("TimesSpectrum");
  f.take_ = lazy("TakeByChirp");
  return f;
}

StatusOr<Tensor> GpuFourier::Allocate(KernelContext& ctx, int64_t n) const {
  MR_ASSIGN_OR_RETURN(const TensorShape shape, TensorShape::Make({n}));
  return ctx.AllocateTemp(type_, shape);
}

Status GpuFourier::Forward(KernelContext& ctx, int64_t outer, int64_t n,
                           int64_t inner, Tensor* array) const {
  if (n <= 1 || outer * inner == 0) return OkStatus();
  if (FourierFactors(n).empty()) {
    return ByConvolution(ctx, outer, n, inner, array);
  }
  MR_ASSIGN_OR_RETURN(const Tensor roots, Roots(ctx, n));
  return ByFactors(ctx, roots, outer, n, inner, array);
}

StatusOr<Tensor> GpuFourier::Roots(KernelContext& ctx, int64_t n) const {
  MR_ASSIGN_OR_RETURN(Tensor roots, Allocate(ctx, n));
  MR_RETURN_IF_ERROR(LaunchGpu(ctx, roots_, GridOver(n), GpuOutput(roots), n));
  return roots;
}

Status GpuFourier::ByFactors(KernelContext& ctx, const Tensor& roots,
                             int64_t outer, int64_t n, int64_t inner,
                             Tensor* array) const {
  if (inner == 1 && n <= ShortLine(type_)) {
    return ShortLines(ctx, outer, n, roots, array);
  }
  MR_ASSIGN_OR_RETURN(Tensor other, Allocate(ctx, outer * n * inner));
  GpuFourierStep s;
  s.roots = GpuInput(roots);
  s.stride = inner;
  int64_t rest = n;
  for (const int64_t r : FourierFactors(n)) {
    s.x = GpuInput(*array);
    s.y = GpuOutput(other);
    s.r = r;
    s.m = rest / r;
    s.root_step = n / rest;
    const bool fixed = r == 2 || r == 4;
    s.work = outer * n * inner / (fixed ? r : 1);
    MR_ASSIGN_OR_RETURN(const GpuFunction function, r == 2   ? step2_.Get()
                                                    : r == 4 ? step4_.Get()
                                                             : step_any_.Get());
    MR_RETURN_IF_ERROR(LaunchGpu(ctx, function, GridOver(s.work), s));
    std::swap(*array, other);
    rest /= r;
    s.stride *= r;
  }
  return OkStatus();
}

Status GpuFourier::ShortLines(KernelContext& ctx, int64_t lines, int64_t n,
                              const Tensor& roots, Tensor* array) const {
  MR_ASSIGN_OR_RETURN(const GpuFunction function, short_lines_.Get());
  GpuFourierFactors f;
  for (const int64_t r : FourierFactors(n)) {
    f.factors[f.count++] = static_cast<int32_t>(r);
  }
  const auto at_once =
      static_cast<int32_t>(std::max<int64_t>(1, ShortLine(type_) / 2 / n));
  return LaunchGpu(
      ctx, function,
      GpuGrid{.blocks = (lines + at_once - 1) / at_once, .strided = true},
      GpuInput(*array), GpuOutput(*array), GpuInput(roots), f, lines,
      static_cast<int32_t>(n), at_once);
}

// By Bluestein's identity: i k = (i * i + k * k - (k - i) * (k - i)) / 2.
Status GpuFourier::ByConvolution(KernelContext& ctx, int64_t outer, int64_t n,
                                 int64_t inner, Tensor* array) const {
  int64_t size = 1;
  while (size < 2 * n - 1) size *= 2;
  MR_ASSIGN_OR_RETURN(const GpuFunction make_chirp, chirp_.Get());
  MR_ASSIGN_OR_RETURN(const GpuFunction both_ways, both_ways_.Get());
  MR_ASSIGN_OR_RETURN(const GpuFunction pad, pad_.Get());
  MR_ASSIGN_OR_RETURN(const GpuFunction times, times_.Get());
  MR_ASSIGN_OR_RETURN(const GpuFunction take, take_.Get());
  MR_ASSIGN_OR_RETURN(Tensor chirp, Allocate(ctx, n));
  MR_RETURN_IF_ERROR(
      LaunchGpu(ctx, make_chirp, GridOver(n), GpuOutput(chirp), n));
  MR_ASSIGN_OR_RETURN(Tensor spectrum, Allocate(ctx, size));
  MR_RETURN_IF_ERROR(LaunchGpu(ctx, both_ways, GridOver(size), GpuInput(chirp),
                               GpuOutput(spectrum), n, size));
  MR_ASSIGN_OR_RETURN(const Tensor roots, Roots(ctx, size));
  MR_RETURN_IF_ERROR(ByFactors(ctx, roots, 1, size, 1, &spectrum));
  const int64_t padded_count = outer * size * inner;
  MR_ASSIGN_OR_RETURN(Tensor padded, Allocate(ctx, padded_count));
  MR_RETURN_IF_ERROR(LaunchGpu(
      ctx, pad, GridOver(padded_count), GpuInput(*array), GpuInput(chirp),
      GpuOutput(padded), padded_count, n, size, inner));
  MR_RETURN_IF_ERROR(ByFactors(ctx, roots, outer, size, inner, &padded));
  MR_RETURN_IF_ERROR(LaunchGpu(ctx, times, GridOver(padded_count),
                               GpuOutput(padded), GpuInput(spectrum),
                               padded_count, size, inner));
  MR_RETURN_IF_ERROR(ByFactors(ctx, roots, outer, size, inner, &padded));
  const int64_t count = outer * n * inner;
  return LaunchGpu(ctx, take, GridOver(count), GpuInput(padded),
                   GpuInput(chirp), GpuOutput(*array), count, n, size, inner);
}

}  // namespace millrace::ops
