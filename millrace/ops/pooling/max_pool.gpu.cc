#include "millrace/ops/pooling/max_pool.gpu.h"

#include <algorithm>
#include <limits>
#include <string>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/pooling/max_pool_pair.h"

MR_GPU_SOURCE(pooling_max_pool);

namespace millrace::ops {

PoolNumbers::PoolNumbers(const PoolProblem& p)
    : images(p.images), channels(p.channels) {
  for (int i = 0; i < kMaxSpatial; ++i) {
    const Window& w = p.window[i];
    in[i] = w.input;
    out[i] = w.output;
    filter[i] = w.filter;
    stride[i] = w.stride;
    before[i] = w.before;
  }
}

PoolFunction::PoolFunction(const KernelInit& init, const GpuSource& source,
                           const char* entry,
                           const std::vector<GpuDefine>& defines)
    : function_(init, source, entry, defines),
      function_of_large_(init, source, std::string(entry) + "OfLarge",
                         defines) {}

StatusOr<GpuFunction> PoolFunction::For(const PoolProblem& p) const {
  const int64_t elements =
      p.images * p.channels * std::max(p.InputPixels(), p.OutputPixels());
  // A window may begin in front of the images and end behind them.
  int64_t reach = 0;
  for (const Window& w : p.window) {
    reach = std::max({reach, w.filter + w.before, w.output * w.stride});
  }
  const bool is_large =
      std::max(elements, reach) > std::numeric_limits<int32_t>::max() / 2;
  return (is_large ? function_of_large_ : function_).Get();
}

GpuPoolOffsets::GpuPoolOffsets(const KernelInit& init, DataType type) {
  for (int i = 0; i < 2; ++i) {
    const std::vector<GpuDefine> defines = {
        {"T", GpuTypeName(type)},
        {"OFFSET", i == 0 ? "uint8_t" : "int32_t"},
        {"INDEX", "int64_t"}};
    const GpuSource& source = MR_GPU_SOURCE_OF(pooling_max_pool);
    find_[i] = PoolFunction(init, source, "Offsets", defines);
    sum_[i] = PoolFunction(init, source, "SumByOffsets", defines);
  }
}

Status GpuPoolOffsets::Find(KernelContext& ctx, const PoolProblem& p,
                            const Tensor& x, Tensor* output,
                            Tensor* offsets) const {
  MR_RETURN_IF_ERROR(CheckOffsets(p));
  const int size = OffsetType(p) == DataType::kUint8 ? 0 : 1;
  MR_ASSIGN_OR_RETURN(const GpuFunction function, find_[size].For(p));
  return LaunchGpu(ctx, function, GridOver(offsets->num_elements()),
                   PoolNumbers(p), GpuInput(x), GpuOutput(*offsets),
                   output == nullptr ? GpuPointer() : GpuOutput(*output));
}

Status GpuPoolOffsets::Sum(KernelContext& ctx, const PoolProblem& p,
                           const Tensor& offsets, const Tensor& grad,
                           Tensor* out) const {
  const int size = OffsetType(p) == DataType::kUint8 ? 0 : 1;
  MR_ASSIGN_OR_RETURN(const GpuFunction function, sum_[size].For(p));
  return LaunchGpu(ctx, function, GridOver(out->num_elements()), PoolNumbers(p),
                   GpuInput(grad), GpuInput(offsets), GpuOutput(*out));
}

namespace {

// The text's functions that know no argmax offsets.
PoolFunction LoadOf(const KernelInit& init, DataType type, const char* entry,
                    const char* index = "int64_t") {
  return PoolFunction(
      init, MR_GPU_SOURCE_OF(pooling_max_pool), entry,
      {{"T", GpuTypeName(type)}, {"OFFSET", "uint8_t"}, {"INDEX", index}});
}

class GpuMaxPoolKernel : public MaxPoolBase {
 public:
  static StatusOr<GpuMaxPoolKernel> Make(const KernelInit& init) {
    GpuMaxPoolKernel k;
    MR_RETURN_IF_ERROR(k.Init(init));
    k.max_ = LoadOf(init, init.input_type(0), "Max");
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    MR_ASSIGN_OR_RETURN(const PoolAttrs attrs, Attrs(ctx, 1));
    MR_ASSIGN_OR_RETURN(
        const MaxPoolCall call,
        MaxPoolCall::Of(attrs, x.shape(), PoolOver::kSpaceOrChannels));
    const PoolProblem& p = call.problem;
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, call.output));
    if (out->num_elements() == 0) return OkStatus();
    MR_ASSIGN_OR_RETURN(const GpuFunction function, max_.For(p));
    return LaunchGpu(ctx, function, GridOver(out->num_elements()),
                     PoolNumbers(p), GpuInput(x), GpuOutput(*out));
  }

 private:
  PoolFunction max_;
};

class GpuMaxPoolGradGradKernel : public MaxPoolBase {
 public:
  static StatusOr<GpuMaxPoolGradGradKernel> Make(const KernelInit& init) {
    GpuMaxPoolGradGradKernel k;
    MR_RETURN_IF_ERROR(k.Init(init));
    k.at_largest_ = LoadOf(init, init.input_type(0), "AtLargest");
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    MR_ASSIGN_OR_RETURN(const PoolAttrs attrs, Attrs(ctx, 3));
    MR_ASSIGN_OR_RETURN(const MaxPoolCall call,
                        MaxPoolCall::OfGradGrad(ctx, attrs));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, call.output));
    if (out->num_elements() == 0) return OkStatus();
    MR_ASSIGN_OR_RETURN(const GpuFunction function,
                        at_largest_.For(call.problem));
    return LaunchGpu(ctx, function, GridOver(out->num_elements()),
                     PoolNumbers(call.problem), GpuInput(x),
                     GpuInput(ctx.input(2)), GpuOutput(*out), GpuPointer(),
                     int64_t{0});
  }

 private:
  PoolFunction at_largest_;
};

class GpuMaxPoolWithArgmaxKernel : public MaxPoolBase {
 public:
  static StatusOr<GpuMaxPoolWithArgmaxKernel> Make(const KernelInit& init) {
    GpuMaxPoolWithArgmaxKernel k;
    MR_RETURN_IF_ERROR(k.Init(init));
    MR_ASSIGN_OR_RETURN(k.with_batch_,
                        init.Attr<bool>("include_batch_in_index"));
    k.at_largest_ = LoadOf(init, init.input_type(0), "AtLargest",
                           GpuTypeName(init.output_type(1)));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    MR_ASSIGN_OR_RETURN(const PoolAttrs attrs, Attrs(ctx, 1));
    MR_ASSIGN_OR_RETURN(const MaxPoolCall call,
                        MaxPoolCall::OfArgmax(ctx, attrs));
    const PoolProblem& p = call.problem;
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, call.output));
    MR_ASSIGN_OR_RETURN(Tensor* const argmax,
                        ctx.AllocateOutput(1, call.output));
    if (out->num_elements() == 0) return OkStatus();
    const int64_t image = with_batch_ ? 0 : p.InputPixels() * p.channels;
    MR_ASSIGN_OR_RETURN(const GpuFunction function, at_largest_.For(p));
    return LaunchGpu(ctx, function, GridOver(out->num_elements()),
                     PoolNumbers(p), GpuInput(x), GpuInput(x), GpuOutput(*out),
                     GpuOutput(*argmax), image);
  }

 private:
  bool with_batch_ = false;
  PoolFunction at_largest_;
};

using GpuMaxPoolGrad = MaxPoolGradKernel<GpuPoolOffsets>;

#define MR_GPU_POOL_TYPES "T: half, bfloat16, float, double"

}  // namespace

MR_KERNELS(MaxPool, Gpu){
    {.types = MR_GPU_POOL_TYPES, .make = MakeKernel<GpuMaxPoolKernel>}};
MR_KERNELS(MaxPoolV2, Gpu){{.types = MR_GPU_POOL_TYPES,
                            .make = MakeKernel<GpuMaxPoolKernel>,
                            .host = "ksize, strides"}};
MR_KERNELS(MaxPoolGrad, Gpu){
    {.types = MR_GPU_POOL_TYPES, .make = MakeKernel<GpuMaxPoolGrad>}};
MR_KERNELS(MaxPoolGradV2, Gpu){{.types = MR_GPU_POOL_TYPES,
                                .make = MakeKernel<GpuMaxPoolGrad>,
                                .host = "ksize, strides"}};
MR_KERNELS(MaxPoolGradGrad, Gpu){
    {.types = MR_GPU_POOL_TYPES, .make = MakeKernel<GpuMaxPoolGradGradKernel>}};
MR_KERNELS(MaxPoolGradGradV2,
           Gpu){{.types = MR_GPU_POOL_TYPES,
                 .make = MakeKernel<GpuMaxPoolGradGradKernel>,
                 .host = "ksize, strides"}};
MR_KERNELS(MaxPoolWithArgmax,
           Gpu){{.types = MR_GPU_POOL_TYPES,
                 .make = MakeKernel<GpuMaxPoolWithArgmaxKernel>}};
MR_KERNELS(MaxPool3D, Gpu){{.types = "T: half, bfloat16, float",
                            .make = MakeKernel<GpuMaxPoolKernel>}};
MR_KERNELS(MaxPool3DGrad, Gpu){
    {.types = "T: float; TInput: float", .make = MakeKernel<GpuMaxPoolGrad>},
    {.types = "T: bfloat16; TInput: bfloat16",
     .make = MakeKernel<GpuMaxPoolGrad>},
    {.types = "T: half; TInput: half", .make = MakeKernel<GpuMaxPoolGrad>}};
MR_KERNELS(MaxPool3DGradGrad, Gpu){
    {.types = MR_GPU_POOL_TYPES, .make = MakeKernel<GpuMaxPoolGradGradKernel>}};

}  // namespace millrace::ops
