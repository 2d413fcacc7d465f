#include <string>

#include "absl/strings/str_cat.h"
#include "millrace/device/cuda/launch.h"
#include "millrace/graph/attr/int32_attr.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/indexing/plans/one_hot.h"

MR_GPU_SOURCE(indexing_one_hot);

namespace millrace::ops {
namespace {

class OneHotGpu {
 public:
  static StatusOr<OneHotGpu> Make(const KernelInit& init) {
    OneHotGpu k;
    MR_ASSIGN_OR_RETURN(k.axis_, init.Attr<int64_t>("axis"));
    MR_RETURN_IF_ERROR(CheckInt32Attr("axis", k.axis_));
    const size_t size = SizeOf(RemoveRef(init.output_type(0)));
    const std::vector<GpuDefine> defines = {
        {"I", GpuTypeName(RemoveRef(init.input_type(0)))},
        {"E", size == 16 ? std::string("complex128")
                         : absl::StrCat("uint", size * 8, "_t")}};
    const GpuSource& source = MR_GPU_SOURCE_OF(indexing_one_hot);
    MR_ASSIGN_OR_RETURN(k.any_,
                        LoadGpuFunction(init, source, "OneHot", defines));
    MR_ASSIGN_OR_RETURN(k.short_,
                        LoadGpuFunction(init, source, "OneHotShort", defines));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(const OneHotPlan plan, PlanOneHot(ctx, axis_));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, plan.shape));
    const int64_t total = out->num_elements();
    if (total == 0) return OkStatus();
    const GpuPointer indices = GpuInput(ctx.input(0)),
                     on = GpuInput(ctx.input(2)), off = GpuInput(ctx.input(3));
    if (plan.form.inner == 1 && total >> 31 == 0) {
      return LaunchGpu(ctx, short_, GridOver(total), indices, on, off,
                       GpuOutput(*out), static_cast<uint32_t>(total),
                       GpuDivisor(static_cast<uint32_t>(plan.form.depth)));
    }
    return LaunchGpu(ctx, any_, GridOver(total), indices, on, off,
                     GpuOutput(*out), total, plan.form.depth, plan.form.inner);
  }

 private:
  int64_t axis_ = -1;
  GpuFunction any_, short_;
};

}  // namespace

MR_KERNELS(OneHot, Gpu){{.types = "T: " MR_GPU_TYPES ", int32",
                         .make = MakeKernel<OneHotGpu>,
                         .host = "depth"}};

}  // namespace millrace::ops
