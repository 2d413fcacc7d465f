#include "millrace/base/json/json_text.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "millrace/base/json/json.h"

namespace millrace {
namespace {

TEST(JsonText, WhatTheReaderReads) {
  const std::string text = "a\"b\\c\n\x01/\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80";
  const auto read = Json::Parse(JsonString(text));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read->string(), text);
}

TEST(JsonText, NoUtf8IsReplacedByteByByte) {
  const std::string kBad = "\xef\xbf\xbd";
  EXPECT_EQ(JsonString("a\xff"), absl::StrCat("\"a", kBad, "\""));
  // Truncated, overlong, a surrogate, beyond Unicode.
  EXPECT_EQ(JsonString("\xe2\x82"), absl::StrCat("\"", kBad, kBad, "\""));
  EXPECT_EQ(JsonString("\xc0\x80"), absl::StrCat("\"", kBad, kBad, "\""));
  EXPECT_EQ(JsonString("\xed\xa0\x80"),
            absl::StrCat("\"", kBad, kBad, kBad, "\""));
  EXPECT_EQ(JsonString("\xf4\x90\x80\x80"),
            absl::StrCat("\"", kBad, kBad, kBad, kBad, "\""));
  EXPECT_EQ(JsonString(absl::string_view("\0", 1)), "\"\\u0000\"");
}

TEST(JsonText, Objects) {
  EXPECT_EQ(JsonObjectText().Text(), "{}");
  EXPECT_EQ(JsonObjectText()
                .Add("a", "x")
                .Add("b", int64_t{-3})
                .AddJson("c", JsonObjectText().Add("d", "").Text())
                .Text(),
            "{\"a\": \"x\", \"b\": -3, \"c\": {\"d\": \"\"}}");
}

}  // namespace
}  // namespace millrace
