#include "millrace/graph/function/function_body.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace {
namespace {

using testing::HasSubstr;

constexpr OpDecl kArg = {"_Arg",
                         {.outputs = "output: T",
                          .attrs = "T: type; index: int >= 0",
                          .flags = kStateful,
                          .role = OpRole::kArg}};
constexpr OpDecl kRetval = {"_Retval",
                            {.inputs = "input: T",
                             .attrs = "T: type; index: int >= 0",
                             .flags = kStateful,
                             .role = OpRole::kRetval}};
constexpr OpDecl kAdd = {
    "Add", {.inputs = "x: T, y: T", .outputs = "z: T", .attrs = "T: type"}};
constexpr OpDecl kSplit = {"Split",
                           {.inputs = "value: T",
                            .outputs = "head: T, parts: n * T",
                            .attrs = "T: type; n: int"}};
constexpr OpDecl kPack = {"Pack",
                          {.inputs = "values: N * T",
                           .outputs = "output: T",
                           .attrs = "T: type; N: int"}};
constexpr OpDecl kCall = {
    "Call", {.outputs = "output: T", .attrs = "T: type; f: func"}};
constexpr OpDecl kNoOp = {"NoOp", {.role = OpRole::kNoOp}};

class FunctionBodyTest : public testing::Test {
 protected:
  FunctionBodyTest() {
    static const OpDecl* const decls[] = {&kArg,  &kRetval, &kAdd, &kSplit,
                                          &kPack, &kCall,   &kNoOp};
    static const OpRegistry* const ops = OpRegistry::Build(decls)->release();
    ops_ = ops;
    // f(x: T, many: n * T) -> (sum: T, parts: n * T)
    f_.signature.name = "f";
    f_.signature.attrs = {{.name = "T", .kind = "type"},
                          {.name = "n", .kind = "int"}};
    f_.signature.inputs = {
        {.name = "x", .type_attr = "T"},
        {.name = "many", .type_attr = "T", .number_attr = "n"}};
    f_.signature.outputs = {
        {.name = "sum", .type_attr = "T"},
        {.name = "parts", .type_attr = "T", .number_attr = "n"}};
    const AttrValue t = AttrPlaceholder{"T"};
    const AttrValue n = AttrPlaceholder{"n"};
    f_.nodes = {
        {"add",
         "Add",
         {"x", "split:parts:1", "^nothing", "^many"},
         "",
         {{"T", t}}},
        {"pack", "Pack", {"many"}, "", {{"T", t}, {"N", n}}},
        {"split", "Split", {"pack:output:0"}, "/cpu:0", {{"T", t}, {"n", n}}},
        {"nothing", "NoOp", {}, "", {}},
        {"call",
         "Call",
         {},
         "",
         {{"T", t}, {"f", NameAttrList{"f", {{"T", t}, {"n", 3}}}}}},
    };
    f_.ret = {{"sum", "add:z"}, {"parts", "split:parts"}};
  }
  StatusOr<Graph> Instantiate(AttrMap attrs = {{"T", DataType::kFloat},
                                               {"n", 2},
                                               {"_x", 1}}) {
    FunctionLibrary library;
    EXPECT_TRUE(library.Add(f_).ok());
    return InstantiateFunction(*ops_, library, {"f", std::move(attrs)});
  }
  std::string Error() { return std::string(Instantiate().status().message()); }
  const OpRegistry* ops_;
  FunctionDef f_;
};

TEST_F(FunctionBodyTest, BindsArgumentsAttributesAndOutputs) {
  const auto graph = Instantiate();
  ASSERT_TRUE(graph.ok()) << graph.status();
  const Node& add = *graph->Find("add");
  EXPECT_EQ(add.input_types[0], DataType::kFloat);
  EXPECT_EQ(graph->node(add.inputs[0].node)->name, "x");
  EXPECT_EQ(add.inputs[1], (OutputRef{graph->Find("split")->id, 2}));
  EXPECT_EQ(add.control_inputs.size(), 3u);
  EXPECT_EQ(graph->Find("many_1")->attrs.Find("index")->DebugString(), "2");
  EXPECT_EQ(graph->Find("pack")->num_inputs(), 2);
  EXPECT_EQ(graph->Find("split")->requested_device, "/cpu:0");
  EXPECT_EQ(graph->Find("call")->attrs.Find("f")->DebugString(),
            "f[T=DT_FLOAT, n=3]");
  const Node& ret = *graph->Find("parts_RetVal_1");
  EXPECT_EQ(ret.attrs.Find("index")->DebugString(), "2");
  EXPECT_EQ(ret.inputs[0], (OutputRef{graph->Find("split")->id, 2}));
}

TEST_F(FunctionBodyTest, Errors) {
  EXPECT_THAT(
      std::string(Instantiate({{"T", DataType::kFloat}}).status().message()),
      HasSubstr("NodeDef missing attr 'n'"));
  EXPECT_EQ(InstantiateFunction(*ops_, {}, {"g", {}}).status().message(),
            "Function g is not defined.");
  const FunctionDef good = f_;
  f_.nodes[0].inputs[1] = "split:parts:2";
  EXPECT_THAT(Error(),
              HasSubstr("Node 'add': Invalid index in input 'split:parts:2'"));
  f_.nodes[0].inputs[1] = "split";
  EXPECT_THAT(Error(), HasSubstr("expected node:output:index"));
  f_.nodes[0].inputs[1] = "nowhere:z:0";
  EXPECT_THAT(Error(), HasSubstr("Unknown input 'nowhere:z:0'"));
  EXPECT_THAT(Error(), HasSubstr("in the body of function 'f'"));
  f_.nodes[0].inputs[1] = "many";
  EXPECT_THAT(Error(), HasSubstr("too many inputs"));
  f_.nodes[0].inputs = {"x"};
  EXPECT_THAT(Error(), HasSubstr("has 1 inputs, but op Add expects 2"));
  f_.nodes[0].inputs = {"x", "add:z:0"};
  EXPECT_THAT(Error(), HasSubstr("cycle through node 'add'"));
  f_ = good;
  f_.nodes[1].attrs.Set("N", AttrPlaceholder{"other"});
  EXPECT_THAT(Error(), HasSubstr("Failed to bind placeholder '$other'"));
  f_ = good;
  f_.ret.pop_back();
  EXPECT_THAT(Error(), HasSubstr("Return parts missing."));
  f_.ret.push_back({"parts", "split:parts:0"});
  EXPECT_THAT(Error(), HasSubstr("Expected 2 tensors for output 'parts'"));
  f_ = good;
  f_.control_ret = {{"c", "nowhere"}};
  EXPECT_THAT(Error(), HasSubstr("control output 'c'"));
}

TEST_F(FunctionBodyTest, ListsOfArgumentsTogetherAreBounded) {
  f_.signature.inputs.clear();
  for (int i = 0; i < 50; ++i) {
    f_.signature.inputs.push_back({.name = absl::StrCat("many", i),
                                   .type_attr = "T",
                                   .number_attr = "n"});
  }
  FunctionLibrary library;
  ASSERT_TRUE(library.Add(f_).ok());
  for (const int64_t n : {2000, 1 << 20}) {
    const auto body = InstantiateFunction(
        *ops_, library, {"f", {{"T", DataType::kFloat}, {"n", n}}});
    EXPECT_EQ(body.status().code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(body.status().message(), HasSubstr("arguments"));
  }
}

}  // namespace
}  // namespace millrace
