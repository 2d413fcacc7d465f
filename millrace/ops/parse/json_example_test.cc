#include "millrace/ops/parse/json_example.h"

#include <gtest/gtest.h>

#include <string>

namespace millrace::ops {
namespace {

constexpr char kJson[] =
    R"({"features": {"feature": {"a": {"int64List": {"value": ["1", -2]}},)"
    R"( "b\u00e9": {"bytesList": {"value": ["YWI="]}}}}})";

std::string Encode(absl::string_view json) {
  std::string out;
  const Status status = EncodeJsonExample(json, &out);
  return status.ok() ? out : std::string(status.message());
}

TEST(JsonExample, IsTheMessage) {
  const std::string a(
      "\x0a\x14\x0a\x01"
      "a\x12\x0f\x1a\x0d\x0a\x0b\x01\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01",
      22);
  const std::string b(
      "\x0a\x0d\x0a\x03"
      "b\xc3\xa9\x12\x06\x0a\x04\x0a\x02"
      "ab",
      15);
  EXPECT_EQ(
      Encode(kJson),
      "\x0a" + std::string(1, static_cast<char>(a.size() + b.size())) + a + b);
  EXPECT_EQ(Encode("{}"), "");
}

TEST(JsonExample, EveryPrefixIsAnError) {
  const std::string json = kJson;
  for (size_t n = 0; n < json.size(); ++n) {
    std::string out;
    EXPECT_EQ(EncodeJsonExample(json.substr(0, n), &out).code(),
              StatusCode::kInvalidArgument)
        << n;
  }
}

TEST(JsonExample, ErrorsSayWhere) {
  EXPECT_EQ(Encode("{\"features\":\n 7}"),
            "malformed JSON at line 2, column 2: expected {");
  EXPECT_EQ(Encode("{\"feature\": {}}"),
            "no such field: feature at line 1, column 12");
}

}  // namespace
}  // namespace millrace::ops
