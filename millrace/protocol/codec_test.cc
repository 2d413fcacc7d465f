#include "millrace/protocol/codec.h"

#include <cstring>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace millrace {
namespace {

using ::testing::HasSubstr;

template <class M>
std::string Bytes(const M& m) {
  StatusOr<ByteChunks> bytes = Encode(m);
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  return bytes.ok() ? bytes->Flatten() : "";
}

TEST(Codec, DefaultsTakeNoBytes) {
  EXPECT_EQ(Bytes(ConfigOptions()), "");
  EXPECT_EQ(Bytes(RunStepRequest()), "");
  EXPECT_EQ(Bytes(RunStepReply()), "");
  EXPECT_EQ(Bytes(RunGraphReply()), "");
  EXPECT_EQ(Bytes(CreateSessionRequest()), "");
}

TEST(Codec, UnknownFieldsOfAConfigAreKept) {
  ConfigOptions config;
  config.allow_soft_placement = true;
  config.graph_options.rewrite_options.disable_meta_optimizer = true;
  // placement_period (3) and, in graph_options.rewrite_options, field 28
  std::string bytes = Bytes(config) + "\x18\x07" +
                      std::string("\x52\x05\x52\x03\xe0\x01\x02", 7);
  ConfigOptions decoded;
  ASSERT_TRUE(Decode(ByteChunks(bytes), &decoded).ok());
  EXPECT_TRUE(decoded.allow_soft_placement);
  EXPECT_TRUE(decoded.graph_options.rewrite_options.disable_meta_optimizer);
  EXPECT_EQ(decoded.unknown_fields, "\x18\x07");
  EXPECT_EQ(decoded.graph_options.rewrite_options.unknown_fields,
            "\xe0\x01\x02");
  decoded.allow_soft_placement = false;
  ConfigOptions again;
  ASSERT_TRUE(Decode(ByteChunks(Bytes(decoded)), &again).ok());
  EXPECT_FALSE(again.allow_soft_placement);
  EXPECT_TRUE(again.graph_options.rewrite_options.disable_meta_optimizer);
  EXPECT_EQ(again.graph_options.rewrite_options.unknown_fields, "\xe0\x01\x02");
}

TEST(Codec, TracesOfAStepTravelBesideStocksFields) {
  RunGraphRequest request;
  EXPECT_EQ(Bytes(request), "");
  request.step_id = 3;
  request.trace_ids = {1, ~uint64_t{0}};
  RunGraphRequest decoded;
  ASSERT_TRUE(Decode(ByteChunks(Bytes(request)), &decoded).ok());
  EXPECT_EQ(decoded.step_id, 3);
  EXPECT_EQ(decoded.trace_ids, request.trace_ids);
}

TEST(Codec, UnknownFieldsOfARequestAreSkipped) {
  RunStepRequest decoded;
  ASSERT_TRUE(Decode(ByteChunks(std::string("\xa2\x06\x03"
                                            "abc"
                                            "\x0a\x01h",
                                            9)),
                     &decoded)
                  .ok());
  EXPECT_EQ(decoded.session_handle, "h");
}

TEST(Codec, StatusOfABody) {
  RunGraphReply reply;
  reply.status = MarkDerived(Aborted("worker went away"));
  RunGraphReply decoded;
  ASSERT_TRUE(Decode(ByteChunks(Bytes(reply)), &decoded).ok());
  EXPECT_EQ(decoded.status.code(), StatusCode::kAborted);
  EXPECT_EQ(decoded.status.message(), "worker went away");
  EXPECT_TRUE(IsDerived(decoded.status));

  RunStepReply step;
  // The message comes before the code, and the code is unknown.
  ASSERT_TRUE(
      Decode(ByteChunks(std::string("\x22\x01x\x18\x0b", 5)), &step).ok());
  EXPECT_EQ(step.status, OutOfRange("x"));
  step = RunStepReply();
  ASSERT_TRUE(Decode(ByteChunks(std::string("\x18\x63", 2)), &step).ok());
  EXPECT_EQ(step.status.code(), StatusCode::kUnknown);
}

// Stock clients cannot read a reply with a string that is not UTF-8.
TEST(Codec, StatusOfABodyIsWellFormed) {
  RunStepReply reply;
  reply.status =
      InvalidArgument("not a number: \xff\xc3\xa9\xe2\x82 \xed\xa0\x80");
  RunStepReply decoded;
  ASSERT_TRUE(Decode(ByteChunks(Bytes(reply)), &decoded).ok());
  EXPECT_EQ(decoded.status,
            InvalidArgument("not a number: \xef\xbf\xbd\xc3\xa9\xef\xbf\xbd "
                            "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"));
}

TEST(Codec, BigFeedsAreNotCopied) {
  const Tensor big = Tensor::Zeros(DataType::kFloat, {4096});
  RunStepRequest request;
  request.session_handle = "s";
  request.feeds.push_back({"x:0", big});
  request.feeds.push_back({"y:0", Tensor::Scalar<int32_t>(3)});
  StatusOr<ByteChunks> bytes = Encode(request);
  ASSERT_TRUE(bytes.ok());
  ASSERT_EQ(bytes->chunks().size(), 3u);
  EXPECT_EQ(bytes->chunks()[1].bytes.data(), big.data());
  RunStepRequest decoded;
  ASSERT_TRUE(Decode(*bytes, &decoded).ok());
  ASSERT_EQ(decoded.feeds.size(), 2u);
  EXPECT_EQ(decoded.feeds[0].name, "x:0");
  EXPECT_EQ(decoded.feeds[0].tensor.buffer(), big.buffer());
  EXPECT_TRUE(
      IdenticalTensors(decoded.feeds[1].tensor, request.feeds[1].tensor));
}

TEST(Codec, StringsGoAsThePeersExpectThem) {
  const Tensor s = Tensor::Vector<std::string>({"ab", "c"});
  RunStepRequest request;
  request.feeds.push_back({"x:0", s});
  EXPECT_THAT(Bytes(request), HasSubstr(std::string("\x22\x05\x02\x01"
                                                    "abc",
                                                    7)));
  RunStepReply reply;
  reply.tensors.push_back({"x:0", s});
  EXPECT_THAT(Bytes(reply), HasSubstr(std::string("\x42\x02"
                                                  "ab"
                                                  "\x42\x01"
                                                  "c",
                                                  7)));
}

TEST(Codec, ErrorsNameTheTensor) {
  RunStepRequest request;
  // feed { name: "x:0" tensor { dtype: 24 } }
  Status status =
      Decode(ByteChunks(std::string("\x12\x09\x0a\x03x:0\x12\x02\x08\x18", 11)),
             &request);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("x:0"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("float8_e5m2"));
  // feed { name: "x:0" } without a tensor
  status = Decode(ByteChunks(std::string("\x12\x05\x0a\x03x:0", 7)), &request);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);

  RunStepReply reply;
  class Local final : public VariantValue {
   public:
    absl::string_view type_name() const override { return "Local"; }
  };
  reply.tensors.push_back({"v:0", Tensor::Scalar<VariantElement>(
                                      VariantElement(MakeRef<Local>()))});
  EXPECT_THAT(std::string(Encode(reply).status().message()), HasSubstr("v:0"));
}

TEST(Codec, RecvTensor) {
  RecvTensorReply reply;
  reply.tensor = Tensor::Vector<float>({1, 2});
  reply.send_start_micros = 5;
  RecvTensorReply decoded;
  ASSERT_TRUE(Decode(ByteChunks(Bytes(reply)), &decoded).ok());
  EXPECT_TRUE(IdenticalTensors(decoded.tensor, reply.tensor));
  EXPECT_EQ(decoded.send_start_micros, 5);

  // A dead tensor has a type and a shape even if the sender omitted them.
  reply.tensor = Tensor();
  EXPECT_FALSE(Encode(reply).ok());
  reply.is_dead = true;
  decoded = RecvTensorReply();
  ASSERT_TRUE(Decode(ByteChunks(Bytes(reply)), &decoded).ok());
  EXPECT_TRUE(decoded.is_dead);
  EXPECT_EQ(decoded.tensor.dtype(), DataType::kFloat);
  decoded = RecvTensorReply();
  EXPECT_TRUE(Decode(ByteChunks(std::string("\x10\x01", 2)), &decoded).ok());
  EXPECT_TRUE(decoded.is_dead);
  decoded = RecvTensorReply();
  EXPECT_EQ(Decode(ByteChunks(), &decoded).code(),
            StatusCode::kInvalidArgument);
}

TEST(Codec, RecvBufContentIsShared) {
  RecvBufReply reply;
  reply.content = ByteChunks(std::string(4096, 'z'));
  const char* data = reply.content.chunks()[0].bytes.data();
  StatusOr<ByteChunks> bytes = Encode(reply);
  ASSERT_TRUE(bytes.ok());
  RecvBufReply decoded;
  ASSERT_TRUE(Decode(*bytes, &decoded).ok());
  ASSERT_EQ(decoded.content.chunks().size(), 1u);
  EXPECT_EQ(decoded.content.chunks()[0].bytes.data(), data);
  // Borrowed bytes must be copied.
  const std::string flat = bytes->Flatten();
  decoded = RecvBufReply();
  ASSERT_TRUE(Decode(ByteChunks::Borrow(flat), &decoded).ok());
  EXPECT_TRUE(decoded.content.chunks()[0].owner);
  EXPECT_EQ(decoded.content.Flatten(), std::string(4096, 'z'));
}

TEST(Codec, RepeatedNumbersPackedOrNot) {
  for (const std::string& bytes :
       {std::string("\x1a\x02\x05\x06"), std::string("\x18\x05\x18\x06")}) {
    LoggingRequest request;
    ASSERT_TRUE(Decode(ByteChunks(bytes), &request).ok());
    EXPECT_EQ(request.fetch_step_id, (std::vector<int64_t>{5, 6}));
  }
}

TEST(Codec, GraphsThatAreNone) {
  CreateSessionRequest request;
  EXPECT_EQ(
      Decode(ByteChunks(std::string("\x0a\x02\x0a\x05", 4)), &request).code(),
      StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace millrace
