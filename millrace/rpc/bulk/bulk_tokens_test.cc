#include "millrace/rpc/bulk/bulk_tokens.h"

#include <gtest/gtest.h>

#include <vector>

namespace millrace {
namespace {

constexpr int64_t kSecondOfToken = 1'000'000'000;

TEST(BulkTokensTest, EachOnceWithinAMinute) {
  BulkTokens tokens;
  const std::string first = tokens.Make(0), second = tokens.Make(0);
  const std::string late = tokens.Make(5 * kSecondOfToken);
  EXPECT_NE(first, second);
  EXPECT_TRUE(tokens.Take(first, 1 * kSecondOfToken));
  EXPECT_FALSE(tokens.Take(first, 1 * kSecondOfToken));
  EXPECT_FALSE(tokens.Take(second, 61 * kSecondOfToken));
  // Also after tokens taken before have been forgotten.
  EXPECT_TRUE(tokens.Take(late, 64 * kSecondOfToken));
  EXPECT_FALSE(tokens.Take(late, 64 * kSecondOfToken));
  EXPECT_FALSE(tokens.Take(first, 64 * kSecondOfToken));
}

TEST(BulkTokensTest, AnyNumberOfOthersTakesNone) {
  BulkTokens tokens;
  const std::string first = tokens.Make(0);
  std::string last;
  for (int64_t i = 0; i < 200'000; ++i) last = tokens.Make(i);
  EXPECT_TRUE(tokens.Take(first, kSecondOfToken));
  EXPECT_TRUE(tokens.Take(last, kSecondOfToken));
}

TEST(BulkTokensTest, NoneCanBeMadeElsewhere) {
  BulkTokens tokens, other;
  const std::string token = tokens.Make(12345);
  EXPECT_EQ(token.size(), 48u);
  EXPECT_FALSE(other.Take(token, kSecondOfToken));
  for (size_t i = 0; i < token.size(); ++i) {
    std::string changed = token;
    changed[i] = changed[i] == '0' ? '1' : '0';
    EXPECT_FALSE(tokens.Take(changed, kSecondOfToken)) << changed;
  }
  for (const std::string& wrong :
       {std::string(), std::string("0"), token.substr(1), token + "0",
        std::string(48, 'x'), "0x" + token.substr(2), std::string(48, '\0')}) {
    EXPECT_FALSE(tokens.Take(wrong, kSecondOfToken)) << wrong;
  }
  EXPECT_TRUE(tokens.Take(token, kSecondOfToken));
}

TEST(BulkTokensTest, TakenOnesAreForgottenInTheOrderOfTheirMaking) {
  BulkTokens tokens;
  std::vector<std::string> made;
  for (size_t i = 0; i <= BulkTokens::kMaxTaken; ++i) {
    made.push_back(tokens.Make(kSecondOfToken));
    ASSERT_TRUE(tokens.Take(made.back(), 2 * kSecondOfToken));
  }
  EXPECT_FALSE(tokens.Take(made.back(), 2 * kSecondOfToken));
  EXPECT_FALSE(tokens.Take(made[1], 2 * kSecondOfToken));
}

}  // namespace
}  // namespace millrace
