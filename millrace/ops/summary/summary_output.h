// The tag, the tensors and the size limit of a summary, for kernels that write
// one.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "absl/strings/string_view.h"
#include "millrace/kernel/kernel.h"

namespace millrace::ops {

// A message holds less than 2 GiB.
inline constexpr size_t kMaxSummaryBytes = std::numeric_limits<int32_t>::max();

// Sets output 0 to a serialized summary. Returns INVALID_ARGUMENT if it is too
// large.
Status SetSummary(KernelContext& ctx, absl::string_view summary);

// Returns the tag of value `i` of at most `most`: "TAG/image/3" for the kind
// "image", or without the number if there is at most one.
std::string NumberedTag(absl::string_view tag, const char* kind, int64_t most,
                        int64_t i);

// Returns a serialized TensorProto. INVALID_ARGUMENT if it is too large for a
// summary.
StatusOr<std::string> EncodeTensorValue(const Tensor& tensor);

}  // namespace millrace::ops
