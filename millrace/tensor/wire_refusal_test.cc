// Tests malformed and too large messages, and tensors that cannot be encoded.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "millrace/tensor/testing/wire_hex.h"

namespace millrace {
namespace {

using ::testing::HasSubstr;

// Refuses more than `limit` bytes in one piece.
class LimitAllocator : public Allocator {
 public:
  explicit LimitAllocator(size_t limit) : limit_(limit) {}
  absl::string_view name() const override { return "limit"; }
  StatusOr<Ref<Buffer>> Allocate(size_t size_bytes) override {
    if (size_bytes > limit_)
      return ResourceExhausted("no room for ", size_bytes);
    return HostAllocator()->Allocate(size_bytes);
  }

 private:
  size_t limit_;
};

TEST(WireRefusal, TypesThatAreRefusedByName) {
  const auto message = [](const char* hex) {
    return std::string(Decode(Hex(hex)).status().message());
  };
  EXPECT_THAT(message("0818"), HasSubstr("float8_e5m2"));
  EXPECT_THAT(message("081d"), HasSubstr("int4"));
  EXPECT_THAT(message("0865"), HasSubstr("float_ref"));
  for (const char* hex :
       {"", "0800", "0818", "0821", "0864", "0865", "087c", "08ffffffff0f"}) {
    EXPECT_EQ(Decode(Hex(hex)).status().code(), StatusCode::kInvalidArgument)
        << hex;
  }
}

TEST(WireRefusal, MalformedInputs) {
  for (const char* hex : {
           "08",                        // no value
           "08ffffffffffffffffffff01",  // varint too long
           "0001",                      // field 0
           "0f",                        // wire type 7
           "0c",                        // end of a group that never began
           "a306",                      // a group that never ends
           "0801"
           "120412020802"
           "2209",  // length beyond the end
           "0801"
           "120412020802"
           "2207"
           "00000000000000",  // content too short
           "0801"
           "120412020802"
           "2209"
           "000000000000000000",  // content too long
           "0801"
           "12021200"
           "220400000000",  // content of an empty tensor
           "0801"
           "12021801",  // unknown rank
           "0801"
           "120d120b08ffffffffffffffffff01",  // size -1
           "0801"
           "120712050880808008"
           "12061204ffffffff",  // malformed dimension
           "0801"
           "120412020802"
           "2a0300000000",  // float_val of 3 bytes
           "0808"
           "120412020802"
           "4a040000803f",  // half a complex number
           "0803"
           "120412020802"
           "3a0180",  // packed varint cut
           "0807"
           "120412020802"
           "22020505",  // lengths without bytes
           "0807"
           "120412020802"
           "22030101"
           "61",  // too few bytes
           "0807"
           "120412020802"
           "2204010161"
           "6262",  // too many bytes
           "0807"
           "120412020802"
           "220bffffffffffffffffff01"
           "01",  // lengths overflow
           "0807"
           "120c120a08ffffffffffffffff7f"
           "220100",  // 2^63-1 strings
           "0814"
           "1200"
           "220105",  // content of a resource that ends early
           "0814"
           "1200"
           "7203"
           "0a05"
           "61",  // handle cut
           "0814"
           "1200"
           "7206"
           "3204"
           "0818"
           "1200",  // handle to float8
       }) {
    StatusOr<Tensor> t = Decode(Hex(hex));
    EXPECT_EQ(t.status().code(), StatusCode::kInvalidArgument)
        << hex << " " << t.status();
  }
}

TEST(WireRefusal, ShapeLimits) {
  std::string dims;
  for (int i = 0; i < 254; ++i) dims += Hex("12020801");
  const auto message = [](const std::string& dims) {
    ChunkWriter w;
    w.VarintField(1, 1);
    w.BytesField(2, dims);
    return std::move(w).Finish().Flatten();
  };
  EXPECT_TRUE(Decode(message(dims)).ok());
  EXPECT_EQ(Decode(message(dims + Hex("12020801"))).status().code(),
            StatusCode::kInvalidArgument);
  // 2^32 * 2^32 overflows, also beside a zero
  const std::string big = Hex("1206088080808010");
  EXPECT_EQ(Decode(message(big + big)).status().code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(Decode(message(big + big + Hex("1200"))).status().code(),
            StatusCode::kInvalidArgument);
}

TEST(WireRefusal, FillsAreBoundedByTheAllocator) {
  LimitAllocator allocator(1 << 20);
  for (const char* type : {"0801", "0807", "0814", "0812"}) {
    // 2^40 elements, no values
    const std::string bytes = Hex(std::string(type) + "1209120708808080808020");
    StatusOr<Tensor> t = DecodeTensor(bytes, &allocator);
    EXPECT_EQ(t.status().code(), StatusCode::kResourceExhausted) << t.status();
    // 2^62 elements: their bytes overflow an int64
    const std::string huge =
        Hex(std::string(type) + "120c120a08808080808080808040");
    EXPECT_EQ(DecodeTensor(huge, &allocator).status().code(),
              StatusCode::kResourceExhausted);
  }
  // Content never asks for more than the message has.
  EXPECT_EQ(DecodeTensor(Hex("0801"
                             "1209120708808080808020"
                             "220400000000"),
                         &allocator)
                .status()
                .code(),
            StatusCode::kInvalidArgument);
}

TEST(WireRefusal, WhatCannotBeSent) {
  EXPECT_EQ(EncodedTensorSize(Tensor(), StringForm::kValues).status().code(),
            StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace millrace
