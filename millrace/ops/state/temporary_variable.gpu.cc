#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

#define MR_GPU_TEMPORARY_TYPES \
  "bfloat16, bool, complex128, complex64, double, float, half, int64, uint32"

MR_KERNELS(TemporaryVariable,
           Gpu){{.types = "dtype: " MR_GPU_TEMPORARY_TYPES, .make = OnHost}};
MR_KERNELS(DestroyTemporaryVariable,
           Gpu){{.types = "T: " MR_GPU_TEMPORARY_TYPES, .make = OnHost}};

}  // namespace millrace::ops
