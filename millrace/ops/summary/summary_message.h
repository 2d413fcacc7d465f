// The Summary message, written by hand: values of a tag with a number or a
// histogram (fields: proto/event/summary.proto).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "millrace/base/status.h"

namespace millrace::ops {

// Each appends one value to a serialized Summary.
void AppendScalar(absl::string_view tag, float value, std::string* summary);
void AppendHistogram(absl::string_view tag, absl::string_view histogram,
                     std::string* summary);

// Tags and bytes of the values of a serialized Summary, viewing it.
// INVALID_ARGUMENT if it is none.
struct SummaryValue {
  absl::string_view tag;
  absl::string_view bytes;
};
StatusOr<std::vector<SummaryValue>> SplitSummary(absl::string_view summary);
void AppendValue(absl::string_view bytes, std::string* summary);

}  // namespace millrace::ops
