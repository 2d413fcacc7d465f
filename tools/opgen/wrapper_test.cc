#include "tools/opgen/wrapper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "millrace/graph/all_ops.h"
#include "tools/opgen/cpp_text.h"

namespace millrace::opgen {
namespace {

using testing::HasSubstr;

OpDef Parse(const char* name, OpFields fields) {
  auto op = ParseOpDecl(OpDecl{name, fields});
  EXPECT_TRUE(op.ok()) << op.status();
  return *std::move(op);
}

TEST(Wrapper, InputsThenPositionalThenOptions) {
  const OpDef op =
      Parse("Scale", {.inputs = "x: T, default: int32",
                      .outputs = "y: T",
                      .attrs = "T: type; axis: int; keep: bool = false; "
                               "pad: {'SAME', 'VALID'} = 'SAME'",
                      .doc = "Scales."});
  EXPECT_EQ(DeclareWrapper(op),
            "struct ScaleOptions {\n"
            "  bool keep = false;\n"
            "  std::string pad = \"SAME\";\n"
            "};\n"
            "// Scales.\n"
            "Output Scale(\n"
            "    const Scope& scope,\n"
            "    const Input& x,\n"
            "    const Input& default_,\n"
            "    int64_t axis,\n"
            "    const ScaleOptions& options = {});\n");
  EXPECT_EQ(DefineWrapper(op),
            "Output Scale(\n"
            "    const Scope& scope,\n"
            "    const Input& x,\n"
            "    const Input& default_,\n"
            "    int64_t axis,\n"
            "    const ScaleOptions& options) {\n"
            "  OpBuilder op(scope, \"Scale\");\n"
            "  op.In(x).In(default_)\n"
            "      .Attr(\"axis\", axis)\n"
            "      .Attr(\"keep\", options.keep)\n"
            "      .Attr(\"pad\", options.pad);\n"
            "  op.Finish();\n"
            "  return op.Out(0);\n"
            "}\n");
}

TEST(Wrapper, SeveralOutputsAreAStruct) {
  const OpDef op = Parse("Halves", {.inputs = "x: N * T",
                                    .outputs = "low: N * T, high: T",
                                    .attrs = "T: type; N: int >= 1"});
  EXPECT_THAT(DeclareWrapper(op), HasSubstr("struct HalvesOutputs {\n"
                                            "  std::vector<Output> low;\n"
                                            "  Output high;\n"
                                            "  Operation operation;\n"
                                            "};\n"));
  EXPECT_THAT(DeclareWrapper(op), HasSubstr("const InputList& x);"));
  EXPECT_THAT(DefineWrapper(op),
              HasSubstr("return {op.OutList(0), op.Out(1), operation};"));
}

TEST(Wrapper, NoOutputsGiveTheOperation) {
  const OpDef op = Parse("Close", {.inputs = "handle: resource"});
  EXPECT_THAT(
      DeclareWrapper(op),
      HasSubstr("Operation Close(const Scope& scope, const Input& handle);\n"));
  EXPECT_THAT(DefineWrapper(op), HasSubstr("return op.Finish();"));
}

TEST(Wrapper, InternalDeprecatedAndConstHaveNone) {
  EXPECT_FALSE(HasWrapper(Parse("_Send", {.inputs = "x: float"})));
  EXPECT_FALSE(HasWrapper(Parse("Old", {.deprecated_version = 15})));
  EXPECT_TRUE(HasWrapper(Parse("New", {.inputs = "x: float"})));
}

TEST(Wrapper, EverySchemaHasOne) {
  const auto ops = OpRegistry::Build(AllOps());
  ASSERT_TRUE(ops.ok()) << ops.status();
  EXPECT_THAT(WrapperHeader(**ops), HasSubstr("Output AddV2("));
  EXPECT_THAT(WrapperSource(**ops),
              HasSubstr("OpBuilder op(scope, \"AddV2\");"));
}

TEST(CppText, Defaults) {
  EXPECT_EQ(DefaultInitializer(AttrValue(0.5f)), "= 0.5f");
  EXPECT_EQ(DefaultInitializer(AttrValue(1e-4f)), "= 0.0001f");
  EXPECT_EQ(DefaultInitializer(AttrValue(2.0f)), "= 2.0f");
  EXPECT_EQ(DefaultInitializer(AttrValue(DataType::kBfloat16)),
            "= DataType::kBfloat16");
  EXPECT_EQ(DefaultInitializer(AttrValue("a\"b\n")), "= \"a\\\"b\\n\"");
  EXPECT_EQ(DefaultInitializer(AttrValue(PartialShape())), "");
  EXPECT_EQ(DefaultInitializer(AttrValue(PartialShape{2, -1})),
            "= PartialShape({2, -1})");
  EXPECT_EQ(DefaultInitializer(AttrValue(TensorShape())),
            "= PartialShape::UnknownOfRank(0)");
  EXPECT_EQ(DefaultInitializer(AttrValue(AttrValue::IntList{1, -2})),
            "= {1, -2}");
  EXPECT_EQ(DefaultInitializer(AttrValue(AttrValue::EmptyList{})), "");
}

TEST(CppText, CommentsAreFilled) {
  EXPECT_EQ(Comment("One line."), "// One line.\n");
  EXPECT_EQ(Comment("First\n\nsecond  word"), "// First\n//\n// second word\n");
}

}  // namespace
}  // namespace millrace::opgen
