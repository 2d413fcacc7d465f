// The bins of HistogramFixedWidth, for the memory of any device.
#pragma once

#include <cstdint>

#include "millrace/kernel/kernel_context.h"

namespace millrace::ops {

struct HistogramPlan {
  double low = 0, width = 0;
  int64_t bins = 0;
};
// Reads the range and the number of bins, in host memory.
StatusOr<HistogramPlan> PlanHistogram(const Tensor& range, const Tensor& nbins);

}  // namespace millrace::ops
