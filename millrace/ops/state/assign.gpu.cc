// A value becomes the variable's buffer, whatever memory it lies in.
#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

#define MR_GPU_ASSIGN_TYPES                                                   \
  "bfloat16, bool, complex128, complex64, double, float, half, int8, int16, " \
  "int64, uint8, uint16, uint32, uint64"

MR_KERNELS(Assign, Gpu){{.types = "T: " MR_GPU_ASSIGN_TYPES, .make = OnHost}};
MR_KERNELS(AssignVariableOp,
           Gpu){{.types = "dtype: " MR_GPU_ASSIGN_TYPES ", variant",
                 .make = OnHost,
                 .host = "resource"}};

}  // namespace millrace::ops
