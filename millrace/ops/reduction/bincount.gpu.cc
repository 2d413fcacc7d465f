// Kernels of Bincount and DenseBincount. Numbers are sorted by bin, so that
// weights are added in their order. Negative numbers are left out, as in
// TensorFlow on GPUs; on CPUs they are errors.
#include "millrace/ops/reduction/bincount.h"

#include <vector>

#include "millrace/device/cuda/launch.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/reduction/segment.gpu.h"
#include "millrace/ops/state/rows/row_order.gpu.h"

MR_GPU_SOURCE(reduction_bincount);

namespace millrace::ops {
namespace {

class BincountGpu {
 public:
  static StatusOr<BincountGpu> Make(const KernelInit& init) {
    BincountGpu k;
    k.dense_ = init.HasAttr("binary_output");
    if (k.dense_) {
      MR_ASSIGN_OR_RETURN(k.binary_, init.Attr<bool>("binary_output"));
    }
    const DataType type = RemoveRef(init.output_type(0));
    const std::vector<GpuDefine> defines = {
        {"I", GpuTypeName(RemoveRef(init.input_type(0)))},
        {"T", GpuTypeName(type)}};
    const GpuSource& source = MR_GPU_SOURCE_OF(reduction_bincount);
    MR_ASSIGN_OR_RETURN(k.bin_,
                        LoadGpuFunction(init, source, "BinOfEach", defines));
    MR_ASSIGN_OR_RETURN(k.sizes_,
                        LoadGpuFunction(init, source, "SizesOfBins", defines));
    MR_ASSIGN_OR_RETURN(k.order_, GpuRowOrder::Make(init, DataType::kInt64));
    MR_ASSIGN_OR_RETURN(k.segments_,
                        GpuSegments::Make(init, type, "AddOf", DataType::kInt64,
                                          DataType::kInt64));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    const Tensor& weights = ctx.input(2);
    MR_ASSIGN_OR_RETURN(const int64_t bins, BinCount(ctx.input(1)));
    MR_RETURN_IF_ERROR(dense_ ? CheckDenseBincount(x.shape(), weights.shape())
                              : CheckBincount(x.shape(), weights.shape()));
    const bool matrix = dense_ && x.rank() == 2;
    MR_ASSIGN_OR_RETURN(TensorShape shape,
                        matrix ? TensorShape::Make({x.dim(0), bins})
                               : TensorShape::Make({bins}));
    MR_ASSIGN_OR_RETURN(Tensor* const z,
                        ctx.AllocateOutput(0, std::move(shape)));
    const int64_t all_bins = z->num_elements();
    if (all_bins == 0) return OkStatus();
    const int64_t n = x.num_elements();
    MR_ASSIGN_OR_RETURN(Tensor bin,
                        ctx.AllocateTemp(DataType::kInt64, TensorShape({n})));
    const int64_t row = matrix ? x.dim(1) : n;
    MR_RETURN_IF_ERROR(LaunchGpu(ctx, bin_, GridOver(n), GpuInput(x),
                                 GpuOutput(bin), n, row, bins));
    MR_ASSIGN_OR_RETURN(const SortedRows sorted,
                        order_.Sort(ctx, bin, n, {all_bins}));
    MR_ASSIGN_OR_RETURN(const Tensor begins,
                        order_.Begins(ctx, sorted, all_bins));
    if (weights.num_elements() == 0 || binary_) {
      return LaunchGpu(ctx, sizes_, GridOver(all_bins), GpuInput(begins),
                       GpuOutput(*z), all_bins, binary_ ? 1 : 0);
    }
    Tensor flat = z->Reshaped(TensorShape({all_bins}));
    return segments_.Reduce(ctx, weights,
                            {.begins = &begins,
                             .keys = &sorted.keys,
                             .position_bits = sorted.position_bits,
                             .members = n},
                            &flat);
  }

 private:
  bool dense_ = false, binary_ = false;
  GpuFunction bin_, sizes_;
  GpuRowOrder order_;
  GpuSegments segments_;
};

}  // namespace

MR_KERNELS(Bincount, Gpu){{.make = MakeKernel<BincountGpu>, .host = "size"}};
MR_KERNELS(DenseBincount,
           Gpu){{.make = MakeKernel<BincountGpu>, .host = "size"}};

}  // namespace millrace::ops
