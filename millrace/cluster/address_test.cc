#include "millrace/cluster/address.h"

#include <gtest/gtest.h>

namespace millrace {
namespace {

TEST(HostPortTest, ParsesAndPrints) {
  for (const char* text : {"localhost:2222", "127.0.0.1:0", "[::1]:65535"}) {
    const StatusOr<HostPort> parsed = HostPort::Parse(text);
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    EXPECT_EQ(parsed->ToString(), text);
  }
  EXPECT_EQ(HostPort::Parse("[::1]:5")->host, "::1");
}

TEST(HostPortTest, SaysWhatIsWrong) {
  for (const char* text : {"", "localhost", ":22", "h:", "h:x", "h:65536",
                           "h:-1", "::1:22", "[::1:22"}) {
    const Status status = HostPort::Parse(text).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << text;
    EXPECT_NE(status.message().find("expected host:port"),
              absl::string_view::npos);
  }
}

TEST(HostPortTest, KnowsKindsOfHosts) {
  EXPECT_TRUE(IsLoopback("localhost") && IsLoopback("127.0.0.9") &&
              IsLoopback("::1"));
  EXPECT_FALSE(IsLoopback("10.0.0.1") || IsLoopback("0.0.0.0") ||
               IsLoopback(""));
  EXPECT_TRUE(IsAnyHost("0.0.0.0") && IsAnyHost("::") && IsAnyHost(""));
  EXPECT_FALSE(IsAnyHost("127.0.0.1"));
}

}  // namespace
}  // namespace millrace
