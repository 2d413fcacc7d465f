// Kernels of BiasAdd and BiasAddGrad on GPUs. int32 lies on the device as all
// others.
#include <algorithm>
#include <utility>

#include "absl/types/span.h"
#include "millrace/device/cuda/launch.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/elementwise/elementwise.gpu.h"
#include "millrace/ops/elementwise/program.gpu.h"

MR_GPU_SOURCE(arithmetic_unary);
MR_GPU_SOURCE(arithmetic_binary);
MR_GPU_SOURCE(nn_bias_add);

namespace millrace::ops {
namespace {

// A tensor is [outer, channels, inner].
struct GpuChannels {
  int64_t outer = 1, channels = 1, inner = 1;
};

StatusOr<GpuChannels> SplitGpuChannels(const TensorShape& shape,
                                       bool channels_first) {
  if (shape.rank() < 2) {
    return InvalidArgument("Input tensor must be at least 2D: ",
                           shape.DebugString());
  }
  const int channel = channels_first ? 1 : shape.rank() - 1;
  return GpuChannels{shape.NumElements(0, channel), shape.dim(channel),
                     shape.NumElements(channel + 1, shape.rank())};
}

StatusOr<bool> AreChannelsFirst(const KernelInit& init) {
  if (!init.HasAttr("data_format")) return false;
  MR_ASSIGN_OR_RETURN(const std::string format,
                      init.Attr<std::string>("data_format"));
  return format == "NCHW";
}

StatusOr<ElementwiseText> BiasText(const KernelInit& init) {
  MR_ASSIGN_OR_RETURN(const bool channels_first, AreChannelsFirst(init));
  ElementwiseText text;
  text.expression = "Apply<op::Add>($0, $1)";
  text.sources = {&MR_GPU_SOURCE_OF(arithmetic_unary),
                  &MR_GPU_SOURCE_OF(arithmetic_binary)};
  text.shapes = channels_first ? ElementwiseText::Shapes::kBiasOfChannelsFirst
                               : ElementwiseText::Shapes::kBias;
  return text;
}

class GpuBiasAddKernel {
 public:
  static StatusOr<GpuBiasAddKernel> Make(const KernelInit& init) {
    GpuBiasAddKernel k;
    MR_ASSIGN_OR_RETURN(k.channels_first_, AreChannelsFirst(init));
    const DataType type = init.output_type(0);
    ElementwiseProgramBuilder builder;
    const int value = builder.AddInput(type);
    const int bias = builder.AddInput(type);
    MR_ASSIGN_OR_RETURN(const ElementwiseText add, BiasText(init));
    builder.AddOutput(builder.AddOp(add, {value, bias}, type));
    MR_ASSIGN_OR_RETURN(k.add_, builder.Build(init));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const TensorShape shape = ctx.input(0).shape();
    const Tensor& bias = ctx.input(1);
    MR_ASSIGN_OR_RETURN(const GpuChannels c,
                        SplitGpuChannels(shape, channels_first_));
    if (bias.rank() != 1) {
      return InvalidArgument("Biases must be 1D: ", bias.shape().DebugString());
    }
    if (bias.dim(0) != c.channels) {
      return InvalidArgument(
          "Must provide as many biases as the last dimension of the input "
          "tensor: ",
          bias.shape().DebugString(), " vs. ", shape.DebugString());
    }
    // Behind its dimension, the bias has one element for all.
    DimVector dims(static_cast<size_t>(channels_first_ ? shape.rank() - 1 : 1),
                   1);
    dims[0] = c.channels;
    MR_ASSIGN_OR_RETURN(TensorShape spread, TensorShape::Make(dims));
    const Tensor along = bias.Reshaped(std::move(spread));
    MR_ASSIGN_OR_RETURN(Tensor* const z,
                        ctx.ForwardOrAllocateOutput({0}, 0, shape));
    const Tensor* const inputs[] = {&ctx.input(0), &along};
    return add_.Run(ctx, inputs, absl::MakeConstSpan(&z, 1));
  }

 private:
  bool channels_first_ = false;
  ElementwiseProgram add_;
};

class GpuBiasAddGradKernel {
 public:
  static StatusOr<GpuBiasAddGradKernel> Make(const KernelInit& init) {
    GpuBiasAddGradKernel k;
    MR_ASSIGN_OR_RETURN(k.channels_first_, AreChannelsFirst(init));
    const std::vector<GpuDefine> defines = {
        {"T", GpuTypeName(init.input_type(0))}};
    const GpuSource& source = MR_GPU_SOURCE_OF(nn_bias_add);
    MR_ASSIGN_OR_RETURN(k.sum_rows_,
                        LoadGpuFunction(init, source, "SumRows", defines));
    MR_ASSIGN_OR_RETURN(k.sum_planes_,
                        LoadGpuFunction(init, source, "SumPlanes", defines));
    MR_ASSIGN_OR_RETURN(k.add_pieces_,
                        LoadGpuFunction(init, source, "AddPieces", defines));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    MR_ASSIGN_OR_RETURN(const GpuChannels c,
                        SplitGpuChannels(x.shape(), channels_first_));
    MR_ASSIGN_OR_RETURN(Tensor* const z,
                        ctx.AllocateOutput(0, TensorShape({c.channels})));
    if (c.channels == 0) return OkStatus();
    if (x.num_elements() == 0) {
      return FillGpuBytes(ctx, GpuOutput(*z), 0,
                          static_cast<int64_t>(z->size_bytes()));
    }
    return c.inner == 1 ? SumRows(ctx, x, c, z) : SumPlanes(ctx, x, c, z);
  }

 private:
  static constexpr int64_t kThreads = 256;
  // A piece has at least so many elements for each thread, and there are at
  // most so many blocks: several for each multiprocessor of a large card.
  static constexpr int64_t kElementsOfThread = 16;
  static constexpr int64_t kMaxBlocks = 1024;

  // Returns the number of pieces of `rows` rows, if there are `blocks` blocks
  // for each piece, of which a row takes `threads` threads.
  static int64_t Pieces(int64_t rows, int64_t blocks, int64_t threads) {
    const int64_t rows_at_once = std::max<int64_t>(1, kThreads / threads);
    const int64_t most = rows / (rows_at_once * kElementsOfThread);
    return std::max<int64_t>(1, std::min(most, kMaxBlocks / blocks));
  }

  static StatusOr<Tensor> MakeSums(KernelContext& ctx, int64_t pieces,
                                   int64_t channels) {
    // Large enough for sums of any type.
    return ctx.AllocateTemp(DataType::kComplex128,
                            TensorShape({pieces, channels}));
  }

  Status SumRows(KernelContext& ctx, const Tensor& x, const GpuChannels& c,
                 Tensor* z) const {
    const int64_t tiles = (c.channels + kThreads - 1) / kThreads;
    const int64_t asked =
        Pieces(c.outer, tiles, std::min(c.channels, kThreads));
    const int64_t rows = (c.outer + asked - 1) / asked;
    const int64_t pieces = (c.outer + rows - 1) / rows;
    MR_ASSIGN_OR_RETURN(Tensor sums, MakeSums(ctx, pieces, c.channels));
    MR_RETURN_IF_ERROR(LaunchGpu(ctx, sum_rows_, {.blocks = tiles * pieces},
                                 GpuInput(x), GpuOutput(sums), c.outer,
                                 c.channels, tiles, rows));
    return LaunchGpu(ctx, add_pieces_, GridOver(c.channels), GpuInput(sums),
                     GpuOutput(*z), c.channels, pieces);
  }

  Status SumPlanes(KernelContext& ctx, const Tensor& x, const GpuChannels& c,
                   Tensor* z) const {
    const int64_t asked =
        std::min(c.outer, Pieces(c.outer * c.inner, c.channels, 1));
    const int64_t planes = (c.outer + asked - 1) / asked;
    const int64_t pieces = (c.outer + planes - 1) / planes;
    MR_ASSIGN_OR_RETURN(Tensor sums, MakeSums(ctx, pieces, c.channels));
    MR_RETURN_IF_ERROR(LaunchGpu(
        ctx, sum_planes_, {.blocks = c.channels * pieces}, GpuInput(x),
        GpuOutput(sums), c.outer, c.channels, c.inner, planes));
    return LaunchGpu(ctx, add_pieces_, GridOver(c.channels), GpuInput(sums),
                     GpuOutput(*z), c.channels, pieces);
  }

  bool channels_first_ = false;
  GpuFunction sum_rows_, sum_planes_, add_pieces_;
};

constexpr char kGpuBiasTypes[] =
    "T: bfloat16, complex128, complex64, double, float, half, int16, int32, "
    "int64, int8, uint16, uint32, uint64, uint8";

}  // namespace

MR_KERNELS(BiasAdd, Gpu){{.types = kGpuBiasTypes,
                          .make = MakeKernel<GpuBiasAddKernel>,
                          .elementwise = ElementwiseOfText<BiasText>}};
MR_KERNELS(BiasAddV1, Gpu){{.types = kGpuBiasTypes,
                            .make = MakeKernel<GpuBiasAddKernel>,
                            .elementwise = ElementwiseOfText<BiasText>}};
MR_KERNELS(BiasAddGrad, Gpu){
    {.types = kGpuBiasTypes, .make = MakeKernel<GpuBiasAddGradKernel>}};

}  // namespace millrace::ops
