// A histogram as a value of a summary.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "millrace/base/status.h"
#include "millrace/tensor/tensor.h"

namespace millrace::ops {

// Returns a serialized HistogramProto of real numbers or bools.
// INVALID_ARGUMENT, which says `what` they are, if one is not finite.
StatusOr<std::string> EncodeHistogram(const Tensor& values,
                                      absl::string_view what);

}  // namespace millrace::ops
