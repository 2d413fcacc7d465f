#include "millrace/ops/nn/top_k.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "millrace/device/cuda/launch.h"
#include "millrace/kernel/kernel_decl.h"

MR_GPU_SOURCE(nn_top_k);

namespace millrace::ops {
namespace {

constexpr int64_t kMostRun = 2048;  // as in the device text

// As in the device text.
struct RunArgs {
  uint64_t x = 0, from = 0, to = 0;
  int64_t rows = 0, n = 0;
  int run = 0;
  int64_t runs = 0, kept = 0;
};
struct MergeArgs {
  uint64_t from = 0, to = 0;
  int64_t rows = 0, runs = 0, size = 0, merged = 0, kept = 0;
};

class TopKGpu {
 public:
  static StatusOr<TopKGpu> Make(const KernelInit& init) {
    TopKGpu k;
    MR_ASSIGN_OR_RETURN(k.attrs_, TopKAttrs::Make(init));
    const DataType type = RemoveRef(init.input_type(0));
    k.element_bytes_ = SizeOf(type) > 4 ? 16 : 8;
    const std::vector<GpuDefine> defines = {
        {"T", GpuTypeName(type)},
        {"I", GpuTypeName(RemoveRef(init.output_type(1)))}};
    const GpuSource& source = MR_GPU_SOURCE_OF(nn_top_k);
    MR_ASSIGN_OR_RETURN(k.sort_,
                        LoadGpuFunction(init, source, "SortRuns", defines));
    MR_ASSIGN_OR_RETURN(k.merge_,
                        LoadGpuFunction(init, source, "MergeRuns", defines));
    MR_ASSIGN_OR_RETURN(k.by_place_,
                        LoadGpuFunction(init, source, "KeyByPlace", defines));
    MR_ASSIGN_OR_RETURN(k.write_,
                        LoadGpuFunction(init, source, "WriteTopK", defines));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    MR_ASSIGN_OR_RETURN(const int64_t k, attrs_.K(ctx));
    MR_ASSIGN_OR_RETURN(const TensorShape shape, TopKShape(x.shape(), k));
    MR_ASSIGN_OR_RETURN(Tensor* const values, ctx.AllocateOutput(0, shape));
    MR_ASSIGN_OR_RETURN(Tensor* const places, ctx.AllocateOutput(1, shape));
    if (shape.num_elements() == 0) return OkStatus();
    const int64_t n = x.dim(x.rank() - 1);
    const int64_t rows = x.num_elements() / n;
    if (n >> 31 != 0) {
      return Unimplemented("TopK on GPUs takes rows below 2^31 elements");
    }
    MR_ASSIGN_OR_RETURN(
        Tensor largest,
        Largest(ctx,
                {.x = x.device_address(), .rows = rows, .n = n, .kept = k}));
    if (!attrs_.sorted) {
      MR_RETURN_IF_ERROR(LaunchGpu(ctx, by_place_, GridOver(rows * k),
                                   GpuOutput(largest), rows * k));
      MR_ASSIGN_OR_RETURN(largest,
                          Largest(ctx, {.from = largest.device_address(),
                                        .rows = rows,
                                        .n = k,
                                        .kept = k}));
    }
    return LaunchGpu(ctx, write_, GridOver(rows * k), GpuInput(largest),
                     GpuInput(x), GpuOutput(*values), GpuOutput(*places), rows,
                     n, k, k);
  }

 private:
  // Returns the `kept` largest elements of each row, [rows, kept].
  StatusOr<Tensor> Largest(KernelContext& ctx, RunArgs a) const {
    const int64_t k = a.kept;
    int64_t run = 2;
    while (run < kMostRun && run < a.n) run *= 2;
    a.run = static_cast<int>(run);
    a.runs = (a.n + run - 1) / run;
    int64_t size = a.kept = a.runs == 1 ? k : std::min(run, k);
    int64_t runs = a.runs;
    MR_ASSIGN_OR_RETURN(Tensor sorted, Elements(ctx, a.rows * runs * size));
    a.to = sorted.device_address();
    MR_RETURN_IF_ERROR(LaunchGpu(
        ctx, sort_, GpuGrid{.blocks = a.rows * runs, .strided = true}, a));
    while (runs > 1) {
      MergeArgs m;
      m.from = sorted.device_address();
      m.rows = a.rows;
      m.runs = runs;
      m.size = size;
      m.merged = (runs + 1) / 2;
      m.kept = std::min(2 * size, k);
      MR_ASSIGN_OR_RETURN(Tensor merged,
                          Elements(ctx, a.rows * m.merged * m.kept));
      m.to = merged.device_address();
      MR_RETURN_IF_ERROR(
          LaunchGpu(ctx, merge_, GridOver(a.rows * runs * size), m));
      sorted = std::move(merged);
      runs = m.merged;
      size = m.kept;
    }
    return sorted;
  }

  StatusOr<Tensor> Elements(KernelContext& ctx, int64_t count) const {
    return ctx.AllocateTemp(DataType::kUint8,
                            TensorShape({count * element_bytes_}));
  }

  TopKAttrs attrs_;
  int64_t element_bytes_ = 8;
  GpuFunction sort_, merge_, by_place_, write_;
};

#define MR_TOP_K_ON_GPU                                                  \
  "T: float, double, half, bfloat16, int8, int16, int32, int64, uint8, " \
  "uint16, uint32, uint64"

}  // namespace

MR_KERNELS(TopK, Gpu){{.types = MR_TOP_K_ON_GPU, .make = MakeKernel<TopKGpu>}};
MR_KERNELS(TopKV2, Gpu){
    {.types = MR_TOP_K_ON_GPU, .make = MakeKernel<TopKGpu>, .host = "k"}};

}  // namespace millrace::ops
