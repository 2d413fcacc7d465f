#include <string>

#include "absl/strings/str_cat.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/mover.gpu.h"
#include "millrace/ops/layout/move_kernels.h"

MR_GPU_SOURCE(layout_reverse);

namespace millrace::ops {
namespace {

// Lengths are not checked, as in TensorFlow on GPUs: those above the number of
// steps reverse all of them, negative ones none.
class ReverseSequenceGpu {
 public:
  static StatusOr<ReverseSequenceGpu> Make(const KernelInit& init) {
    ReverseSequenceGpu k;
    MR_ASSIGN_OR_RETURN(k.dims_, SequenceDims::Make(init));
    const size_t size = SizeOf(RemoveRef(init.input_type(0)));
    MR_ASSIGN_OR_RETURN(
        k.reverse_,
        LoadGpuFunction(
            init, MR_GPU_SOURCE_OF(layout_reverse), "ReverseSequence",
            {{"E", size == 16 ? std::string("complex128")
                              : absl::StrCat("uint", size * 8, "_t")},
             {"L", GpuTypeName(RemoveRef(init.input_type(1)))}}));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& in = ctx.input(0);
    MR_RETURN_IF_ERROR(dims_.Check(in.shape(), ctx.input(1).shape()));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, in.shape()));
    const int64_t total = in.num_elements();
    if (total == 0) return OkStatus();
    const DimVector strides = RowMajorStrides(in.shape().dims());
    return LaunchGpu(ctx, reverse_, GridOver(total), GpuInput(in),
                     GpuInput(ctx.input(1)), GpuOutput(*out), total,
                     in.dim(static_cast<int>(dims_.batch)),
                     strides[dims_.batch], in.dim(static_cast<int>(dims_.seq)),
                     strides[dims_.seq]);
  }

 private:
  SequenceDims dims_;
  GpuFunction reverse_;
};

}  // namespace

MR_KERNELS(ReverseV2, Gpu){{.types = "T: " MR_GPU_TYPES,
                            .make = MakeOnGpu<MoveBy<RunReverseV2>>,
                            .host = "axis",
                            .views = "tensor"},
                           {.types = "T: int32", .make = OnHost, .host = "*"}};
MR_KERNELS(Reverse, Gpu){{.types = "T: " MR_GPU_TYPES,
                          .make = MakeOnGpu<MoveBy<RunReverse>>,
                          .host = "dims",
                          .views = "tensor"},
                         {.types = "T: int32", .make = OnHost, .host = "*"}};

MR_KERNELS(ReverseSequence, Gpu){
    {.types = "T: " MR_GPU_TYPES, .make = MakeKernel<ReverseSequenceGpu>}};

}  // namespace millrace::ops
