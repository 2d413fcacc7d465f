#include <array>
#include <numeric>
#include <string>

#include "absl/strings/str_cat.h"
#include "millrace/device/cuda/launch.h"
#include "millrace/graph/attr/int32_attr.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/kernel/variable_view.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/shape_rules.op.h"
#include "millrace/ops/indexing/gather_rows.h"

MR_GPU_SOURCE(indexing_gather);

namespace millrace::ops {
namespace {

// As in the device text.
struct GatherArgs {
  uint64_t params = 0, indices = 0, out = 0;
  int64_t total = 0, outer = 1, count = 1, slice = 1, limit = 0;
  GpuDivisor by_slice, by_count, by_outer;
};

// Indices out of range give zeros, as in TensorFlow on GPUs; on CPUs they are
// errors.
class GatherGpu {
 public:
  static StatusOr<GatherGpu> Make(const KernelInit& init) {
    GatherGpu k;
    k.has_axis_ = init.num_inputs() > 2;
    if (k.has_axis_) {
      MR_ASSIGN_OR_RETURN(k.batch_dims_, init.Attr<int64_t>("batch_dims"));
      MR_RETURN_IF_ERROR(CheckInt32Attr("batch_dims", k.batch_dims_));
    }
    const std::vector<GpuDefine> defines = {
        {"I", GpuTypeName(RemoveRef(init.input_type(1)))}};
    for (size_t i = 0; i < k.short_.size(); ++i) {
      const std::string width = absl::StrCat("_", 1 << i);
      MR_ASSIGN_OR_RETURN(
          k.short_[i], LoadGpuFunction(init, MR_GPU_SOURCE_OF(indexing_gather),
                                       ("Gather" + width).c_str(), defines));
      MR_ASSIGN_OR_RETURN(
          k.long_[i], LoadGpuFunction(init, MR_GPU_SOURCE_OF(indexing_gather),
                                      ("GatherLong" + width).c_str(), defines));
    }
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& params = ctx.input(0);
    const Tensor& indices = ctx.input(1);
    int64_t axis = 0;
    if (has_axis_) {
      if (ctx.input(2).rank() != 0) {
        return InvalidArgument("axis must be scalar");
      }
      axis = IntAt(ctx.input(2), 0);
    }
    MR_ASSIGN_OR_RETURN(const GatherPlan plan,
                        PlanGather(params, indices, axis, batch_dims_));
    const GatherSpec& spec = plan.spec;
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, plan.shape));
    if (out->num_elements() == 0) return OkStatus();
    // Variables' tables are read in place, so that updates of rows need no
    // copy.
    const SharedElements elements(params);
    GatherArgs a;
    a.params = params.num_elements() == 0 ? 0 : elements.address();
    a.indices = indices.device_address();
    a.out = out->device_address();
    const auto size = static_cast<int64_t>(SizeOf(params.dtype()));
    int64_t width = std::gcd(int64_t{16}, spec.slice * size);
    width = std::gcd(width, static_cast<int64_t>(a.params % 16));
    width = std::gcd(width, static_cast<int64_t>(a.out % 16));
    a.slice = spec.slice * size / width;
    a.outer = spec.outer;
    a.count = spec.count;
    a.limit = spec.limit;
    a.total = out->num_elements() * size / width;
    size_t i = 0;
    while ((int64_t{1} << i) < width) ++i;
    if (a.total >> 31 != 0) {
      return LaunchGpu(ctx, long_[i], GridOver(a.total), a);
    }
    a.by_slice = GpuDivisor(static_cast<uint32_t>(a.slice));
    a.by_count = GpuDivisor(static_cast<uint32_t>(a.count));
    a.by_outer = GpuDivisor(static_cast<uint32_t>(a.outer));
    return LaunchGpu(ctx, short_[i], GridOver(a.total), a);
  }

 private:
  bool has_axis_ = false;
  int64_t batch_dims_ = 0;
  std::array<GpuFunction, 5> short_, long_;
};

}  // namespace

MR_KERNELS(GatherV2, Gpu){
    {.types = "Tparams: " MR_GPU_TYPES ", int32; Tindices: int32, int64",
     .make = MakeKernel<GatherGpu>,
     .host = "axis",
     .views = "params"}};
MR_KERNELS(Gather, Gpu){
    {.types = "Tparams: " MR_GPU_TYPES ", int32; Tindices: int32, int64",
     .make = MakeKernel<GatherGpu>,
     .views = "params"}};

}  // namespace millrace::ops
