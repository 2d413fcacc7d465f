// Variables of a device lie in its memory. As in TensorFlow there are none of
// int32, which would lie on the host.
#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

#define MR_GPU_VARIABLE_TYPES \
  "bfloat16, bool, complex128, complex64, double, float, half, int64, uint32"

MR_KERNELS(VariableV2,
           Gpu){{.types = "dtype: " MR_GPU_VARIABLE_TYPES, .make = OnHost}};
MR_KERNELS(Variable,
           Gpu){{.types = "dtype: " MR_GPU_VARIABLE_TYPES, .make = OnHost}};
MR_KERNELS(VarHandleOp,
           Gpu){{.types = "dtype: " MR_GPU_VARIABLE_TYPES
                          ", int8, int16, uint8, uint16, uint64, variant",
                 .make = OnHost,
                 .host = "*"}};
MR_KERNELS(VarIsInitializedOp, Gpu){{.make = OnHost, .host = "*"}};
MR_KERNELS(IsVariableInitialized,
           Gpu){{.make = OnHost, .host = "is_initialized"}};
MR_KERNELS(DestroyResourceOp, Gpu){{.make = OnHost, .host = "*"}};
MR_KERNELS(DisableCopyOnRead, Gpu){{.make = OnHost, .host = "*"}};
MR_KERNELS(VariableShape, Gpu){{.make = OnHost, .host = "*"}};

}  // namespace millrace::ops
