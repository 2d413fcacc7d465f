// Tests variants in messages: bytes that stock TensorFlow made, the way out and
// back, and what is refused.
#include "millrace/tensor/wire_variant.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "millrace/base/memory/memory_budget.h"
#include "millrace/tensor/testing/wire_hex.h"
#include "millrace/tensor/variant/iterator_state_value.h"
#include "millrace/tensor/variant/optional_value.h"
#include "millrace/tensor/variant/ragged_value.h"
#include "millrace/tensor/variant/tensor_list_value.h"
#include "millrace/tensor/variant/variant_tensor.h"

namespace millrace {
namespace {

using ::testing::HasSubstr;

Tensor VariantOf(Ref<VariantValue> value) {
  return Tensor::Scalar<VariantElement>(VariantElement(std::move(value)));
}

template <class V>
const V& ValueIn(const Tensor& t, size_t i = 0) {
  return dynamic_cast<const V&>(*t.flat<VariantElement>()[i]);
}

Tensor ListOf(DataType type, std::vector<Tensor> tensors,
              PartialShape shape = {}) {
  auto list = MakeRef<TensorListValue>(type, std::move(shape));
  for (Tensor& t : tensors) EXPECT_TRUE(list->Push(std::move(t)).ok());
  return VariantOf(std::move(list));
}

std::string BytesOf(const Tensor& t) {
  const StatusOr<ByteChunks> bytes = EncodeTensor(t);
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  if (!bytes.ok()) return "";
  EXPECT_EQ(*EncodedTensorSize(t, StringForm::kValues), bytes->size_bytes());
  return bytes->Flatten();
}

Tensor ThereAndBack(const Tensor& t) {
  const StatusOr<Tensor> back = Decode(BytesOf(t));
  EXPECT_TRUE(back.ok()) << back.status();
  return back.ok() ? *back : Tensor();
}

// A message of a scalar with one variant, which has these fields.
std::string MessageOf(absl::string_view type_name, absl::string_view metadata,
                      const std::vector<std::string>& tensors) {
  ChunkWriter variant;
  variant.BytesField(1, type_name);
  variant.BytesField(2, metadata);
  for (const std::string& t : tensors) variant.RequiredBytesField(3, t);
  ChunkWriter tensor;
  tensor.VarintField(1, static_cast<uint64_t>(DataType::kVariant));
  tensor.RequiredBytesField(2, "");
  tensor.NestedField(15, std::move(variant));
  return std::move(tensor).Finish().Flatten();
}

// Lists as SerializeTensor of TensorFlow 2.21 gives them.
constexpr char kList[] =  // of shape [?,2]: unset, [[1, 2]], unset
    "081512002252510a1674656e736f72666c6f773a3a54656e736f724c697374121f0200020"
    "1ffffffffffffffffff01120b08ffffffffffffffffff01120208021a1608011208120208"
    "01120208022a080000803f00000040";
constexpr char kEmptyList[] =  // of int32 of any shape, of at most 5 elements
    "0815120022201f0a1674656e736f72666c6f773a3a54656e736f724c69737412050003051"
    "801";
constexpr char kNestedList[] =  // a list of int64 in a list
    "08151200225e5d0a1674656e736f72666c6f773a3a54656e736f724c697374120c0015fff"
    "fffffffffffffff011a35081512007a2f0a1674656e736f72666c6f773a3a54656e736f72"
    "4c697374120c0009ffffffffffffffffff011a0708091200520105";
constexpr char kOptional[] =  // of 1.0 and ["x"]
    "081512002239380a1a74656e736f72666c6f773a3a646174613a3a4f7074696f6e616c120"
    "1011a0a080112002a040000803f1a0b0807120412020801420178";
constexpr char kNoOptional[] =
    "0815120022201f0a1a74656e736f72666c6f773a3a646174613a3a4f7074696f6e616c120"
    "100";
constexpr char kRagged[] =  // [[1, 2], [3]]
    "081512002234330a1352616767656454656e736f7256617269616e741a0d0809120412020"
    "80352030002031a0d08031204120208033a03010203";
constexpr char kSparse[] =  // indices, values and shape
    "0815120412020803226d2524210a1274656e736f72666c6f773a3a54656e736f721a0f080"
    "9120812020801120208015201000a1274656e736f72666c6f773a3a54656e736f721a0e08"
    "011204120208012a040000803f0a1274656e736f72666c6f773a3a54656e736f721a0b080"
    "9120412020801520103";

TEST(WireVariant, ListsOfStock) {
  const StatusOr<Tensor> t = Decode(Hex(kList));
  ASSERT_TRUE(t.ok()) << t.status();
  const auto& list = ValueIn<TensorListValue>(*t);
  EXPECT_EQ(list.element_dtype, DataType::kFloat);
  EXPECT_EQ(list.element_shape.DebugString(), "[?,2]");
  EXPECT_EQ(list.max_num_elements, -1);
  ASSERT_EQ(list.size(), 3);
  EXPECT_FALSE(list.tensors()[0].valid());
  EXPECT_TRUE(IdenticalTensors(list.tensors()[1],
                               Tensor::Of<float>(TensorShape({1, 2}), {1, 2})));
  EXPECT_FALSE(list.tensors()[2].valid());

  const StatusOr<Tensor> empty = Decode(Hex(kEmptyList));
  ASSERT_TRUE(empty.ok()) << empty.status();
  EXPECT_EQ(ValueIn<TensorListValue>(*empty).size(), 0);
  EXPECT_EQ(ValueIn<TensorListValue>(*empty).max_num_elements, 5);
  EXPECT_FALSE(ValueIn<TensorListValue>(*empty).element_shape.known_rank());

  const StatusOr<Tensor> nested = Decode(Hex(kNestedList));
  ASSERT_TRUE(nested.ok()) << nested.status();
  const Tensor& inner = ValueIn<TensorListValue>(*nested).tensors()[0];
  EXPECT_TRUE(IdenticalTensors(ValueIn<TensorListValue>(inner).tensors()[0],
                               Tensor::Scalar<int64_t>(5)));
}

TEST(WireVariant, OtherValuesOfStock) {
  const StatusOr<Tensor> optional = Decode(Hex(kOptional));
  ASSERT_TRUE(optional.ok()) << optional.status();
  const auto& components = ValueIn<OptionalValue>(*optional).components();
  ASSERT_EQ(components.size(), 2u);
  EXPECT_TRUE(IdenticalTensors(components[1], Tensor::Vector({"x"})));
  const StatusOr<Tensor> none = Decode(Hex(kNoOptional));
  ASSERT_TRUE(none.ok()) << none.status();
  EXPECT_FALSE(ValueIn<OptionalValue>(*none).has_value());

  const StatusOr<Tensor> ragged = Decode(Hex(kRagged));
  ASSERT_TRUE(ragged.ok()) << ragged.status();
  const auto& value = ValueIn<RaggedValue>(*ragged);
  ASSERT_EQ(value.ragged_rank(), 1);
  EXPECT_TRUE(
      IdenticalTensors(value.splits()[0], Tensor::Vector<int64_t>({0, 2, 3})));
  EXPECT_TRUE(
      IdenticalTensors(value.values(), Tensor::Vector<int32_t>({1, 2, 3})));

  const StatusOr<Tensor> sparse = Decode(Hex(kSparse));
  ASSERT_TRUE(sparse.ok()) << sparse.status();
  ASSERT_EQ(sparse->num_elements(), 3);
  EXPECT_TRUE(IdenticalTensors(ValueIn<VariantTensor>(*sparse, 2).tensor(),
                               Tensor::Vector<int64_t>({3})));
}

TEST(WireVariant, EncodesTheMetadataOfStock) {
  // Only the form of the elements' values differs.
  const std::string bytes = BytesOf(*Decode(Hex(kList)));
  EXPECT_THAT(
      bytes, HasSubstr(Hex("0a1674656e736f72666c6f773a3a54656e736f724c6973741"
                           "21f02000201ffffffffffffffffff01120b08ffffffffffffff"
                           "ffff01120208021a16")));
  EXPECT_THAT(BytesOf(*Decode(Hex(kNoOptional))), HasSubstr(Hex("120100")));
}

TEST(WireVariant, WhatComesBackIsTheSame) {
  for (const char* hex : {kList, kEmptyList, kNestedList, kOptional,
                          kNoOptional, kRagged, kSparse}) {
    const std::string bytes = BytesOf(*Decode(Hex(hex)));
    EXPECT_EQ(BytesOf(*Decode(bytes)), bytes) << hex;
  }
}

TEST(WireVariant, ElementsThatHoldNothing) {
  Tensor t = Tensor::New(DataType::kVariant, TensorShape({3}));
  t.mutable_flat<VariantElement>()[1] =
      MakeRef<VariantTensor>(Tensor::Scalar<float>(2));
  const Tensor back = ThereAndBack(t);
  EXPECT_EQ(back.flat<VariantElement>()[0], nullptr);
  EXPECT_EQ(ValueIn<VariantTensor>(back, 1).tensor().scalar<float>(), 2);
  EXPECT_EQ(back.flat<VariantElement>()[2], nullptr);
  // Fewer messages than elements, and none.
  EXPECT_EQ(Decode(Hex("08151204120208037a00"))->num_elements(), 3);
  EXPECT_EQ(Decode(Hex("0815"))->scalar<VariantElement>(), nullptr);
  EXPECT_EQ(ThereAndBack(Tensor::New(DataType::kVariant, TensorShape({0, 2})))
                .shape(),
            TensorShape({0, 2}));
}

TEST(WireVariant, LargeElementsAreNotCopied) {
  const Tensor large = Tensor::Zeros(DataType::kFloat, TensorShape({10'000}));
  const StatusOr<ByteChunks> bytes =
      EncodeTensor(ListOf(DataType::kFloat, {large, large}));
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  int shared = 0;
  for (const Chunk& c : bytes->chunks())
    shared += c.bytes.data() == large.data();
  EXPECT_EQ(shared, 2);
  const StatusOr<Tensor> back =
      DecodeTensor(ChunkReader(*bytes), HostAllocator());
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_TRUE(
      IdenticalTensors(ValueIn<TensorListValue>(*back).tensors()[1], large));
}

TEST(WireVariant, NestedAsDeeplyAsTheLimit) {
  Tensor t = ListOf(DataType::kInt32, {Tensor::Scalar<int32_t>(7)});
  for (int depth = 2; depth <= kMaxVariantDepth; ++depth) {
    t = ListOf(DataType::kVariant, {std::move(t)});
  }
  ThereAndBack(t);
  const std::string deepest = BytesOf(t);
  const std::string deeper =
      MessageOf(TensorListValue::kTypeName, Hex("001500"), {deepest});
  EXPECT_THAT(std::string(Decode(deeper).status().message()),
              HasSubstr("nested deeper than 48"));
  t = ListOf(DataType::kVariant, {std::move(t)});
  EXPECT_EQ(EncodeTensor(t).status().code(), StatusCode::kInvalidArgument);
  for (int i = 0; i < 100'000; ++i)
    t = ListOf(DataType::kVariant, {std::move(t)});
  EXPECT_THAT(std::string(EncodeTensor(t).status().message()),
              HasSubstr("nested deeper than 48"));
}

TEST(WireVariant, OneListManyTimesInOthers) {
  Tensor t = ListOf(DataType::kInt32, {});
  for (int i = 0; i < 40; ++i) t = ListOf(DataType::kVariant, {t, t});
  const Status status = EncodeTensor(t).status();
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()), HasSubstr("too large"));
}

TEST(WireVariant, ValuesThatStay) {
  class Local final : public VariantValue {
   public:
    absl::string_view type_name() const override { return "Local"; }
  };
  const Tensor inside =
      ListOf(DataType::kVariant, {VariantOf(MakeRef<Local>())});
  EXPECT_EQ(EncodeTensor(inside).status(),
            InvalidArgument("variant tensors of type Local cannot be sent to "
                            "another process"));
}

Tensor StateOf(std::map<std::string, Tensor> state) {
  StatusOr<Ref<VariantValue>> made = IteratorStateValue::Make(std::move(state));
  EXPECT_TRUE(made.ok()) << made.status();
  return VariantOf(*std::move(made));
}

TEST(WireVariant, StatesOfIterators) {
  const Tensor list = ListOf(DataType::kFloat, {Tensor::Scalar<float>(2)});
  const Tensor state = StateOf({{"taken", Tensor::Scalar<int64_t>(3)},
                                {"", Tensor::Vector({"a", ""})},
                                {"in:list", list}});
  const Tensor back = ThereAndBack(state);
  const auto& value = ValueIn<IteratorStateValue>(back);
  EXPECT_THAT(value.keys(), testing::ElementsAre("", "in:list", "taken"));
  EXPECT_TRUE(
      IdenticalTensors(*value.Find("taken"), Tensor::Scalar<int64_t>(3)));
  EXPECT_TRUE(IdenticalTensors(*value.Find(""), Tensor::Vector({"a", ""})));
  EXPECT_EQ(value.Find("in:"), nullptr);
  EXPECT_EQ(value.Find("zzz"), nullptr);
  EXPECT_EQ(value.LowerBound("in:"), 1u);
  EXPECT_EQ(BytesOf(back), BytesOf(state));
  EXPECT_TRUE(
      ValueIn<IteratorStateValue>(ThereAndBack(StateOf({}))).keys().empty());
}

TEST(WireVariant, TablesOfStatesAreCharged) {
  const int64_t before = MemoryBudget::Process().used();
  {
    std::map<std::string, Tensor> state;
    for (int i = 0; i < 1000; ++i) {
      state[std::string(60, 'x') + std::to_string(i)] =
          Tensor::Scalar<int64_t>(i);
    }
    const Tensor made = StateOf(std::move(state));
    const int64_t own = MemoryBudget::Process().used() - before;
    EXPECT_GE(own, 1000 * static_cast<int64_t>(sizeof(Tensor) + 60));
    const Tensor back = ThereAndBack(made);
    EXPECT_GE(MemoryBudget::Process().used() - before, 2 * own * 9 / 10);
  }
  EXPECT_EQ(MemoryBudget::Process().used(), before);
}

TEST(WireVariant, TablesAreCharged) {
  const int64_t before = MemoryBudget::Process().used();
  {
    const StatusOr<Tensor> t =
        Decode(MessageOf(TensorListValue::kTypeName, Hex("000100"),
                         std::vector<std::string>(1000, Hex("0801"))));
    ASSERT_TRUE(t.ok()) << t.status();
    EXPECT_EQ(ValueIn<TensorListValue>(*t).size(), 1000);
    EXPECT_GE(MemoryBudget::Process().used() - before,
              1000 * static_cast<int64_t>(sizeof(Tensor)));
  }
  EXPECT_EQ(MemoryBudget::Process().used(), before);
}

TEST(WireVariant, RefusesMalformedMessages) {
  const std::string scalar = Hex("0801"), vector =
                                              Hex("080312041202080222"
                                                  "080000000000000000");
  const std::string lists(TensorListValue::kTypeName);
  const std::string optionals(OptionalValue::kTypeName);
  const std::string raggeds(RaggedValue::kTypeName);
  const std::string states(IteratorStateValue::kTypeName);
  const std::string ours = Hex("0a0a") + "millrace 1";
  for (const std::string& message : {
           MessageOf("", "x", {}),
           MessageOf("tensorflow::DatasetVariantWrapper", "", {}),
           MessageOf(std::string(1000, 'x'), "", {}),
           MessageOf(lists, "", {}),               // no metadata
           MessageOf(lists, Hex("00"), {}),        // no type
           MessageOf(lists, Hex("0001"), {}),      // no largest number
           MessageOf(lists, Hex("000000"), {}),    // type 0
           MessageOf(lists, Hex("001800"), {}),    // float8
           MessageOf(lists, Hex("00650000"), {}),  // a reference
           MessageOf(lists, Hex("00ffffffffffffffffff0100"), {}),
           MessageOf(lists, Hex("00010012"), {}),      // shape cut
           MessageOf(lists, Hex("000300"), {scalar}),  // float among int32
           MessageOf(lists, Hex("050100"), {}),        // indices missing
           MessageOf(lists, Hex("ffffffffffffffffff010100"), {}),
           MessageOf(lists, Hex("01020100"), {scalar}),    // beyond the end
           MessageOf(lists, Hex("0201000100"), {scalar}),  // descending
           MessageOf(lists, Hex("0200000100"), {scalar}),  // twice
           MessageOf(lists, Hex("000100"), {"x"}),         // no TensorProto
           MessageOf(optionals, "", {}),
           MessageOf(optionals, Hex("0101"), {scalar}),
           MessageOf(optionals, Hex("01"), {}),
           MessageOf(optionals, Hex("00"), {scalar}),
           MessageOf(raggeds, "", {}),
           MessageOf(raggeds, "", {scalar, scalar}),
           MessageOf(raggeds, "", {vector, scalar}),
           MessageOf(std::string(VariantTensor::kTypeName), "", {}),
           MessageOf(std::string(VariantTensor::kTypeName), "",
                     {scalar, scalar}),
           MessageOf(states, "", {}),
           MessageOf(states, "Iterator::Range-0@@next@@", {scalar}),
           MessageOf(states, Hex("0a06") + "1.15.0", {}),
           MessageOf(states, Hex("0a0b") + "millrace 10", {}),
           MessageOf(states, Hex("0a0a") + "millrace", {}),      // cut
           MessageOf(states, ours, {scalar}),                    // no key
           MessageOf(states, ours + Hex("120161"), {}),          // no tensor
           MessageOf(states, ours + Hex("120261"), {scalar}),    // cut
           MessageOf(states, ours + Hex("18001200"), {scalar}),  // a number
           MessageOf(states, ours + Hex("120161120161"), {scalar, scalar}),
           MessageOf(states, ours + Hex("120162120161"), {scalar, scalar}),
           Hex("081512007a0108"),    // a field cut
           Hex("0815120022020100"),  // sizes that do not fit
           Hex("08151204120208022203010000"),
           Hex("08151200220105"),
           Hex("0815120c120a08ffffffffffffffff7f220100"),
       }) {
    EXPECT_EQ(Decode(message).status().code(), StatusCode::kInvalidArgument)
        << absl::BytesToHexString(message) << " " << Decode(message).status();
  }
  EXPECT_THAT(std::string(Decode(MessageOf("a\nb", "", {})).status().message()),
              HasSubstr("a\\nb are not accepted from outside; accepted are "
                        "tensorflow::TensorList, "));
}

}  // namespace
}  // namespace millrace
