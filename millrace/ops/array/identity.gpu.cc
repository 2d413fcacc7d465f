// A bool that is passed on is mostly the condition of a Switch, which is read
// on the host.
#include "millrace/kernel/kernel_decl.h"

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

MR_KERNELS(DeepCopy, Gpu){kOnHostIfAsked};

}  // namespace millrace::ops
