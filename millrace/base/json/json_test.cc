#include "millrace/base/json/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "millrace/base/json/json_reader.h"

namespace millrace {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Json, Values) {
  const auto json = Json::Parse(
      "  {\"a\": [1, -2.5e3, true, null, \"x\\n\\u00e9\\ud83d\\ude00\"]}\n");
  ASSERT_TRUE(json.ok()) << json.status();
  const Json::Array& a = *json->Find("a")->array();
  EXPECT_EQ(*a[0].number(), 1);
  EXPECT_EQ(*a[1].number(), -2500);
  EXPECT_TRUE(*a[2].boolean());
  EXPECT_TRUE(a[3].is_null());
  EXPECT_EQ(*a[4].string(), "x\n\xc3\xa9\xf0\x9f\x98\x80");
  EXPECT_EQ(a[4].KindName(), "a text");
  EXPECT_EQ(json->Find("b"), nullptr);
  EXPECT_EQ(a[0].Find("b"), nullptr);
}

TEST(Json, WrongTexts) {
  for (const char* text : {"",
                           "{",
                           "[1",
                           "[1,]",
                           "{\"a\":1,}",
                           "{a:1}",
                           "{\"a\" 1}",
                           "01",
                           "-01",
                           "+1",
                           "1.",
                           ".5",
                           "1e",
                           "1e+",
                           "1.2.3",
                           "1 2",
                           "nul",
                           "nullx",
                           "NaN",
                           "\"a",
                           "\"\\x\"",
                           "\"\\u12\"",
                           "\"\\u+123\"",
                           "\"\\ud800\"",
                           "\"\\ud800\\u0041\"",
                           "\"\\udc00\"",
                           "\"\n\"",
                           "{\"a\":1,\"a\":2}",
                           "'a'",
                           "-",
                           "1e999x",
                           "\v1"}) {
    EXPECT_EQ(Json::Parse(text).status().code(), StatusCode::kInvalidArgument)
        << text;
  }
  EXPECT_FALSE(Json::Parse(absl::string_view("1\0", 2)).ok());
}

TEST(Json, ErrorsSayWhere) {
  EXPECT_EQ(Json::Parse("{\n  \"a\": }").status().message(),
            "malformed JSON at line 2, column 8: expected a value: \"text\", a "
            "number, true, false, null, [...] or {...}");
  EXPECT_THAT(Json::Parse("[1,\n2").status().message(),
              HasSubstr("line 2, column 2: expected , or ]"));
  EXPECT_THAT(Json::Parse("{\"a\":1,\"a\":2}").status().message(),
              HasSubstr("the key \"a\" comes twice"));
}

TEST(Json, NestsAHundredDeep) {
  const auto nested = [](size_t n) {
    return std::string(n, '[') + std::string(n, ']');
  };
  EXPECT_TRUE(Json::Parse(nested(100)).ok());
  EXPECT_THAT(Json::Parse(nested(101)).status().message(),
              HasSubstr("the nesting is too deep"));
  EXPECT_FALSE(Json::Parse(std::string(100000, '[')).ok());
  // Siblings do not count as nesting.
  std::string wide = "[";
  for (int i = 0; i < 200; ++i) wide += "[{}],";
  EXPECT_TRUE(Json::Parse(wide + "0]").ok());
}

TEST(JsonReader, MembersComeInOrderAndTwice) {
  JsonReader in(R"( {"b": 1, "a": -0.5e1, "b": 12345678901234567890} )");
  std::vector<std::string> read;
  const Status status = in.Object([&](std::string key) -> Status {
    MR_ASSIGN_OR_RETURN(const absl::string_view number, in.Number());
    read.push_back(key + std::string(number));
    return OkStatus();
  });
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_TRUE(in.ExpectEnd().ok());
  EXPECT_THAT(read, ElementsAre("b1", "a-0.5e1", "b12345678901234567890"));
}

TEST(JsonReader, SaysWhatItExpected) {
  JsonReader in("\n 7");
  EXPECT_EQ(in.String().status().message(),
            "malformed JSON at line 2, column 2: expected a text in quotes");
  EXPECT_THAT(in.Array([] { return OkStatus(); }).message(),
              HasSubstr("expected ["));
  EXPECT_FALSE(in.TakeWord("null"));
  EXPECT_EQ(in.Place(), "line 2, column 2");
}

}  // namespace
}  // namespace millrace
