// Tests the encoding of tensors as the stock client writes it, and decoding it.
#include "millrace/tensor/wire.h"

#include <cstring>
#include <limits>
#include <string>

#include "gtest/gtest.h"
#include "millrace/tensor/testing/wire_hex.h"

namespace millrace {
namespace {

std::string Encode(const Tensor& t, StringForm form = StringForm::kValues) {
  StatusOr<size_t> size = EncodedTensorSize(t, form);
  StatusOr<ByteChunks> bytes = EncodeTensor(t, form);
  EXPECT_TRUE(size.ok() && bytes.ok());
  EXPECT_EQ(*size, bytes->size_bytes());
  return bytes->Flatten();
}

// Two values of each plain type, as the stock client serializes them: in
// tensor_content and in the typed field.
struct Golden {
  DataType type;
  const char* content;
  const char* typed;
};
constexpr Golden kGoldens[] = {
    {DataType::kFloat, "080112041202080222080000c03f000000c0",
     "08011204120208022a080000c03f000000c0"},
    {DataType::kDouble, "08021204120208022210000000000000f83f00000000000000c0",
     "08021204120208023210000000000000f83f00000000000000c0"},
    {DataType::kInt32, "0803120412020802220807000000feffffff",
     "08031204120208023a0b07feffffffffffffffff01"},
    {DataType::kUint8, "0804120412020802220207c8",
     "08041204120208023a0307c801"},
    {DataType::kInt16, "080512041202080222040700feff",
     "08051204120208023a0b07feffffffffffffffff01"},
    {DataType::kInt8, "0806120412020802220207fe",
     "08061204120208023a0b07feffffffffffffffff01"},
    {DataType::kComplex64,
     "080812041202080222100000803f0000004000004040000080c0",
     "08081204120208024a100000803f0000004000004040000080c0"},
    {DataType::kInt64, "080912041202080222100700000000000000feffffffffffffff",
     "0809120412020802520b07feffffffffffffffff01"},
    {DataType::kBool, "080a12041202080222020100", "080a1204120208025a020100"},
    {DataType::kQint8, "080b120412020802220207fe",
     "080b1204120208023a0b07feffffffffffffffff01"},
    {DataType::kQuint8, "080c120412020802220207c8",
     "080c1204120208023a0307c801"},
    {DataType::kQint32, "080d120412020802220807000000feffffff",
     "080d1204120208023a0b07feffffffffffffffff01"},
    {DataType::kBfloat16, "080e1204120208022204c03f00c0",
     "080e1204120208026a05c07f808003"},
    {DataType::kQint16, "080f12041202080222040700feff",
     "080f1204120208023a0b07feffffffffffffffff01"},
    {DataType::kQuint16, "081012041202080222040700e8fd",
     "08101204120208023a0407e8fb03"},
    {DataType::kUint16, "081112041202080222040700e8fd",
     "08111204120208023a0407e8fb03"},
    {DataType::kComplex128,
     "08121204120208022220000000000000f03f0000000000000040000000000000084000000"
     "000000010c0",
     "08121204120208026220000000000000f03f0000000000000040000000000000084000000"
     "000000010c0"},
    {DataType::kHalf, "08131204120208022204003e00c0",
     "08131204120208026a05807c808003"},
    {DataType::kUint32, "081612041202080222080700000000286bee",
     "08161204120208028201060780d0acf30e"},
    {DataType::kUint64, "081712041202080222100700000000000000feffffffffffffff",
     "08171204120208028a010b07feffffffffffffffff01"},
};
constexpr char kStringValues[] = "080712041202080242026162420163";
constexpr char kStringContent[] = "080712041202080222050201616263";
constexpr char kHandle[] =
    "08141200725c0a252f6a6f623a70732f7265706c6963613a302f7461736b3a302f64657669"
    "63653a4350553a301201"
    "631a017620858080808080808080012a03566172321508011211120b08ffffffffffffffff"
    "ff011202080332060809"
    "12021801";

class GoldenTest : public ::testing::TestWithParam<Golden> {};

TEST_P(GoldenTest, ContentAndTypedFieldGiveTheSameTensor) {
  StatusOr<Tensor> content = Decode(Hex(GetParam().content));
  StatusOr<Tensor> typed = Decode(Hex(GetParam().typed));
  ASSERT_TRUE(content.ok()) << content.status();
  ASSERT_TRUE(typed.ok()) << typed.status();
  EXPECT_EQ(content->dtype(), GetParam().type);
  EXPECT_EQ(content->shape(), TensorShape({2}));
  EXPECT_TRUE(IdenticalTensors(*content, *typed));
  EXPECT_EQ(Encode(*content), Hex(GetParam().content));
}

TEST_P(GoldenTest, EveryCutIsAnErrorOrATensor) {
  for (const char* hex : {GetParam().content, GetParam().typed}) {
    const std::string bytes = Hex(hex);
    for (size_t n = 0; n < bytes.size(); ++n) {
      StatusOr<Tensor> t = Decode(bytes.substr(0, n));
      if (!t.ok()) {
        EXPECT_EQ(t.status().code(), StatusCode::kInvalidArgument);
      }
    }
  }
}

TEST_P(GoldenTest, BytesMayBeSplitAnywhere) {
  for (const char* hex : {GetParam().content, GetParam().typed}) {
    const std::string bytes = Hex(hex);
    StatusOr<Tensor> whole = Decode(bytes);
    for (size_t n = 1; n < bytes.size(); ++n) {
      ByteChunks chunks(bytes.substr(0, n));
      chunks.Append(bytes.substr(n));
      StatusOr<Tensor> t = DecodeTensor(ChunkReader(chunks), HostAllocator());
      ASSERT_TRUE(t.ok()) << n << t.status();
      EXPECT_TRUE(IdenticalTensors(*whole, *t));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, GoldenTest, ::testing::ValuesIn(kGoldens),
                         [](const auto& info) {
                           return DataTypeName(info.param.type);
                         });

TEST(Wire, TypedFieldsMayBeUnpacked) {
  // float_val 1 and float_val 2 as separate fields
  StatusOr<Tensor> t =
      Decode(Hex("0801120412020802"
                 "2d0000803f"
                 "2d00000040"));
  ASSERT_TRUE(t.ok()) << t.status();
  EXPECT_TRUE(IdenticalTensors(*t, Tensor::Vector<float>({1, 2})));
  t =
      Decode(Hex("0803120412020802"
                 "3805"
                 "3806"));
  ASSERT_TRUE(t.ok()) << t.status();
  EXPECT_TRUE(IdenticalTensors(*t, Tensor::Vector<int32_t>({5, 6})));
}

TEST(Wire, LastValueRepeats) {
  StatusOr<Tensor> t = Decode(Hex("0801120812020802120208032a040000807f"));
  ASSERT_TRUE(t.ok()) << t.status();
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(IdenticalTensors(
      *t, Tensor::Of<float>({2, 3}, {inf, inf, inf, inf, inf, inf})));
  // complex64: the last pair
  t =
      Decode(Hex("0808120412020803"
                 "4a080000803f00000040"));
  ASSERT_TRUE(t.ok()) << t.status();
  EXPECT_EQ(t->flat<Complex64>()[2], Complex64(1, 2));
  // strings
  t =
      Decode(Hex("0807120412020803"
                 "420161"
                 "42026263"));
  ASSERT_TRUE(t.ok()) << t.status();
  EXPECT_TRUE(
      IdenticalTensors(*t, Tensor::Vector<std::string>({"a", "bc", "bc"})));
}

TEST(Wire, NoValuesAreZeros) {
  StatusOr<Tensor> t = Decode(Hex("0802120412020803"));
  ASSERT_TRUE(t.ok()) << t.status();
  EXPECT_TRUE(IdenticalTensors(*t, Tensor::Zeros(DataType::kDouble, {3})));
  t = Decode(Hex("0807120412020803"));
  ASSERT_TRUE(t.ok()) << t.status();
  EXPECT_TRUE(IdenticalTensors(*t, Tensor::Vector<std::string>({"", "", ""})));
}

TEST(Wire, ValuesBeyondTheShapeAreIgnored) {
  StatusOr<Tensor> t =
      Decode(Hex("0803120412020801"
                 "3a03050607"));
  ASSERT_TRUE(t.ok()) << t.status();
  EXPECT_TRUE(IdenticalTensors(*t, Tensor::Vector<int32_t>({5})));
}

TEST(Wire, FieldOrderAndUnknownFieldsDoNotMatter) {
  // int_val, an unknown group with a field in it, shape, an unknown string,
  // dtype
  StatusOr<Tensor> t =
      Decode(Hex("3a020506"
                 "a306"
                 "0801"
                 "a406"
                 "120412020802"
                 "aa0601ff"
                 "0803"));
  ASSERT_TRUE(t.ok()) << t.status();
  EXPECT_TRUE(IdenticalTensors(*t, Tensor::Vector<int32_t>({5, 6})));
}

TEST(Wire, ScalarsWithAndWithoutShape) {
  for (const char* hex :
       {"080112002a0400004040", "08012a0400004040", "0801220400004040"}) {
    StatusOr<Tensor> t = Decode(Hex(hex));
    ASSERT_TRUE(t.ok()) << t.status();
    EXPECT_TRUE(IdenticalTensors(*t, Tensor::Scalar<float>(3)));
  }
  EXPECT_EQ(Encode(Tensor::Scalar<float>(3)), Hex("08011200220400004040"));
}

TEST(Wire, EmptyTensors) {
  StatusOr<Tensor> t = Decode(Hex("08011206120012020805"));
  ASSERT_TRUE(t.ok()) << t.status();
  EXPECT_EQ(t->shape(), TensorShape({0, 5}));
  EXPECT_EQ(Encode(*t), Hex("08011206120012020805"));
  t = Decode(Hex("080712021200"));
  ASSERT_TRUE(t.ok()) << t.status();
  EXPECT_EQ(Encode(*t), Hex("080712021200"));
  EXPECT_EQ(Encode(*t, StringForm::kContent), Hex("080712021200"));
}

TEST(Wire, Strings) {
  const Tensor expected = Tensor::Vector<std::string>({"ab", "c"});
  for (const char* hex : {kStringValues, kStringContent}) {
    const std::string bytes = Hex(hex);
    StatusOr<Tensor> t = Decode(bytes);
    ASSERT_TRUE(t.ok()) << t.status();
    EXPECT_TRUE(IdenticalTensors(*t, expected));
    for (size_t n = 1; n < bytes.size(); ++n) {
      ByteChunks chunks(bytes.substr(0, n));
      chunks.Append(bytes.substr(n));
      t = DecodeTensor(ChunkReader(chunks), HostAllocator());
      ASSERT_TRUE(t.ok()) << t.status();
      EXPECT_TRUE(IdenticalTensors(*t, expected));
    }
  }
  EXPECT_EQ(Encode(expected), Hex(kStringValues));
  EXPECT_EQ(Encode(expected, StringForm::kContent), Hex(kStringContent));
}

TEST(Wire, ResourceHandles) {
  StatusOr<Tensor> t = Decode(Hex(kHandle));
  ASSERT_TRUE(t.ok()) << t.status();
  const ResourceHandle& h = *t->scalar<ResourceElement>();
  EXPECT_EQ(h.device, "/job:ps/replica:0/task:0/device:CPU:0");
  EXPECT_EQ(h.container, "c");
  EXPECT_EQ(h.name, "v");
  EXPECT_EQ(h.hash_code, (uint64_t{1} << 63) + 5);
  EXPECT_EQ(h.type_name, "Var");
  ASSERT_EQ(h.dtypes_and_shapes.size(), 2u);
  EXPECT_EQ(h.dtypes_and_shapes[0].dtype, DataType::kFloat);
  EXPECT_EQ(h.dtypes_and_shapes[0].shape, PartialShape({-1, 3}));
  EXPECT_EQ(h.dtypes_and_shapes[1].shape, PartialShape());
  EXPECT_EQ(Encode(*t), Hex(kHandle));
}

TEST(Wire, NullHandlesStayNull) {
  const Tensor t = Tensor::New(DataType::kResource, {2});
  StatusOr<Tensor> back = Decode(Encode(t));
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_FALSE(back->flat<ResourceElement>()[0]);
  EXPECT_FALSE(back->flat<ResourceElement>()[1]);
}

TEST(Wire, BoolsAreMadeZeroOrOne) {
  std::string bytes =
      Hex("080a120412020803"
          "2203");
  StatusOr<Tensor> t = Decode(bytes + std::string("\x00\x01\xfe", 3));
  ASSERT_TRUE(t.ok()) << t.status();
  EXPECT_EQ(absl::string_view(t->data(), 3),
            absl::string_view("\x00\x01\x01", 3));
}

TEST(Wire, Shapes) {
  for (const PartialShape& s :
       {PartialShape(), PartialShape({}), PartialShape({-1, 0, 300})}) {
    ChunkWriter w;
    EncodeShape(s, &w);
    const std::string bytes = std::move(w).Finish().Flatten();
    EXPECT_EQ(bytes.size(), EncodedShapeSize(s));
    StatusOr<PartialShape> back = DecodePartialShape(ChunkReader(bytes));
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_EQ(*back, s);
    EXPECT_EQ(DecodeShape(ChunkReader(bytes)).ok(), s.IsFullyDefined());
  }
}

TEST(WireFormat, Varints) {
  for (uint64_t v :
       {uint64_t{0}, uint64_t{127}, uint64_t{128}, uint64_t{16383},
        uint64_t{16384}, uint64_t{1} << 62, uint64_t{1} << 63, UINT64_MAX}) {
    ChunkWriter w;
    w.Varint(v);
    const std::string bytes = std::move(w).Finish().Flatten();
    EXPECT_EQ(bytes.size(), VarintSize(v));
    ChunkReader r(bytes);
    uint64_t back;
    ASSERT_TRUE(r.ReadVarint(&back));
    EXPECT_EQ(back, v);
    EXPECT_TRUE(r.done());
  }
}

TEST(OneNumber, IsInTheFieldOfItsType) {
  // Head (dtype, shape), tag, length, value.
  EXPECT_EQ(EncodeOneNumber(Tensor::Scalar<int32_t>(7)),
            std::string("\x08\x03\x12\x00\x3a\x01\x07", 7));
  EXPECT_EQ(EncodeOneNumber(Tensor::Scalar<int32_t>(-1)),
            std::string("\x08\x03\x12\x00\x3a\x0a", 6) +
                std::string(9, '\xff') + '\x01');
  EXPECT_EQ(EncodeOneNumber(Tensor::Scalar<float>(1)),
            std::string("\x08\x01\x12\x00\x2a\x04\x00\x00\x80\x3f", 10));
}

TEST(OneNumber, OfEachTypeIsReadAgain) {
  for (int i = 1; i < kDataTypeLimit; ++i) {
    const auto type = static_cast<DataType>(i);
    if (!IsPlain(type) || IsRef(type) || SizeOf(type) == 0) continue;
    for (const char byte : {'\0', '\1', '\x7f', '\xff'}) {
      if (type == DataType::kBool && static_cast<uint8_t>(byte) > 1) continue;
      Tensor t = Tensor::Zeros(type, {1, 1});
      std::memset(t.mutable_data(), byte, t.size_bytes());
      const std::string text = EncodeOneNumber(t);
      const StatusOr<Tensor> back =
          DecodeTensor(ChunkReader(absl::string_view(text)), HostAllocator());
      ASSERT_TRUE(back.ok()) << DataTypeName(type) << back.status();
      EXPECT_EQ(back->shape(), t.shape());
      EXPECT_EQ(std::memcmp(back->data(), t.data(), t.size_bytes()), 0)
          << DataTypeName(type);
    }
  }
}

}  // namespace
}  // namespace millrace
