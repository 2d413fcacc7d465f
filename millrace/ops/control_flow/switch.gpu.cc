#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(Switch, Gpu){{.make = OnHost, .host = "pred, int32"}};
MR_KERNELS(RefSwitch, Gpu){{.make = OnHost, .host = "pred, int32"}};
MR_KERNELS(_SwitchN, Gpu){{.make = OnHost, .host = "output_index, int32"}};

}  // namespace millrace::ops
