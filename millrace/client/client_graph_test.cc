#include "millrace/client/client_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "millrace/client/ops.h"

namespace millrace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ClientGraph, ShapesAreInferred) {
  const Scope s = Scope::NewRoot();
  const Output x =
      ops::Placeholder(s, DataType::kFloat, {.shape = PartialShape({-1, 3})});
  const Output y = ops::AddV2(s, x, ops::Const(s, {{1.f}, {2.f}}));
  EXPECT_EQ(y.shape(), (PartialShape{2, 3}));
  x.SetShape(PartialShape{2, 3});
  EXPECT_TRUE(s.ok()) << s.status();
  EXPECT_EQ(x.shape(), (PartialShape{2, 3}));
  x.SetShape(PartialShape{2, 4});
  EXPECT_EQ(s.status().code(), StatusCode::kInvalidArgument);
  s.graph().ClearStatus();
  EXPECT_EQ(ops::Reshape(s, x, {-1}).shape(), (PartialShape{6}));
  EXPECT_TRUE(IdenticalTensors(*ConstantValue(ops::Shape(s, x)),
                               Tensor::Vector<int32_t>({2, 3})));
  EXPECT_FALSE(ConstantValue(y).has_value());
}

TEST(ClientGraph, ShapesFollowFromComputedConstants) {
  const Scope s = Scope::NewRoot();
  const Output x =
      ops::Placeholder(s, DataType::kFloat, {.shape = PartialShape({-1, 12})});
  const Output four = ops::Neg(s, ops::Const(s, -4));
  const Output three =
      ops::Cast(s, ops::Floor(s, ops::Mul(s, ops::Const(s, 7.0f), 0.5f)),
                DataType::kInt32);
  const Output two = ops::SelectV2(s, ops::Less(s, three, four),
                                   ops::Const(s, 2), ops::Const(s, 5));
  EXPECT_EQ(ops::Reshape(s, x, ops::Pack(s, {ops::Const(s, -1), three, four}))
                .shape(),
            (PartialShape{-1, 3, 4}));
  EXPECT_EQ(ops::Fill(s, ops::Pack(s, {two, three}), 0.0f).shape(),
            (PartialShape{2, 3}));
  EXPECT_EQ(ops::ExpandDims(s, x, ops::Sub(s, four, three)).shape(),
            (PartialShape{-1, 1, 12}));
  // What is fed is not known.
  const Output fed =
      ops::Placeholder(s, DataType::kInt32, {.shape = PartialShape({})});
  EXPECT_EQ(ops::Fill(s, ops::Pack(s, {fed, two}), 0.0f).shape(),
            (PartialShape{-1, 2}));
  EXPECT_TRUE(s.ok()) << s.status();
}

TEST(ClientGraph, ConstantsAreCheckedWhereAnOpIsMade) {
  const Scope s = Scope::NewRoot();
  const Output indices = ops::Const(s, {{0}}, DataType::kInt64);
  const Output values = ops::Const(s, {7});
  const Output shape = ops::Const(s, {3}, DataType::kInt64);
  ops::EditDistance(s, indices, values, shape, indices, values, shape);
  EXPECT_THAT(s.status().message(),
              HasSubstr("Input Hypothesis SparseTensors must have rank at "
                        "least 2, but hypothesis_shape rank is: 1"));
  s.graph().ClearStatus();
}

TEST(ClientGraph, ExportsWhatIsNew) {
  const Scope s = Scope::NewRoot();
  const Output a = ops::Const(s.WithOpName("a"), 1.0f);
  const GraphMark mark = s.graph().End();
  EXPECT_TRUE(s.graph().Export(mark).nodes.empty());
  ops::Neg(s.WithOpName("b"), a);
  ops::AddV2(s.WithOpName("c").WithControlDependencies({a}), a, {1.0f, 2.0f});
  const GraphDef def = s.graph().Export(mark);
  ASSERT_EQ(def.nodes.size(), 3u);
  EXPECT_EQ(def.nodes[0].name, "b");
  EXPECT_THAT(def.nodes[0].inputs, ElementsAre("a"));
  EXPECT_EQ(def.nodes[1].name, "c/y");
  EXPECT_THAT(def.nodes[1].inputs, ElementsAre("^a"));
  EXPECT_EQ(def.versions.producer, kGraphDefVersion);
  EXPECT_EQ(s.graph().Export().nodes.size(), 4u);
}

TEST(ClientGraph, ImportsUnderAPrefixWithOtherInputs) {
  const Scope from = Scope::NewRoot();
  const Output x = ops::Placeholder(from.WithOpName("x"), DataType::kFloat);
  ops::Neg(from.WithOpName("n").WithControlDependencies({x}), x);
  ops::Identity(from.ColocateWith(x).WithOpName("i"),
                from.graph().FindOutput("n:0").value());
  const Scope to = Scope::NewRoot();
  const Output c = ops::Const(to.WithOpName("c"), {1.0f, 2.0f});
  ASSERT_TRUE(to.graph().Import(from.graph().Export(), "p/", {{"x", c}}).ok());
  const Output n = to.graph().FindOutput("p/n").value();
  EXPECT_EQ(n.op().input(0), c);
  EXPECT_EQ(n.shape(), (PartialShape{2}));
  EXPECT_THAT(*to.graph().Find("p/i").Attr<AttrValue::StringList>("_class"),
              ElementsAre("loc:@p/x"));
  EXPECT_EQ(to.WithOpName("p/n").TakeOpName("Neg"), "p/n_1");
}

TEST(ClientGraph, AnImportWhoseShapesContradictAddsNothing) {
  const auto make = [](int64_t size) {
    const Scope s = Scope::NewRoot();
    ops::Placeholder(s.WithOpName("a"), DataType::kFloat,
                     {.shape = PartialShape{2}});
    ops::Placeholder(s.WithOpName("b"), DataType::kFloat,
                     {.shape = PartialShape{size}});
    GraphDef def = s.graph().Export();
    NodeDef& sum = def.nodes.emplace_back();
    sum.name = "c";
    sum.op = "AddV2";
    sum.inputs = {"a", "b"};
    sum.attrs.Set("T", DataType::kFloat);
    return def;
  };
  GraphDef bad = make(3);
  bad.library.functions.emplace_back().signature.name = "F";
  const Scope to = Scope::NewRoot();
  const Output x = ops::Const(to.WithOpName("x"), {1.0f, 2.0f});
  const GraphMark end = to.graph().End();
  const Status status = to.graph().Import(bad, "p/", {{"a", x}});
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("{{node p/c}}"));
  EXPECT_EQ(to.graph().End(), end);
  EXPECT_EQ(to.graph().num_nodes(), 1);
  EXPECT_FALSE(to.graph().Find("p/b"));
  EXPECT_EQ(to.graph().FreeName("p/b"), "p/b");
  EXPECT_TRUE(to.graph().Export({0, -1}, end).library.functions.empty());

  EXPECT_TRUE(to.graph().Import(make(2), "p/", {{"a", x}}).ok());
  EXPECT_EQ(to.graph().FindOutput("p/c").value().shape(), (PartialShape{2}));
  EXPECT_EQ(ops::Neg(to, x).shape(), (PartialShape{2}));
  EXPECT_TRUE(to.ok()) << to.status();
}

TEST(ClientGraph, FindOutput) {
  const Scope s = Scope::NewRoot();
  const Output a = ops::Const(s.WithOpName("a"), 1.0f);
  EXPECT_EQ(*s.graph().FindOutput("a"), a);
  EXPECT_EQ(*s.graph().FindOutput("a:0"), a);
  EXPECT_THAT(s.graph().FindOutput("a:1").status().message(),
              HasSubstr("only has 1 outputs"));
  EXPECT_THAT(s.graph().FindOutput("b:0").status().message(),
              HasSubstr("does not exist"));
}

TEST(ClientGraph, CollectionsAreTyped) {
  const Scope s = Scope::NewRoot();
  const Output a = ops::Const(s, 1.0f);
  s.graph().AddToCollection("losses", a);
  s.graph().AddToCollection("losses", a);
  s.graph().AddToCollection("losses", std::string("text"));
  EXPECT_THAT(s.graph().Collection<Output>("losses"), ElementsAre(a, a));
  EXPECT_THAT(s.graph().Collection<std::string>("losses"), ElementsAre("text"));
  EXPECT_THAT(s.graph().Collection<Output>("none"), ElementsAre());
  EXPECT_THAT(s.graph().CollectionNames(), ElementsAre("losses"));
}

TEST(ClientGraph, FinalizedGraphsDoNotGrow) {
  const Scope s = Scope::NewRoot();
  ops::Const(s, 1.0f);
  s.graph().Finalize();
  EXPECT_FALSE(ops::Const(s, 2.0f));
  EXPECT_EQ(s.status().code(), StatusCode::kFailedPrecondition);
}

TEST(Ops, GroupSplitsByDevice) {
  const Scope s = Scope::NewRoot();
  const Output a = ops::Const(s.WithDevice("/job:a"), 1.0f);
  const Output b = ops::Const(s.WithDevice("/job:b"), 1.0f);
  const Operation all = ops::Group(s.WithOpName("init"), {a, b});
  EXPECT_EQ(all.name(), "init");
  ASSERT_EQ(all.control_inputs().size(), 2u);
  EXPECT_EQ(all.control_inputs()[0].name(), "init/NoOp");
  EXPECT_EQ(all.control_inputs()[0].device(), "/job:a");
  EXPECT_EQ(ops::Group(s, {a}).control_inputs().size(), 1u);
  EXPECT_EQ(ops::Group(s, {}).type(), "NoOp");
  EXPECT_TRUE(s.ok()) << s.status();
}

}  // namespace
}  // namespace millrace
