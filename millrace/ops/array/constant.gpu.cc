// The executor knows the value of a Const, which lies in host memory until a
// node reads it on the device.
#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(Const, Gpu){{.make = OnHost}};
MR_KERNELS(HostConst, Gpu){{.make = OnHost, .host = "*"}};
MR_KERNELS(Empty, Gpu){
    {.types = "dtype: bfloat16, bool, complex64, complex128, double, float, "
              "half, int16, int64, int8, uint16, uint32, uint64, uint8",
     .make = OnHost,
     .host = "shape"},
    {.types = "dtype: int32", .make = OnHost, .host = "*"}};

MR_KERNELS(Fact, Gpu){kOnHostIfAsked};

}  // namespace millrace::ops
