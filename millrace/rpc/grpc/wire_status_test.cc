#include "millrace/rpc/grpc/wire_status.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace millrace {
namespace {

TEST(WireStatusTest, ThereAndBack) {
  EXPECT_TRUE(FromGrpcStatus(ToGrpcStatus(OkStatus(), Payloads::kSent)).ok());
  Status status = MarkDerived(Aborted("no \xc3\xa4\n"));
  status.SetPayload("type.googleapis.com/x", absl::Cord("value"));
  EXPECT_EQ(FromGrpcStatus(ToGrpcStatus(status, Payloads::kSent)), status);
  EXPECT_TRUE(IsDerived(FromGrpcStatus(ToGrpcStatus(status, Payloads::kSent))));
  EXPECT_EQ(FromGrpcStatus(ToGrpcStatus(status, Payloads::kLeftOut)),
            Aborted("no \xc3\xa4\n"));
}

TEST(WireStatusTest, EveryCode) {
  for (int code = 1; code <= 16; ++code) {
    const Status status(static_cast<StatusCode>(code), "x");
    EXPECT_EQ(FromGrpcStatus(ToGrpcStatus(status, Payloads::kLeftOut)), status);
  }
}

TEST(WireStatusTest, StockDerivedMark) {
  // GrpcPayloadContainer{payloads: {url: ""}}, with the map's value written
  // out.
  const std::string url = "type.googleapis.com/tensorflow.DerivedStatus";
  const std::string entry =
      absl::StrCat("\x0a", std::string(1, static_cast<char>(url.size())), url,
                   std::string("\x12\x00", 2));
  const grpc::Status status(
      grpc::StatusCode::CANCELLED, "cut off",
      absl::StrCat("\x0a", std::string(1, static_cast<char>(entry.size())),
                   entry));
  EXPECT_EQ(FromGrpcStatus(status), MarkDerived(Cancelled("cut off")));
}

TEST(WireStatusTest, BadDetailsAndCodesAreNotTrusted) {
  for (const std::string& details :
       {std::string("\x0a\xff"), std::string("\x0a\x02\x0a\x7f"),
        std::string("\xff\xff\xff"), std::string("\x10\x01")}) {
    EXPECT_EQ(
        FromGrpcStatus(grpc::Status(grpc::StatusCode::INTERNAL, "x", details)),
        Internal("x"));
  }
  EXPECT_EQ(FromGrpcStatus(grpc::Status(static_cast<grpc::StatusCode>(99), "x"))
                .code(),
            StatusCode::kUnknown);
}

TEST(WireStatusTest, MessagesFitAHeader) {
  // Each of these letters takes six bytes of the header.
  std::string text;
  for (int i = 0; i < 1500; ++i) text += "\xc3\xa4";
  const std::string cut =
      ToGrpcStatus(Internal(text), Payloads::kLeftOut).error_message();
  EXPECT_LT(cut.size(), 1800u);
  EXPECT_GT(cut.size(), 1500u);
  EXPECT_THAT(cut, ::testing::EndsWith("\xc3\xa4 [...]"));
  EXPECT_EQ(ToGrpcStatus(Internal(std::string(3000, 'a')), Payloads::kLeftOut)
                .error_message()
                .size(),
            3000u);
}

TEST(WireStatusTest, Deadlines) {
  EXPECT_TRUE(FromTimespec(ToTimespec(Deadline::Infinite())).infinite());
  EXPECT_TRUE(FromTimespec(gpr_inf_future(GPR_CLOCK_REALTIME)).infinite());
  const Deadline soon = Deadline::AfterMillis(5000);
  EXPECT_NEAR(static_cast<double>(FromTimespec(ToTimespec(soon)).nanos()),
              static_cast<double>(soon.nanos()), 1e8);
  EXPECT_TRUE(FromTimespec(ToTimespec(Deadline::At(1))).expired());
  EXPECT_TRUE(FromTimespec(gpr_inf_past(GPR_CLOCK_REALTIME)).expired());
}

TEST(WireStatusTest, Addresses) {
  EXPECT_EQ(PeerAddress("ipv4:127.0.0.1:80"), "127.0.0.1:80");
  EXPECT_EQ(PeerAddress("ipv6:%5B::1%5D:80"), "[::1]:80");
  EXPECT_EQ(PeerAddress("unix:/tmp/a"), "unix:/tmp/a");
  EXPECT_EQ(ChannelTarget("127.0.0.1:80"), "ipv4:127.0.0.1:80");
  EXPECT_EQ(ChannelTarget("[::1]:80"), "ipv6:[::1]:80");
  EXPECT_EQ(ChannelTarget("unix:/tmp/a"), "unix:/tmp/a");
  EXPECT_EQ(ChannelTarget("host:80"), "dns:///host:80");
}

}  // namespace
}  // namespace millrace
