#include "millrace/ops/summary/summary_message.h"

#include <bit>

#include "millrace/base/coding.h"

namespace millrace::ops {
namespace {

// Keys of fields: number << 3 | wire type.
constexpr char kSummaryValue = 1 << 3 | 2;
constexpr char kTag = 1 << 3 | 2;
constexpr char kSimpleValue = 2 << 3 | 5;
constexpr char kImage = 4 << 3 | 2;
constexpr char kHistogram = 5 << 3 | 2;
constexpr char kAudio = 6 << 3 | 2;
constexpr char kNodeName = 7 << 3 | 2;
constexpr char kTensor = 8 << 3 | 2;
constexpr char kMetadata = 9 << 3 | 2;

// These leave a field out if it is zero or empty.
void PutNumber(std::string* out, int field, int64_t value) {
  if (value == 0) return;
  out->push_back(static_cast<char>(field << 3));
  PutVarint64(out, static_cast<uint64_t>(value));
}
void PutBytes(std::string* out, char key, absl::string_view bytes) {
  if (bytes.empty()) return;
  out->push_back(key);
  PutLengthPrefixed(out, bytes);
}

// Reads one field from the front. Returns false for malformed bytes.
bool NextField(absl::string_view* in, uint64_t* key, absl::string_view* body) {
  if (!GetVarint64(in, key)) return false;
  uint64_t number;
  uint64_t fixed64;
  uint32_t fixed32;
  *body = {};
  switch (*key & 7) {
    case 0:
      return GetVarint64(in, &number);
    case 1:
      return GetFixed64(in, &fixed64);
    case 2:
      return GetLengthPrefixed(in, body);
    case 5:
      return GetFixed32(in, &fixed32);
    default:
      return false;
  }
}

}  // namespace

void AppendValue(absl::string_view bytes, std::string* summary) {
  summary->push_back(kSummaryValue);
  PutLengthPrefixed(summary, bytes);
}

void AppendScalar(absl::string_view tag, float value, std::string* summary) {
  std::string bytes(1, kTag);
  PutLengthPrefixed(&bytes, tag);
  bytes.push_back(kSimpleValue);
  PutFixed32(&bytes, std::bit_cast<uint32_t>(value));
  AppendValue(bytes, summary);
}

void AppendHistogram(absl::string_view tag, absl::string_view histogram,
                     std::string* summary) {
  std::string bytes(1, kTag);
  PutLengthPrefixed(&bytes, tag);
  bytes.push_back(kHistogram);
  PutLengthPrefixed(&bytes, histogram);
  AppendValue(bytes, summary);
}

void AppendImage(absl::string_view tag, int64_t height, int64_t width,
                 int64_t colorspace, absl::string_view png,
                 std::string* summary) {
  std::string image;
  PutNumber(&image, 1, height);
  PutNumber(&image, 2, width);
  PutNumber(&image, 3, colorspace);
  PutBytes(&image, 4 << 3 | 2, png);
  std::string bytes;
  PutBytes(&bytes, kTag, tag);
  bytes.push_back(kImage);
  PutLengthPrefixed(&bytes, image);
  AppendValue(bytes, summary);
}

void AppendAudio(absl::string_view tag, float sample_rate, int64_t channels,
                 int64_t frames, absl::string_view wav, std::string* summary) {
  std::string audio(1, 1 << 3 | 5);
  PutFixed32(&audio, std::bit_cast<uint32_t>(sample_rate));
  PutNumber(&audio, 2, channels);
  PutNumber(&audio, 3, frames);
  PutBytes(&audio, 4 << 3 | 2, wav);
  PutBytes(&audio, 5 << 3 | 2, "audio/wav");
  std::string bytes;
  PutBytes(&bytes, kTag, tag);
  bytes.push_back(kAudio);
  PutLengthPrefixed(&bytes, audio);
  AppendValue(bytes, summary);
}

void AppendTensor(const TensorValue& value, std::string* summary) {
  std::string bytes;
  PutBytes(&bytes, kTag, value.tag);
  PutBytes(&bytes, kNodeName, value.node_name);
  bytes.push_back(kTensor);
  PutLengthPrefixed(&bytes, value.tensor);
  if (value.metadata != nullptr) {
    bytes.push_back(kMetadata);
    PutLengthPrefixed(&bytes, *value.metadata);
  }
  AppendValue(bytes, summary);
}

bool IsMessage(absl::string_view bytes) {
  uint64_t key;
  absl::string_view body;
  while (!bytes.empty()) {
    if (!NextField(&bytes, &key, &body) || key >> 3 == 0) return false;
  }
  return true;
}

StatusOr<CountedVector<SummaryValue>> SplitSummary(absl::string_view summary) {
  CountedVector<SummaryValue> values;
  uint64_t key;
  absl::string_view body;
  while (!summary.empty()) {
    if (!NextField(&summary, &key, &body)) {
      return InvalidArgument("Could not parse one of the summary inputs");
    }
    if (key != kSummaryValue) continue;
    SummaryValue value{{}, body};
    absl::string_view rest = body;
    absl::string_view field;
    while (!rest.empty()) {
      if (!NextField(&rest, &key, &field)) {
        return InvalidArgument("Could not parse one of the summary inputs");
      }
      if (key == kTag) value.tag = field;
    }
    values.push_back(value);
  }
  return values;
}

}  // namespace millrace::ops
