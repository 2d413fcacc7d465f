#include "millrace/graph/shape_refiner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "millrace/graph/import.h"
#include "millrace/graph/int_rules.h"

namespace millrace {
namespace {

using testing::HasSubstr;

// Enough of the real schemas for graphs with constants, loops and calls.
Status Reshape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(PartialShape s, c.ShapeFromInput(1));
  return c.Return(std::move(s));
}
Status OfAttr(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(PartialShape s, c.Attr<PartialShape>("shape"));
  return c.Return(std::move(s));
}
Status OfValue(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(Tensor t, c.Attr<Tensor>("value"));
  return c.Return(t.shape());
}
Status ShapeOf(ShapeContext& c) {
  for (int i = 0; i < c.num_outputs(); ++i) {
    c.set_output(i, PartialShape({c.input(i).known_rank() ? c.input(i).rank()
                                                          : kUnknownDim}));
  }
  return OkStatus();
}
Status Both(ShapeContext& c) {
  for (int i = 0; i < c.num_outputs(); ++i) {
    c.set_output(i, c.input(0));
    c.set_output_handles(i, c.input_handles(0));
  }
  return OkStatus();
}
Status Concat(ShapeContext& c) {
  int64_t sum = 0;
  for (int i = 0; i + 1 < c.num_inputs(); ++i) {
    if (sum != kUnknownDim) {
      MR_ASSIGN_OR_RETURN(
          sum, ShapeContext::AddDims(sum, ShapeContext::Dim(c.input(i), 0)));
    }
  }
  return c.Return(
      ShapeContext::ReplaceDim(c.input(0), 0, sum).value_or(PartialShape()));
}
Status First(ShapeContext& c) {  // x[5] of a vector
  if (ShapeContext::Dim(c.input(0), 0) >= 0 &&
      ShapeContext::Dim(c.input(0), 0) < 6) {
    return InvalidArgument("slice index 5 of dimension 0 out of bounds.");
  }
  return c.Return(PartialShape({}));
}
Status Handle(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(PartialShape s, c.Attr<PartialShape>("shape"));
  c.set_output_handles(0, {{DataType::kFloat, std::move(s)}});
  return c.Return(PartialShape({}));
}
Status LongerHandle(ShapeContext& c) {  // with one more row
  std::vector<HandleShape> handles = c.input_handles(0);
  if (!handles.empty()) {
    PartialShape& shape = handles[0].shape;
    MR_ASSIGN_OR_RETURN(const int64_t rows,
                        ShapeContext::AddDims(ShapeContext::Dim(shape, 0), 1));
    MR_ASSIGN_OR_RETURN(shape, ShapeContext::ReplaceDim(shape, 0, rows));
  }
  c.set_output_handles(0, std::move(handles));
  return c.Return(PartialShape({}));
}
Status ReadHandle(ShapeContext& c) {
  return c.Return(c.input_handles(0).empty() ? PartialShape()
                                             : c.input_handles(0)[0].shape);
}

#define T_TO_T .inputs = "x: T", .outputs = "y: T", .attrs = "T: type"
constexpr OpDecl kDecls[] = {
    {"Const",
     {.outputs = "o: dtype",
      .attrs = "value: tensor; dtype: type",
      .role = OpRole::kConstant,
      .shape = OfValue,
      .ints_of_shapes = int_rules::Constant}},
    {"Placeholder",
     {.outputs = "o: dtype",
      .attrs = "dtype: type; shape: shape = null",
      .role = OpRole::kPlaceholder,
      .shape = OfAttr}},
    {"Identity",
     {T_TO_T, .law = Law::kPassesOn, .shape = shapes::Unchanged,
      .ints = int_rules::Same}},
    {"Enter",
     {.inputs = "x: T",
      .outputs = "y: T",
      .attrs = "T: type; is_constant: bool = false",
      .role = OpRole::kEnter,
      .shape = shapes::Unchanged,
      .ints = int_rules::Enter}},
    {"Exit", {T_TO_T, .role = OpRole::kExit, .shape = shapes::Unchanged}},
    {"NextIteration",
     {T_TO_T, .role = OpRole::kNextIteration, .shape = shapes::Unchanged}},
    {"LoopCond",
     {.inputs = "x: bool",
      .outputs = "y: bool",
      .role = OpRole::kLoopCond,
      .shape = shapes::Scalar}},
    {"Switch",
     {.inputs = "x: T, p: bool",
      .outputs = "f: T, t: T",
      .attrs = "T: type",
      .role = OpRole::kSwitch,
      .shape = Both}},
    {"Merge",
     {.inputs = "x: N * T",
      .outputs = "y: T, i: int32",
      .attrs = "T: type; N: int >= 1",
      .role = OpRole::kMerge,
      .shape = shapes::Join}},
    {"AddV2",
     {.inputs = "x: T, y: T",
      .outputs = "z: T",
      .attrs = "T: type",
      .law = Law::kPlusZero,
      .shape = shapes::Broadcast,
      .ints = int_rules::Add}},
    {"Reshape",
     {.inputs = "x: T, shape: Tshape",
      .outputs = "y: T",
      .attrs = "T: type; Tshape: {int32, int64} = 'int32'",
      .shape = Reshape,
      .ints = int_rules::Reshape}},
    {"Shape",
     {.inputs = "x: T",
      .outputs = "y: out_type",
      .attrs = "T: type; out_type: {int32, int64} = 'int32'",
      .shape = ShapeOf,
      .ints_of_shapes = int_rules::Shape}},
    {"Pack",
     {.inputs = "x: N * T",
      .outputs = "y: T",
      .attrs = "N: int; T: type; axis: int = 0",
      .ints = int_rules::Pack}},
    {"ConcatV2",
     {.inputs = "x: N * T, axis: int32",
      .outputs = "y: T",
      .attrs = "N: int; T: type",
      .shape = Concat,
      .ints = int_rules::ConcatV2}},
    {"StridedSlice",
     {.inputs = "x: T, b: int32, e: int32, s: int32",
      .outputs = "y: T",
      .attrs =
          "T: type; begin_mask: int = 0; end_mask: int = 0; ellipsis_mask: int "
          "= 0; new_axis_mask: int = 0; shrink_axis_mask: int = 0",
      .ints = int_rules::StridedSlice}},
    {"TakeFifth", {T_TO_T, .shape = First}},
    {"Double", {T_TO_T, .shape = shapes::Unchanged}},
    {"Vars",
     {.outputs = "h: resource",
      .attrs = "shape: shape",
      .flags = kStateful,
      .shape = Handle}},
    {"Longer", {T_TO_T, .shape = LongerHandle}},
    {"Read",
     {.inputs = "h: resource",
      .outputs = "y: float",
      .flags = kStateful,
      .shape = ReadHandle}},
    {"PartitionedCall",
     {.inputs = "a: Tin",
      .outputs = "o: Tout",
      .attrs = "Tin: list(type); Tout: list(type); f: func",
      .role = OpRole::kCall,
      .shape = shapes::Unknown}},
    {"_Arg",
     {.outputs = "o: T",
      .attrs = "T: type; index: int",
      .flags = kStateful,
      .role = OpRole::kArg,
      .shape = shapes::Unknown}},
    {"_Retval",
     {.inputs = "x: T",
      .attrs = "T: type; index: int",
      .flags = kStateful,
      .role = OpRole::kRetval,
      .shape = shapes::NoOutputs}},
};

class ShapeRefinerTest : public testing::Test {
 protected:
  ShapeRefinerTest() : graph_(Ops()) {}
  static const OpRegistry* Ops() {
    static const OpRegistry* const ops = [] {
      std::vector<const OpDecl*> decls;
      for (const OpDecl& d : kDecls) decls.push_back(&d);
      return OpRegistry::Build(decls)->release();
    }();
    return ops;
  }
  void Placeholder(const std::string& name, const PartialShape& shape,
                   DataType t = DataType::kFloat) {
    Add({name, "Placeholder", {}, "", {{"dtype", t}, {"shape", shape}}});
  }
  void Const(const std::string& name, const Tensor& value) {
    Add({name, "Const", {}, "", {{"dtype", value.dtype()}, {"value", value}}});
  }
  void Op(const std::string& name, const std::string& op,
          std::vector<std::string> inputs, DataType t = DataType::kFloat,
          AttrMap attrs = {}) {
    attrs.Set("T", t);
    Add({name, op, std::move(inputs), "", std::move(attrs)});
  }
  void Add(NodeDef node) { def_.nodes.push_back(std::move(node)); }
  Status Refine(ConstantEvaluator evaluate = nullptr) {
    const Status s = ImportGraphDef({}, def_, &graph_);
    EXPECT_TRUE(s.ok()) << s;
    def_ = {};
    if (!refiner_)
      refiner_ = std::make_unique<ShapeRefiner>(&graph_, std::move(evaluate));
    return refiner_->AddNewNodes();
  }
  std::string Shape(const std::string& name, int port = 0) {
    return refiner_->shape({graph_.Find(name)->id, port}).DebugString();
  }
  // while (i < ...) { x = body(x) } around `x0`; `body` adds the node "next_in"
  // of "body_in".
  void Loop(const std::string& x0, const std::function<void()>& body,
            DataType t = DataType::kFloat) {
    Placeholder("p", PartialShape({}), DataType::kBool);
    Op("enter", "Enter", {x0}, t);
    Op("merge", "Merge", {"enter", "next"}, t, {{"N", 2}});
    Add({"cond", "LoopCond", {"p"}, "", {}});
    Op("switch", "Switch", {"merge", "cond"}, t);
    Op("exit", "Exit", {"switch:0"}, t);
    Op("body_in", "Identity", {"switch:1"}, t);
    body();
    Op("next", "NextIteration", {"next_in"}, t);
  }
  GraphDef def_;
  Graph graph_;
  std::unique_ptr<ShapeRefiner> refiner_;
};

const DataType kInt = DataType::kInt32;

TEST_F(ShapeRefinerTest, InfersAndGrows) {
  Placeholder("a", {2, -1});
  Placeholder("b", {3});
  Op("c", "AddV2", {"a", "b"});
  ASSERT_TRUE(Refine().ok());
  EXPECT_EQ(Shape("c"), "[2,3]");
  Op("d", "AddV2", {"c", "c"});
  ASSERT_TRUE(Refine().ok());
  EXPECT_EQ(Shape("d"), "[2,3]");
}

TEST_F(ShapeRefinerTest, ErrorsShowTheNodeAndItsInputsAndAddNothing) {
  Placeholder("a", {2});
  Placeholder("b", {3});
  Op("c", "AddV2", {"a", "b"});
  EXPECT_EQ(Refine().message(),
            "Dimensions must be equal, but are 2 and 3 for '{{node c}} = "
            "AddV2[T=DT_FLOAT](a, b)' "
            "with input shapes: [2], [3].");
  EXPECT_EQ(Shape("a"), "<unknown>");
}

TEST_F(ShapeRefinerTest, ErrorsShowValues) {
  Placeholder("a", {6});
  Const("s", Tensor::Vector<int32_t>({2, -3}));
  Op("r", "Reshape", {"a", "s"});
  EXPECT_THAT(std::string(Refine().message()),
              HasSubstr("with input shapes: [6], [2] and with computed input "
                        "tensors: input[1] = "
                        "<2 -3>."));
}

TEST_F(ShapeRefinerTest, FollowsShapesAsFarAsTheyAreKnown) {
  Placeholder("x", {-1, 7, 3});
  Placeholder("y", PartialShape());
  Op("shape", "Shape", {"x"});
  Const("zero", Tensor::Vector<int32_t>({0}));
  Const("one", Tensor::Vector<int32_t>({1}));
  Const("two", Tensor::Vector<int32_t>({2}));
  Const("axis", Tensor::Scalar<int32_t>(0));
  Const("five", Tensor::Scalar<int32_t>(5));
  Op("batch", "StridedSlice", {"shape", "zero", "one", "one"}, kInt,
     {{"shrink_axis_mask", 1}});
  Op("seven", "StridedSlice", {"shape", "one", "two", "one"}, kInt,
     {{"shrink_axis_mask", 1}});
  Op("rest", "StridedSlice", {"shape", "one", "zero", "one"}, kInt,
     {{"end_mask", 1}});
  Op("twelve", "AddV2", {"seven", "five"}, kInt);
  Op("packed", "Pack", {"batch", "twelve", "seven"}, kInt, {{"N", 3}});
  Op("joined", "ConcatV2", {"rest", "packed", "axis"}, kInt, {{"N", 2}});
  Op("id", "Identity", {"joined"}, kInt);
  Op("r1", "Reshape", {"y", "packed"});
  Op("r2", "Reshape", {"y", "id"});
  ASSERT_TRUE(Refine().ok());
  EXPECT_EQ(Shape("r1"), "[?,12,7]");
  EXPECT_EQ(Shape("r2"), "[7,3,?,12,7]");
  const OutputRef twelve = {graph_.Find("twelve")->id, 0};
  EXPECT_EQ(refiner_->ConstantValue(twelve)->scalar<int32_t>(), 12);
  EXPECT_EQ(refiner_->ConstantValue({graph_.Find("packed")->id, 0}), nullptr);
}

TEST_F(ShapeRefinerTest, AsksTheEvaluatorForSmallValuesWithoutState) {
  int calls = 0;
  const auto twice = [&calls](const Node& node, absl::Span<const Tensor> in)
      -> std::optional<std::vector<Tensor>> {
    ++calls;
    EXPECT_EQ(node.op->name, "Double");
    return std::vector<Tensor>{
        Tensor::Vector<int32_t>({2 * in[0].flat<int32_t>()[0]})};
  };
  Placeholder("y", PartialShape());
  Const("c", Tensor::Vector<int32_t>({3}));
  Op("d", "Double", {"c"}, kInt);
  Op("dd", "Double", {"d"}, kInt);
  Op("r", "Reshape", {"y", "dd"});
  Op("r2", "Reshape", {"y", "dd"});
  Const("big", Tensor::Zeros(kInt, TensorShape({1 << 20})));
  Op("dbig", "Double", {"big"}, kInt);
  Op("rbig", "TakeFifth", {"dbig"}, kInt);
  Placeholder("fed", {1}, kInt);
  Op("dfed", "Double", {"fed"}, kInt);
  Op("rfed", "Reshape", {"y", "dfed"});
  ASSERT_TRUE(Refine(twice).ok());
  EXPECT_EQ(Shape("r"), "[12]");
  EXPECT_EQ(Shape("r2"), "[12]");
  EXPECT_EQ(Shape("rfed"), "[?]");
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(refiner_->ConstantValue({graph_.Find("dbig")->id, 0}), nullptr);
}

TEST_F(ShapeRefinerTest, LoopsKeepWhatDoesNotChange) {
  Placeholder("x", {2, 3});
  Loop("x", [&] { Op("next_in", "AddV2", {"body_in", "body_in"}); });
  ASSERT_TRUE(Refine().ok());
  EXPECT_EQ(Shape("exit"), "[2,3]");
}

TEST_F(ShapeRefinerTest, LoopsForgetWhatChangesAndWhatFollowsFromIt) {
  Placeholder("x", {2, 3});
  Placeholder("flat", PartialShape());
  Const("axis", Tensor::Scalar<int32_t>(0));
  Loop("x", [&] {
    Op("next_in", "ConcatV2", {"body_in", "body_in", "axis"}, DataType::kFloat,
       {{"N", 2}});
    Op("shape", "Shape", {"body_in"});
    Op("like", "Reshape", {"flat", "shape"});
  });
  ASSERT_TRUE(Refine().ok());
  EXPECT_EQ(Shape("merge"), "[?,3]");
  EXPECT_EQ(Shape("exit"), "[?,3]");
  EXPECT_EQ(Shape("next_in"), "[?,3]");
  EXPECT_EQ(Shape("like"), "[?,3]");
}

TEST_F(ShapeRefinerTest, WhatOnlyTheFirstIterationMustNotDoIsNoError) {
  Placeholder("x", {2});
  Const("axis", Tensor::Scalar<int32_t>(0));
  Loop("x", [&] {
    Op("guarded", "TakeFifth", {"body_in"});  // on a branch not taken at first
    Op("next_in", "ConcatV2", {"body_in", "body_in", "axis"}, DataType::kFloat,
       {{"N", 2}});
  });
  ASSERT_TRUE(Refine().ok());
  EXPECT_EQ(Shape("exit"), "<unknown>");
}

TEST_F(ShapeRefinerTest, HandlesCarryShapes) {
  Add({"v", "Vars", {}, "", {{"shape", PartialShape({4, 5})}}});
  Op("id", "Identity", {"v"}, DataType::kResource);
  Add({"read", "Read", {"id"}, "", {}});
  ASSERT_TRUE(Refine().ok());
  EXPECT_EQ(Shape("read"), "[4,5]");
}

// The shape of the handle itself, a scalar, is the same in all iterations.
TEST_F(ShapeRefinerTest, LoopsForgetWhatChangesInHandles) {
  Add({"v", "Vars", {}, "", {{"shape", PartialShape({4, 5})}}});
  Loop(
      "v",
      [&] {
        Add({"inside", "Read", {"body_in"}, "", {}});
        Op("next_in", "Longer", {"body_in"}, DataType::kResource);
      },
      DataType::kResource);
  Add({"after", "Read", {"exit"}, "", {}});
  ASSERT_TRUE(Refine().ok());
  EXPECT_EQ(Shape("inside"), "[?,5]");
  EXPECT_EQ(Shape("after"), "[?,5]");
}

TEST_F(ShapeRefinerTest, LoopsKeepHandlesThatDoNotChange) {
  Add({"v", "Vars", {}, "", {{"shape", PartialShape({4, 5})}}});
  Loop(
      "v", [&] { Op("next_in", "Identity", {"body_in"}, DataType::kResource); },
      DataType::kResource);
  Add({"after", "Read", {"exit"}, "", {}});
  ASSERT_TRUE(Refine().ok());
  EXPECT_EQ(Shape("after"), "[4,5]");
}

TEST_F(ShapeRefinerTest, MergeShapeNarrows) {
  Placeholder("x", {-1, 3});
  ASSERT_TRUE(Refine().ok());
  const OutputRef x = {graph_.Find("x")->id, 0};
  ASSERT_TRUE(refiner_->MergeShape(x, {8, -1}).ok());
  EXPECT_EQ(Shape("x"), "[8,3]");
  EXPECT_FALSE(refiner_->MergeShape(x, {9, -1}).ok());
  EXPECT_FALSE(refiner_->MergeShape({x.node, 1}, {9}).ok());
}

TEST_F(ShapeRefinerTest, FollowsCalls) {
  FunctionDef f;
  f.signature.name = "f";
  f.signature.inputs = {{.name = "a", .type = DataType::kFloat},
                        {.name = "b", .type = DataType::kFloat}};
  f.signature.outputs = {{.name = "r", .type = DataType::kFloat}};
  f.nodes = {{"add", "AddV2", {"a", "b"}, "", {{"T", DataType::kFloat}}}};
  f.ret = {{"r", "add:z:0"}};
  FunctionDef g = f;  // calls f, and itself
  g.signature.name = "g";
  g.nodes = {{"call", "f", {"a", "b"}, "", {}},
             {"again", "g", {"a", "b"}, "", {}}};
  g.ret = {{"r", "call:r:0"}};
  def_.library.functions = {f, g};
  Placeholder("x", {2, 1});
  Placeholder("y", {3});
  const AttrValue two = AttrValue::TypeList{DataType::kFloat, DataType::kFloat};
  Add({"direct", "g", {"x", "y"}, "", {}});
  Add({"call",
       "PartitionedCall",
       {"x", "y"},
       "",
       {{"Tin", two},
        {"Tout", AttrValue::TypeList{DataType::kFloat}},
        {"f", NameAttrList{"f", {}}}}});
  ASSERT_TRUE(Refine().ok());
  EXPECT_EQ(Shape("direct"), "[2,3]");
  EXPECT_EQ(Shape("call"), "[2,3]");
}

TEST_F(ShapeRefinerTest, LongChainsOfValuesNeedNoRecursion) {
  Placeholder("y", PartialShape());
  Const("c0", Tensor::Vector<int32_t>({3}));
  for (int i = 1; i <= 100'000; ++i) {
    Op(absl::StrCat("c", i), "Identity", {absl::StrCat("c", i - 1)}, kInt);
  }
  Op("r", "Reshape", {"y", "c100000"});
  ASSERT_TRUE(Refine().ok());
  EXPECT_EQ(Shape("r"), "[3]");
}

}  // namespace
}  // namespace millrace
