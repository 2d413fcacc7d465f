// Kernels of Softmax and of losses by rows.
#include <string>

#include "millrace/device/cuda/launch.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/nn/softmax.h"

MR_GPU_SOURCE(nn_softmax);

namespace millrace::ops {
namespace {

// The two forms of an entry: a row for each warp, or for each block.
class ByRows {
 public:
  static StatusOr<ByRows> Make(const KernelInit& init,
                               const std::string& entry) {
    ByRows r;
    const std::vector<GpuDefine> defines = {
        {"T", GpuTypeName(RemoveRef(init.input_type(0)))}};
    const GpuSource& source = MR_GPU_SOURCE_OF(nn_softmax);
    MR_ASSIGN_OR_RETURN(
        r.warp_,
        LoadGpuFunction(init, source, (entry + "Warp").c_str(), defines));
    MR_ASSIGN_OR_RETURN(
        r.block_,
        LoadGpuFunction(init, source, (entry + "Block").c_str(), defines));
    return r;
  }
  template <class... A>
  Status Launch(KernelContext& ctx, int64_t rows, int64_t n,
                const A&... args) const {
    constexpr int64_t kWarpRow = 1024, kWarps = 8;
    if (n > kWarpRow) {
      return LaunchGpu(ctx, block_, GpuGrid{.blocks = rows, .strided = true},
                       args...);
    }
    return LaunchGpu(
        ctx, warp_,
        GpuGrid{.blocks = (rows + kWarps - 1) / kWarps, .strided = true},
        args...);
  }

 private:
  GpuFunction warp_, block_;
};

template <bool kLog>
class SoftmaxGpu {
 public:
  static StatusOr<SoftmaxGpu> Make(const KernelInit& init) {
    SoftmaxGpu k;
    MR_ASSIGN_OR_RETURN(k.rows_,
                        ByRows::Make(init, kLog ? "LogSoftmax" : "Softmax"));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& logits = ctx.input(0);
    const TensorShape& shape = logits.shape();
    if (shape.rank() < 1) {
      return InvalidArgument("logits must have >= 1 dimension, got ",
                             shape.DebugString());
    }
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, shape));
    if (shape.num_elements() == 0) return OkStatus();
    const int64_t n = shape.dim(shape.rank() - 1);
    const int64_t rows = shape.num_elements() / n;
    return rows_.Launch(ctx, rows, n, GpuInput(logits), GpuOutput(*out), rows,
                        n);
  }

 private:
  ByRows rows_;
};

// Steps between rows and columns of an operand of [rows, columns], 0 where it
// is broadcast.
struct Steps {
  int64_t row = 0, column = 0;
  explicit Steps(const TensorShape& shape) {
    const int rank = shape.rank();
    if (rank >= 1 && shape.dim(rank - 1) != 1) column = 1;
    if (rank == 2 && shape.dim(0) != 1) row = shape.dim(1);
  }
};

class CrossEntropyGpu {
 public:
  static StatusOr<CrossEntropyGpu> Make(const KernelInit& init) {
    CrossEntropyGpu k;
    MR_ASSIGN_OR_RETURN(k.rows_, ByRows::Make(init, "CrossEntropy"));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& features = ctx.input(0);
    const Tensor& labels = ctx.input(1);
    MR_ASSIGN_OR_RETURN(
        const Broadcast b,
        CrossEntropyBroadcast(features.shape(), labels.shape()));
    const int64_t batch = b.shape().dim(0);
    const int64_t n = b.shape().dim(1);
    MR_ASSIGN_OR_RETURN(Tensor* const loss,
                        ctx.AllocateOutput(0, TensorShape({batch})));
    MR_ASSIGN_OR_RETURN(Tensor* const backprop,
                        ctx.AllocateOutput(1, b.shape()));
    if (batch == 0) return OkStatus();
    if (n == 0) {
      return InvalidArgument(
          "Must have at least one class, but got logits_size=",
          features.shape().DebugString());
    }
    const Steps x(features.shape()), y(labels.shape());
    return rows_.Launch(ctx, batch, n, GpuInput(features), GpuInput(labels),
                        GpuOutput(*loss), GpuOutput(*backprop), batch, n, x.row,
                        x.column, y.row, y.column);
  }

 private:
  ByRows rows_;
};

// A class that does not exist gives NaN, as in TensorFlow on GPUs; on CPUs it
// is an error.
class SparseCrossEntropyGpu {
 public:
  static StatusOr<SparseCrossEntropyGpu> Make(const KernelInit& init) {
    SparseCrossEntropyGpu k;
    const bool narrow = RemoveRef(init.input_type(1)) == DataType::kInt32;
    MR_ASSIGN_OR_RETURN(k.rows_,
                        ByRows::Make(init, narrow ? "SparseCrossEntropy32"
                                                  : "SparseCrossEntropy64"));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& logits = ctx.input(0);
    const Tensor& labels = ctx.input(1);
    MR_RETURN_IF_ERROR(CheckSparseCrossEntropy(logits.shape(), labels.shape()));
    const int64_t batch = logits.dim(0);
    const int64_t n = logits.dim(1);
    MR_ASSIGN_OR_RETURN(Tensor* const loss,
                        ctx.AllocateOutput(0, TensorShape({batch})));
    MR_ASSIGN_OR_RETURN(Tensor* const backprop,
                        ctx.AllocateOutput(1, logits.shape()));
    if (batch == 0) return OkStatus();
    return rows_.Launch(ctx, batch, n, GpuInput(logits), GpuInput(labels),
                        GpuOutput(*loss), GpuOutput(*backprop), batch, n);
  }

 private:
  ByRows rows_;
};

#define MR_FLOATS_ON_GPU "T: bfloat16, double, float, half"

}  // namespace

MR_KERNELS(Softmax, Gpu){
    {.types = MR_FLOATS_ON_GPU, .make = MakeKernel<SoftmaxGpu<false>>}};
MR_KERNELS(LogSoftmax, Gpu){
    {.types = MR_FLOATS_ON_GPU, .make = MakeKernel<SoftmaxGpu<true>>}};
MR_KERNELS(SoftmaxCrossEntropyWithLogits, Gpu){
    {.types = MR_FLOATS_ON_GPU, .make = MakeKernel<CrossEntropyGpu>}};
MR_KERNELS(SparseSoftmaxCrossEntropyWithLogits, Gpu){
    {.types = MR_FLOATS_ON_GPU, .make = MakeKernel<SparseCrossEntropyGpu>}};

}  // namespace millrace::ops
