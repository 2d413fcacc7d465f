// A bool that is passed on is mostly the condition of a Switch, which is read
// on the host.
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/deep_copy.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/mover.gpu.h"

namespace millrace::ops {

MR_KERNELS(Identity, Gpu){{.types = "T: bool", .make = OnHost, .host = "*"},
                          {.make = OnHost, .host = "int32"}};
MR_KERNELS(IdentityN, Gpu){{.make = OnHost, .host = "int32"}};
MR_KERNELS(RefIdentity, Gpu){{.make = OnHost, .host = "int32"}};
MR_KERNELS(StopGradient, Gpu){{.make = OnHost, .host = "int32"}};
MR_KERNELS(PreventGradient, Gpu){{.make = OnHost, .host = "int32"}};
MR_KERNELS(DebugGradientIdentity, Gpu){{.make = OnHost, .host = "int32"}};
MR_KERNELS(DebugGradientRefIdentity, Gpu){{.make = OnHost, .host = "int32"}};
MR_KERNELS(GuaranteeConst, Gpu){{.make = OnHost, .host = "int32"}};
MR_KERNELS(Snapshot, Gpu){{.make = OnHost, .host = "int32"}};

MR_KERNELS(DeepCopy, Gpu){
    {.types = "T: " MR_GPU_TYPES, .make = MakeOnGpu<MoveBy<RunDeepCopy>>},
    {.types = "T: int32", .make = OnHost, .host = "*"},
    kOnHostIfAsked};

}  // namespace millrace::ops
