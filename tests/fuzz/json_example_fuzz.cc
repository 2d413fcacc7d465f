// Rooms: ops.cpu
// Any bytes as an Example in JSON: an error, or a message that is well formed.
#include <cstdint>

#include "millrace/base/check.h"
#include "millrace/ops/parse/feature_wire.h"
#include "millrace/ops/parse/json_example.h"
#include "tests/fuzz/seeds.h"

namespace {

using namespace millrace;
using namespace millrace::ops;

bool IsExample(absl::string_view message) {
  return VisitFields(message, [](uint32_t, absl::string_view features) {
    bool good = true;
    return VisitMap(features,
                    [&](absl::string_view, absl::string_view feature) {
                      FeatureView view;
                      good &=
                          ReadFeature(feature, &view) && CountValues(view) >= 0;
                    }) &&
           good;
  });
}

}  // namespace

std::vector<std::string> millrace::FuzzSeeds() {
  return {
      R"({"features":{"feature":{"a":{"int64List":{"value":["1",-2,3e0]}}}}})",
      R"({"features":{"feature":{"b":{"floatList":{"value":[1.5,"NaN",1e-9]}},
              "c":{"bytesList":{"value":["aGVsbG8=",""]}}}}})",
      R"({"features":{"feature":{"\u00e9\ud83d\ude00":{"int64_list":
              {"value":["9223372036854775807"]}},"n":null}}})",
      R"({"features":{"feature":{"a":{"floatList":{"value":[1e999]}}}}})",
      "[[[[[[[[{\"a\":\"\\u12\"}]]]]]]]]"};
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string message = "in front";
  const size_t before = message.size();
  const Status status = EncodeJsonExample(
      absl::string_view(reinterpret_cast<const char*>(data), size), &message);
  if (!status.ok()) {
    MR_CHECK(status.code() == StatusCode::kInvalidArgument, status.ToString());
    return 0;
  }
  // A number of one digit costs a byte or more in JSON, at most ten here; an
  // entry of a map has few bytes more than its text.
  MR_CHECK(message.size() - before <= 16 * size + 16);
  MR_CHECK(IsExample(absl::string_view(message).substr(before)));
  return 0;
}
