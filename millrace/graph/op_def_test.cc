#include "millrace/graph/op_def.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "millrace/graph/attr/attr_text.h"
#include "millrace/graph/op_registry.h"

namespace millrace {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// The texts are in the form that the printer of the stock registry's schemas
// writes.
MR_OP(TestConcat){
    .inputs = "values: N * T, axis: Tidx",
    .outputs = "output: T",
    .attrs = R"(N: int >= 2; T: type; Tidx: {int32, int64} = "int32")",
};
MR_OP(TestParse){
    .inputs =
        "names: string, keys: Nsparse * string, defaults: Tdense, var: Ref(T), "
        "vars: Nsparse * Ref(T)",
    .outputs = "",
    .attrs = R"(Nsparse: int >= 0; Tdense: list({float, int64, string}) >= 0;
                T: numbertype; dense_shapes: list(shape) >= 0)",
    .flags = kStateful | kCommutative,
};
MR_OP(TestDefaults){
    .attrs =
        R"(s: string = "a\"b\u00e9;c"; s2: {'NHWC', 'NCHW'} = 'NCHW'; i: int = -1;
      f: float = 0.009999999776482582; inf: float = -Infinity; b: bool = true;
      t: type = half; t2: type = "float"; u: shape = null; h: shape = [2, -1]; e: shape = [];
      x: tensor = uint8[255, 0, 0, 255]; fn: func = f;
      ls: list(string) = ['abc', ""]; li: list(int) = [1, 1]; lf: list(float) = [0.75, 1];
      lb: list(bool) = [true, false]; lt: list(type) = ["int32", float];
      lh: list(shape) = [[], [1]]; le: list(int) >= 0 = []; n: int >= 2 = 3;
      newer: {float8_e5m2, float} = float)",
};
MR_OP(TestQuantized){
    .inputs = "a: A, b: B, c: C",
    .attrs = "A: numbertype; B: realnumbertype; C: quantizedtype",
    .deprecated_version = 9,
    .deprecated_hint = "Use another",
};

std::string BadMessage(const char* inputs, const char* attrs) {
  const OpDecl decl = {"Bad", {.inputs = inputs, .attrs = attrs}};
  const auto op = ParseOpDecl(decl);
  return op.ok() ? "ok" : std::string(op.status().message());
}

TEST(Signature, Arguments) {
  const OpDef op = *ParseOpDecl(mr_op_TestParse);
  ASSERT_EQ(op.inputs.size(), 5u);
  EXPECT_EQ(op.inputs[0].type, DataType::kString);
  EXPECT_EQ(op.inputs[1].number_attr, "Nsparse");
  EXPECT_EQ(op.inputs[2].type_list_attr, "Tdense");
  EXPECT_TRUE(op.inputs[3].is_ref);
  EXPECT_EQ(op.inputs[3].type_attr, "T");
  EXPECT_TRUE(op.inputs[4].is_ref);
  EXPECT_EQ(op.inputs[4].number_attr, "Nsparse");
  EXPECT_TRUE(op.Is(kStateful));
  EXPECT_TRUE(op.Is(kCommutative));
  EXPECT_FALSE(op.Is(kAggregate));

  const AttrMap attrs = {
      {"Nsparse", 2},
      {"Tdense", AttrValue::TypeList{DataType::kFloat, DataType::kInt64}},
      {"T", DataType::kHalf}};
  EXPECT_EQ(
      TypeNames(*ArgTypes(op.inputs, attrs)),
      "string, string, string, float, int64, half_ref, half_ref, half_ref");
  const ArgRange range = *FindArgRange(op.inputs, attrs, "defaults");
  EXPECT_EQ(range.begin, 3);
  EXPECT_EQ(range.end, 5);
  EXPECT_EQ(FindArgRange(op.inputs, attrs, "x").status().code(),
            StatusCode::kNotFound);
  EXPECT_EQ(
      ArgTypes(op.inputs, {{"Nsparse", int64_t{1} << 40}}).status().code(),
      StatusCode::kInvalidArgument);
}

TEST(Signature, Defaults) {
  const auto op = ParseOpDecl(mr_op_TestDefaults);
  ASSERT_TRUE(op.ok()) << op.status();
  const auto text = [&](absl::string_view name) {
    return op->FindAttr(name)->default_value->DebugString();
  };
  EXPECT_EQ(*op->FindAttr("s")->default_value->get<std::string>(),
            "a\"b\xc3\xa9;c");
  EXPECT_EQ(text("s2"), "\"NCHW\"");
  EXPECT_EQ(op->FindAttr("s2")->kind, "string");
  EXPECT_EQ(text("i"), "-1");
  EXPECT_EQ(*op->FindAttr("f")->default_value->get<float>(), 0.01f);
  EXPECT_EQ(text("inf"), "-inf");
  EXPECT_EQ(text("b"), "true");
  EXPECT_EQ(text("t"), "DT_HALF");
  EXPECT_EQ(text("t2"), "DT_FLOAT");
  EXPECT_EQ(text("u"), "<unknown>");
  EXPECT_EQ(text("h"), "[2,?]");
  EXPECT_EQ(text("e"), "[]");
  EXPECT_EQ(op->FindAttr("x")->default_value->get<Tensor>()->flat<uint8_t>()[3],
            255);
  EXPECT_EQ(text("fn"), "f[]");
  EXPECT_EQ(text("ls"), "[\"abc\", \"\"]");
  EXPECT_EQ(text("li"), "[1, 1]");
  EXPECT_EQ(text("lf"), "[0.75, 1]");
  EXPECT_EQ(text("lb"), "[true, false]");
  EXPECT_EQ(text("lt"), "[DT_INT32, DT_FLOAT]");
  EXPECT_EQ(text("lh"), "[[], [1]]");
  EXPECT_EQ(op->FindAttr("le")->default_value->kind(), "list(int)");
  EXPECT_EQ(*op->FindAttr("n")->minimum, 2);
  EXPECT_EQ(text("n"), "3");
}

TEST(Signature, NamedTypeSetsHaveTheRegistrysOrder) {
  const OpDef op = *ParseOpDecl(mr_op_TestQuantized);
  EXPECT_EQ(op.FindAttr("A")->allowed.DebugString(),
            "[DT_FLOAT, DT_DOUBLE, DT_INT32, DT_UINT8, DT_INT16, DT_INT8, "
            "DT_COMPLEX64, DT_INT64, "
            "DT_QINT8, DT_QUINT8, DT_QINT32, DT_BFLOAT16, DT_QINT16, "
            "DT_QUINT16, DT_UINT16, "
            "DT_COMPLEX128, DT_HALF, DT_UINT32, DT_UINT64]");
  EXPECT_EQ(op.FindAttr("B")->allowed.DebugString(),
            "[DT_FLOAT, DT_DOUBLE, DT_INT32, DT_UINT8, DT_INT16, DT_INT8, "
            "DT_INT64, DT_BFLOAT16, "
            "DT_UINT16, DT_HALF, DT_UINT32, DT_UINT64]");
  EXPECT_EQ(op.FindAttr("C")->allowed.DebugString(),
            "[DT_QINT8, DT_QUINT8, DT_QINT32, DT_QINT16, DT_QUINT16]");
  EXPECT_EQ(op.deprecated_version, 9);
}

TEST(Signature, ErrorsShowThePlace) {
  EXPECT_THAT(
      BadMessage("x: T", ""),
      HasSubstr("expected a dtype or an attribute of kind type at 'T'"));
  EXPECT_THAT(BadMessage("x: N * T", "N: type; T: type"),
              HasSubstr("attribute of kind int"));
  EXPECT_THAT(BadMessage("x: float, x: float", ""), HasSubstr("doubled"));
  EXPECT_THAT(BadMessage("x: Ref(float", ""), HasSubstr("expected ')'"));
  EXPECT_THAT(BadMessage("x: float y", ""), HasSubstr("expected ','"));
  EXPECT_THAT(BadMessage("", "a: int = x"), HasSubstr("an integer at 'x'"));
  EXPECT_THAT(BadMessage("", "a: int >= 3 = 2"),
              HasSubstr("must be at least minimum 3"));
  EXPECT_THAT(BadMessage("", "a: {'x'} = 'y'"),
              HasSubstr("not in the list of allowed values: \"x\""));
  EXPECT_THAT(BadMessage("", "a: whatever"),
              HasSubstr("a kind of attribute at 'whatever'"));
  EXPECT_THAT(BadMessage("", "a: int; a: int"), HasSubstr("doubled"));
  EXPECT_THAT(BadMessage("", "a: string = 'x"), HasSubstr("a closing quote"));
  EXPECT_THAT(BadMessage("", "a: list(list(int))"),
              HasSubstr("a list of plain values"));
  EXPECT_THAT(BadMessage("", "a: tensor = half[1]"),
              HasSubstr("expected float or double"));
}

TEST(CompleteAttrs, FillsDefaultsAndGivesEmptyListsTheirKind) {
  const OpDef op = *ParseOpDecl(mr_op_TestDefaults);
  AttrMap attrs = {{"le", AttrValue::EmptyList()}, {"_kept", 1}};
  ASSERT_TRUE(CompleteAttrs(op, &attrs).ok());
  EXPECT_EQ(attrs.size(), op.attrs.size() + 1);
  EXPECT_EQ(attrs.Find("le")->kind(), "list(int)");
  EXPECT_EQ(*GetAttr<int>(attrs, "n"), 3);
}

TEST(CompleteAttrs, ShapesThatAreNoneArePassedOverWhereNobodyReadsThem) {
  OpDef op =
      *ParseOpDecl({"Elements", {.attrs = "output_shapes: list(shape) >= 1"}});
  const AttrMap unfit = {{std::string(kElementShapesAttr),
                          AttrValue::ShapeList{PartialShape({-1})}},
                         {std::string(kUnfitShapesAttr), "Shape [-2] has"}};
  AttrMap attrs = unfit;
  EXPECT_THAT(std::string(CompleteAttrs(op, &attrs).message()),
              StartsWith("Shape [-2] has; Op<name=Elements"));
  op.flags = kElementShapesUnread;
  attrs = unfit;
  ASSERT_TRUE(CompleteAttrs(op, &attrs).ok());
  EXPECT_EQ(attrs.size(), 1u);
}

TEST(CompleteAttrs, TensorFlowsMessages) {
  const OpDef op = *ParseOpDecl(mr_op_TestConcat);
  const auto message = [&](AttrMap attrs) {
    const Status s = CompleteAttrs(op, &attrs);
    EXPECT_EQ(s.code(), StatusCode::kInvalidArgument);
    return std::string(s.message());
  };
  const AttrValue f = DataType::kFloat;
  EXPECT_EQ(message({{"N", 2}}),
            "NodeDef missing attr 'T' from Op<name=TestConcat; "
            "signature=values:N*T, axis:Tidx -> "
            "output:T; attr=N:int,min=2; attr=T:type; "
            "attr=Tidx:type,default=DT_INT32,"
            "allowed=[DT_INT32, DT_INT64]>");
  EXPECT_THAT(
      message({{"N", 1}, {"T", f}}),
      StartsWith(
          "Value for attr 'N' of 1 must be at least minimum 2\n\t; Op<name="));
  EXPECT_THAT(message({{"N", 2}, {"T", f}, {"Tidx", f}}),
              StartsWith("Value for attr 'Tidx' of float is not in the list of "
                         "allowed values: "
                         "int32, int64\n\t; Op<name="));
  EXPECT_THAT(message({{"N", 2}, {"T", 3}}),
              StartsWith("AttrValue had value with type 'int' when 'type' "
                         "expected\n\t for attr "
                         "'T'\n\t; Op<name="));
  EXPECT_THAT(message({{"N", 2}, {"T", AttrValue()}}),
              StartsWith("AttrValue missing value with expected type 'type'"));
  EXPECT_THAT(
      message({{"N", 2}, {"T", MakeRef(DataType::kFloat)}}),
      StartsWith("AttrValue must not have reference type value of float_ref"));
  EXPECT_THAT(message({{"N", 2}, {"T", DataType::kInvalid}}),
              StartsWith("AttrValue has invalid DataType"));
  EXPECT_THAT(message({{"N", 2}, {"T", static_cast<DataType>(9999)}}),
              StartsWith("AttrValue has invalid DataType enum: 9999\n\t for "));
  EXPECT_THAT(message({{"N", 2}, {"T", static_cast<DataType>(24)}}),
              HasSubstr("not supported"));
  EXPECT_THAT(
      message({{"N", 2}, {"T", f}, {"foo", false}}),
      StartsWith("NodeDef mentions attr 'foo' not in Op<name=TestConcat"));
  const OpDef parse = *ParseOpDecl(mr_op_TestParse);
  AttrMap attrs = {{"Nsparse", 0},
                   {"T", f},
                   {"Tdense", AttrValue::TypeList{DataType::kBool}},
                   {"dense_shapes", AttrValue::EmptyList()}};
  EXPECT_THAT(std::string(CompleteAttrs(parse, &attrs).message()),
              StartsWith("Value for attr 'Tdense' of bool is not in the list "
                         "of allowed values: "
                         "float, int64, string"));
}

TEST(OpRegistry, FindsAndSuggests) {
  const OpDecl* const decls[] = {&mr_op_TestConcat, &mr_op_TestParse};
  const auto registry = *OpRegistry::Build(decls);
  EXPECT_NE(registry->Find("TestParse"), nullptr);
  const Status s = registry->Lookup("TestPase").status();
  EXPECT_EQ(s.code(), StatusCode::kNotFound);
  EXPECT_THAT(std::string(s.message()),
              StartsWith("Op type not registered 'TestPase' in "));
  EXPECT_THAT(std::string(s.message()), HasSubstr("nearest op is 'TestParse'"));
  const OpDecl* const doubled[] = {&mr_op_TestConcat, &mr_op_TestConcat};
  EXPECT_FALSE(OpRegistry::Build(doubled).ok());
}

}  // namespace
}  // namespace millrace
