#include <bit>

#include "millrace/base/coding.h"
#include "millrace/ops/summary/summary_message.h"

namespace millrace::ops {
namespace {

// Keys of fields: number << 3 | wire type.
constexpr char kSummaryValue = 1 << 3 | 2;
constexpr char kTag = 1 << 3 | 2;
constexpr char kSimpleValue = 2 << 3 | 5;
constexpr char kHistogram = 5 << 3 | 2;

// Takes one field off the front; false at malformed bytes.
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

StatusOr<std::vector<SummaryValue>> SplitSummary(absl::string_view summary) {
  std::vector<SummaryValue> values;
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
