// Checks and plans of DynamicPartition and DynamicStitch, for the memory of any
// device.
#pragma once

#include <cstdint>

#include "millrace/kernel/kernel_context.h"

namespace millrace::ops {

Status CheckPartition(const TensorShape& data, const TensorShape& partitions);

struct StitchPlan {
  TensorShape shape;
  int64_t slice = 0;  // elements of a row
  // For each row the address of the last slice that is assigned to it, int64 in
  // host memory; 0 for none.
  Tensor sources;
};
// Checks the inputs of DynamicStitch, whose indices lie in host memory.
StatusOr<StitchPlan> PlanStitch(KernelContext& ctx);

}  // namespace millrace::ops
