// Writes and reads the Summary message without protobuf: values with a tag and
// a number, a histogram, an image, audio or a tensor (fields:
// proto/event/summary.proto).
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "millrace/base/memory/counted_vector.h"
#include "millrace/base/status.h"

namespace millrace::ops {

// Each appends one value to a serialized Summary.
void AppendScalar(absl::string_view tag, float value, std::string* summary);
void AppendHistogram(absl::string_view tag, absl::string_view histogram,
                     std::string* summary);
void AppendImage(absl::string_view tag, int64_t height, int64_t width,
                 int64_t colorspace, absl::string_view png,
                 std::string* summary);
void AppendAudio(absl::string_view tag, float sample_rate, int64_t channels,
                 int64_t frames, absl::string_view wav, std::string* summary);
// `tensor` and `metadata` are serialized messages; a null pointer leaves the
// field out.
struct TensorValue {
  absl::string_view tag = {};
  absl::string_view node_name = {};
  absl::string_view tensor = {};
  const absl::string_view* metadata = nullptr;
};
void AppendTensor(const TensorValue& value, std::string* summary);

// Returns whether the bytes are a sequence of complete fields.
bool IsMessage(absl::string_view bytes);

// Returns the tags and bytes of the values of a serialized Summary, as views
// into it. Returns INVALID_ARGUMENT if it is malformed.
struct SummaryValue {
  absl::string_view tag;
  absl::string_view bytes;
};
StatusOr<CountedVector<SummaryValue>> SplitSummary(absl::string_view summary);
void AppendValue(absl::string_view bytes, std::string* summary);

}  // namespace millrace::ops
