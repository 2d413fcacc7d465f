// Kernels of Cumsum, Cumprod and CumulativeLogsumexp. The order of additions
// depends on the shape alone.
#include "millrace/device/cuda/launch.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/reduction/axis_plan.h"

MR_GPU_SOURCE(reduction_scan);

namespace millrace::ops {
namespace {

// As in the device text.
struct ScanArgs {
  uint64_t x = 0, z = 0, carries = 0;
  int64_t lines = 1, n = 1, inner = 1, slices = 1, slice = 1;
  int exclusive = 0, reverse = 0;
};

template <const char* kStep>
class ScanGpuKernel {
 public:
  static StatusOr<ScanGpuKernel> Make(const KernelInit& init) {
    ScanGpuKernel k;
    MR_ASSIGN_OR_RETURN(k.exclusive_, init.Attr<bool>("exclusive"));
    MR_ASSIGN_OR_RETURN(k.reverse_, init.Attr<bool>("reverse"));
    const std::vector<GpuDefine> defines = {
        {"T", GpuTypeName(RemoveRef(init.input_type(0)))}, {"STEP", kStep}};
    const GpuSource& source = MR_GPU_SOURCE_OF(reduction_scan);
    MR_RETURN_IF_ERROR(LoadGpuFunctions(init, source, defines,
                                        {{&k.columns_, "ScanColumns"},
                                         {&k.join_columns_, "JoinColumns"},
                                         {&k.slices_, "ScanSlices"},
                                         {&k.join_slices_, "JoinSlices"},
                                         {&k.carries_, "ScanCarries"}}));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    MR_ASSIGN_OR_RETURN(const AxisPlan p, PlanScan(x, ctx.input(1)));
    MR_ASSIGN_OR_RETURN(Tensor* const z, ctx.AllocateOutput(0, p.shape));
    if (x.num_elements() == 0) return OkStatus();
    ScanArgs a;
    a.x = x.device_address();
    a.z = z->device_address();
    a.lines = p.outer * p.inner;
    a.n = p.rows;
    a.inner = p.inner;
    a.exclusive = exclusive_ ? 1 : 0;
    a.reverse = reverse_ ? 1 : 0;
    // A thread has a slice of lines that lie beside each other, a block one of
    // those that are contiguous.
    const bool by_threads = p.inner > 1;
    const GpuSlices cut = by_threads ? CutLines(a.lines, a.n, 1 << 16, 64)
                                     : CutLines(a.lines, a.n, 512, 4096);
    a.slices = cut.count;
    a.slice = cut.size;
    const GpuGrid grid =
        by_threads ? GridOver(a.lines * a.slices)
                   : GpuGrid{.blocks = a.lines * a.slices, .strided = true};
    Tensor carries;
    if (a.slices > 1) {
      constexpr int64_t kAccBytes = 16;  // at most
      MR_ASSIGN_OR_RETURN(
          carries,
          ctx.AllocateTemp(DataType::kUint8,
                           TensorShape({a.lines * a.slices * kAccBytes})));
      a.carries = carries.device_address();
      MR_RETURN_IF_ERROR(
          LaunchGpu(ctx, by_threads ? join_columns_ : join_slices_, grid, a));
      MR_RETURN_IF_ERROR(LaunchGpu(
          ctx, carries_, GpuGrid{.blocks = a.lines, .strided = true}, a));
    }
    return LaunchGpu(ctx, by_threads ? columns_ : slices_, grid, a);
  }

 private:
  bool exclusive_ = false, reverse_ = false;
  GpuFunction columns_, join_columns_, slices_, join_slices_, carries_;
};

constexpr char kSumStep[] = "SumStep";
constexpr char kProdStep[] = "ProdStep";
constexpr char kLogSumExpStep[] = "LogSumExpStep";

#define MR_SCAN_ON_GPU                                                   \
  "T: bfloat16, half, float, double, int8, int16, int32, int64, uint8, " \
  "uint16, uint32, uint64, complex64, complex128"

}  // namespace

MR_KERNELS(Cumsum, Gpu){{.types = MR_SCAN_ON_GPU,
                         .make = MakeKernel<ScanGpuKernel<kSumStep>>,
                         .host = "axis"}};
MR_KERNELS(Cumprod, Gpu){{.types = MR_SCAN_ON_GPU,
                          .make = MakeKernel<ScanGpuKernel<kProdStep>>,
                          .host = "axis"}};
MR_KERNELS(CumulativeLogsumexp, Gpu){
    {.make = MakeKernel<ScanGpuKernel<kLogSumExpStep>>, .host = "axis"}};

}  // namespace millrace::ops
