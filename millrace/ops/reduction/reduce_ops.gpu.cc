#include "millrace/ops/reduction/reduce_ops.gpu.h"

MR_GPU_SOURCE(reduction_reduce_ops);

namespace millrace::ops {

std::array<const GpuSource*, 2> WithReduceOps(const GpuSource& text) {
  return {&MR_GPU_SOURCE_OF(reduction_reduce_ops), &text};
}

}  // namespace millrace::ops
