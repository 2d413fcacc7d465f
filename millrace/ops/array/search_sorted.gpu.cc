// Kernels of LowerBound and UpperBound on GPUs.
#include "millrace/ops/array/checks/search_sorted.h"

#include "millrace/device/cuda/launch.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"

MR_GPU_SOURCE(array_search_sorted);

namespace millrace::ops {
namespace {

constexpr char kLowerBoundEntry[] = "LowerBound";
constexpr char kUpperBoundEntry[] = "UpperBound";

template <const char* kEntry>
class SearchSortedGpu {
 public:
  static StatusOr<SearchSortedGpu> Make(const KernelInit& init) {
    SearchSortedGpu k;
    MR_ASSIGN_OR_RETURN(
        k.search_,
        LoadGpuFunction(init, MR_GPU_SOURCE_OF(array_search_sorted), kEntry,
                        {{"T", GpuTypeName(RemoveRef(init.input_type(0)))},
                         {"I", GpuTypeName(init.output_type(0))}}));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& sorted = ctx.input(0);
    const Tensor& values = ctx.input(1);
    MR_RETURN_IF_ERROR(CheckSearch(ctx));
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, values.shape()));
    const int64_t n = values.num_elements();
    return LaunchGpu(ctx, search_, GridOver(n), GpuInput(sorted),
                     GpuInput(values), GpuOutput(*out), n, values.dim(1),
                     sorted.dim(1));
  }

 private:
  GpuFunction search_;
};

}  // namespace

MR_KERNELS(LowerBound, Gpu){
    {.types = "T: " MR_REAL_TYPES,
     .make = MakeKernel<SearchSortedGpu<kLowerBoundEntry>>},
    kOnHostIfAsked};
MR_KERNELS(UpperBound, Gpu){
    {.types = "T: " MR_REAL_TYPES,
     .make = MakeKernel<SearchSortedGpu<kUpperBoundEntry>>},
    kOnHostIfAsked};

}  // namespace millrace::ops
