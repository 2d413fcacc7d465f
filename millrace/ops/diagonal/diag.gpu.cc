#include <string>

#include "absl/strings/str_cat.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/mover.gpu.h"
#include "millrace/ops/diagonal/diag.h"

MR_GPU_SOURCE(diagonal_diag);

namespace millrace::ops {
namespace {

class BandPartGpu {
 public:
  static StatusOr<BandPartGpu> Make(const KernelInit& init) {
    BandPartGpu k;
    const size_t size = SizeOf(RemoveRef(init.output_type(0)));
    MR_ASSIGN_OR_RETURN(
        k.band_,
        LoadGpuFunction(
            init, MR_GPU_SOURCE_OF(diagonal_diag), "BandPart",
            {{"E", size == 16 ? std::string("complex128")
                              : absl::StrCat("uint", size * 8, "_t")}}));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& in = ctx.input(0);
    MR_ASSIGN_OR_RETURN(const BandPlan p, PlanBandPart(ctx));
    if (p.keeps_all()) {
      ctx.set_output(0, ctx.TakeInput(0));
      return OkStatus();
    }
    MR_RETURN_IF_ERROR(ctx.BindInput(0));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, in.shape()));
    const int64_t total = in.num_elements();
    return LaunchGpu(ctx, band_, GridOver(total), GpuInput(in), GpuOutput(*out),
                     total, p.rows, p.columns, p.lower, p.upper);
  }

 private:
  GpuFunction band_;
};

#define MR_DIAGONAL_ON_GPU \
  "T: float, double, half, bfloat16, int32, int64, complex64, complex128"

}  // namespace

MR_KERNELS(Diag, Gpu){
    {.types = MR_DIAGONAL_ON_GPU, .make = MakeOnGpu<MoveBy<MakeDiag>>}};
MR_KERNELS(DiagPart, Gpu){
    {.types = MR_DIAGONAL_ON_GPU, .make = MakeOnGpu<MoveBy<TakeDiag>>}};
MR_KERNELS(MatrixBandPart, Gpu){{.types = "T: " MR_GPU_TYPES,
                                 .make = MakeKernel<BandPartGpu>,
                                 .host = "num_lower, num_upper",
                                 .views = "input"}};
MR_KERNELS(BatchMatrixBandPart, Gpu){{.types = "T: " MR_GPU_TYPES,
                                      .make = MakeKernel<BandPartGpu>,
                                      .host = "num_lower, num_upper",
                                      .views = "input"}};

}  // namespace millrace::ops
