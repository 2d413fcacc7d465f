#include "millrace/checkpoint/v1/ordered_code.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace millrace {
namespace {

using namespace ordered_code;

std::string Signed(int64_t v) {
  std::string s;
  AppendSigned(&s, v);
  return s;
}
std::string Number(uint64_t v) {
  std::string s;
  AppendNumber(&s, v);
  return s;
}
std::string Text(const std::string& v) {
  std::string s;
  AppendString(&s, v);
  return s;
}

std::vector<int64_t> InterestingNumbers() {
  std::vector<int64_t> v = {0, std::numeric_limits<int64_t>::min(),
                            std::numeric_limits<int64_t>::max()};
  for (int bit = 0; bit < 63; ++bit) {
    const int64_t p = int64_t{1} << bit;
    for (int64_t d : {-1, 0, 1}) {
      v.push_back(p + d);
      v.push_back(-p + d);
    }
  }
  return v;
}

TEST(OrderedCode, KnownBytes) {
  EXPECT_EQ(Number(0), std::string("\0", 1));
  EXPECT_EQ(Number(2), "\x01\x02");
  EXPECT_EQ(Number(0x1234), "\x02\x12\x34");
  EXPECT_EQ(Signed(0), "\x80");
  EXPECT_EQ(Signed(3), "\x83");
  EXPECT_EQ(Signed(-1), "\x7f");
  EXPECT_EQ(Signed(63), "\xbf");
  EXPECT_EQ(Signed(-64), "\x40");
  EXPECT_EQ(Signed(64), "\xc0\x40");
  EXPECT_EQ(Signed(-65), "\x3f\xbf");
  EXPECT_EQ(Signed(8192), std::string("\xe0\x20\x00", 3));
  EXPECT_EQ(Signed(std::numeric_limits<int64_t>::max()),
            "\xff\xc0\x7f\xff\xff\xff\xff\xff\xff\xff");
  EXPECT_EQ(Text("part"), std::string("part\0\1", 6));
  EXPECT_EQ(Text(std::string("\0\xff", 2)), std::string("\0\xff\xff\0\0\1", 6));
}

TEST(OrderedCode, RoundTripsAndKeepsOrder) {
  const std::vector<int64_t> numbers = InterestingNumbers();
  for (int64_t a : numbers) {
    const std::string code = Signed(a) + "rest";
    absl::string_view in = code;
    int64_t back = 0;
    ASSERT_TRUE(TakeSigned(&in, &back)) << a;
    EXPECT_EQ(back, a);
    EXPECT_EQ(in, "rest");

    const std::string unsigned_code = Number(static_cast<uint64_t>(a)) + "x";
    in = unsigned_code;
    uint64_t unsigned_back = 0;
    ASSERT_TRUE(TakeNumber(&in, &unsigned_back)) << a;
    EXPECT_EQ(unsigned_back, static_cast<uint64_t>(a));
    for (int64_t b : numbers) {
      EXPECT_EQ(a < b, Signed(a) < Signed(b)) << a << " " << b;
      EXPECT_EQ(
          static_cast<uint64_t>(a) < static_cast<uint64_t>(b),
          Number(static_cast<uint64_t>(a)) < Number(static_cast<uint64_t>(b)));
    }
  }
  const std::vector<std::string> texts = {"",
                                          std::string("\0", 1),
                                          std::string("\0\1", 2),
                                          std::string("\0a", 2),
                                          "a",
                                          std::string("a\0", 2),
                                          "a\x01",
                                          "ab",
                                          "\xfe",
                                          "\xff",
                                          "\xff\xff"};
  for (const std::string& a : texts) {
    const std::string code = Text(a) + std::string("\0\1", 2);
    absl::string_view in = code;
    std::string back;
    ASSERT_TRUE(TakeString(&in, &back));
    EXPECT_EQ(back, a);
    EXPECT_EQ(in.size(), 2u);
    for (const std::string& b : texts) {
      EXPECT_EQ(a < b, Text(a) < Text(b));
    }
  }
}

TEST(OrderedCode, RefusesBadBytes) {
  std::string text;
  uint64_t number = 0;
  int64_t signed_number = 0;
  for (const std::string& bad :
       {std::string(), std::string("abc"), std::string("\0", 1),
        std::string("\0\2", 2), std::string("\xff\1", 2),
        std::string("\xff")}) {
    absl::string_view in = bad;
    EXPECT_FALSE(TakeString(&in, &text));
    EXPECT_EQ(in.size(), bad.size());
  }
  for (const std::string& bad : {std::string(), std::string("\2\1"),
                                 std::string("\x09"
                                             "123456789"),
                                 std::string("\1\0", 2)}) {
    absl::string_view in = bad;
    EXPECT_FALSE(TakeNumber(&in, &number));
  }
  // Every two leading bytes before eight others: they parse to a value that
  // encodes back to them, or not at all.
  int accepted = 0;
  for (int a = 0; a < 256; ++a) {
    for (int b = 0; b < 256; ++b) {
      for (char fill : {'\0', '\x55', '\xff'}) {
        std::string code(12, fill);
        code[0] = static_cast<char>(a);
        code[1] = static_cast<char>(b);
        for (size_t n = 0; n <= code.size(); ++n) {
          const absl::string_view whole = absl::string_view(code).substr(0, n);
          absl::string_view in = whole;
          if (!TakeSigned(&in, &signed_number)) continue;
          ++accepted;
          ASSERT_EQ(Signed(signed_number),
                    whole.substr(0, whole.size() - in.size()));
        }
      }
    }
  }
  EXPECT_GT(accepted, 1000);
}

}  // namespace
}  // namespace millrace
