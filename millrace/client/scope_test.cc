#include "millrace/client/scope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "millrace/client/ops.h"

namespace millrace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Output Float(const Scope& scope) { return ops::Const(scope, 1.0f); }

std::vector<std::string> Names(const std::vector<Operation>& operations) {
  std::vector<std::string> names;
  for (const Operation& op : operations) names.push_back(op.name());
  return names;
}

TEST(Scope, NamesAreThoseOfTensorFlow) {
  const Scope root = Scope::NewRoot();
  EXPECT_EQ(Float(root).name(), "Const:0");
  EXPECT_EQ(Float(root).name(), "Const_1:0");
  EXPECT_EQ(Float(root.WithOpName("x")).name(), "x:0");
  EXPECT_EQ(Float(root.WithOpName("x")).name(), "x_1:0");
  EXPECT_EQ(Float(root.WithOpName("X")).name(), "X_2:0");
  EXPECT_EQ(Float(root.WithOpName("x_1")).name(), "x_1_1:0");
  const Scope a = root.SubScope("a");
  EXPECT_EQ(a.name(), "a/");
  EXPECT_EQ(root.SubScope("a").name(), "a_1/");
  EXPECT_EQ(root.SubScope("a/").name(), "a/");
  EXPECT_EQ(a.SubScope("b").name(), "a/b/");
  EXPECT_EQ(a.SubScope("").name(), "");
  EXPECT_EQ(Float(a.WithOpName("w")).name(), "a/w:0");
  EXPECT_EQ(Float(a.WithOpName("exact/")).name(), "exact:0");
  EXPECT_TRUE(root.ok()) << root.status();
}

TEST(Scope, LiteralsAreNamedAfterTheirArgument) {
  const Scope root = Scope::NewRoot();
  const Output y = ops::Mul(root, Float(root), 2);
  EXPECT_EQ(y.name(), "Mul:0");
  EXPECT_EQ(y.op().input(1).name(), "Mul/y:0");
  const Output c = ops::ConcatV2(root.SubScope("s"), {{1, 2}, {3}}, 0);
  EXPECT_EQ(c.op().input(0).name(), "s/ConcatV2/values_0:0");
  EXPECT_EQ(c.op().input(2).name(), "s/ConcatV2/axis:0");
  EXPECT_TRUE(root.ok()) << root.status();
}

TEST(Scope, MalformedNamesAreErrors) {
  for (const char* name : {"_x", "a b", "ä", "-x"}) {
    const Scope root = Scope::NewRoot();
    EXPECT_FALSE(Float(root.WithOpName(name)));
    EXPECT_THAT(root.status().message(), HasSubstr("is not a valid node name"))
        << name;
  }
  const Scope root = Scope::NewRoot();
  EXPECT_TRUE(Float(root.SubScope("a").WithOpName("_x")));
  root.SubScope("a:b");
  EXPECT_THAT(root.status().message(), HasSubstr("is not a valid scope name"));
}

TEST(Scope, DevicesNest) {
  const Scope root = Scope::NewRoot();
  const Scope ps = root.WithDevice("/job:ps/task:1/cpu:0");
  EXPECT_EQ(Float(ps).op().device(), "/job:ps/task:1/device:CPU:0");
  EXPECT_EQ(Float(ps.WithDevice("/gpu:1")).op().device(),
            "/job:ps/task:1/device:GPU:1");
  EXPECT_EQ(Float(ps.WithDevice("/gpu:1").WithDevice("/task:3")).op().device(),
            "/job:ps/task:3/device:GPU:1");
  EXPECT_EQ(Float(ps.WithoutDevices()).op().device(), "");
  EXPECT_TRUE(root.ok()) << root.status();
  root.WithDevice("/job");
  EXPECT_EQ(root.status().code(), StatusCode::kInvalidArgument);
}

TEST(Scope, DeviceFunctionsSeeTheInnerDevice) {
  const Scope root = Scope::NewRoot();
  std::vector<std::string> seen;
  const Scope scope =
      root.WithDevice("/job:worker").WithDevice([&](const Node& node) {
        seen.push_back(absl::StrCat(node.op->name, " ", node.name, " ",
                                    node.requested_device));
        return node.requested_device.empty() ? std::string("/job:ps/task:2")
                                             : node.requested_device;
      });
  EXPECT_EQ(Float(scope.WithOpName("a")).op().device(), "/job:ps/task:2");
  EXPECT_EQ(Float(scope.WithDevice("/gpu:0").WithOpName("b")).op().device(),
            "/job:worker/device:GPU:0");
  EXPECT_THAT(seen, ElementsAre("Const a ", "Const b /device:GPU:0"));
}

TEST(Scope, ControlDependencies) {
  const Scope root = Scope::NewRoot();
  const Output a = Float(root.WithOpName("a"));
  const Output b = Float(root.WithOpName("b"));
  const Scope after =
      root.WithControlDependencies({a}).WithControlDependencies({b});
  EXPECT_THAT(Names(Float(after).op().control_inputs()), ElementsAre("a", "b"));
  EXPECT_THAT(
      Names(Float(after.WithoutControlDependencies()).op().control_inputs()),
      ElementsAre());
  // An input need not be waited for twice.
  EXPECT_THAT(Names(ops::Identity(after, a).op().control_inputs()),
              ElementsAre("b"));
}

TEST(Scope, Colocation) {
  const Scope root = Scope::NewRoot();
  const Output a = Float(root.WithDevice("/job:ps").WithOpName("a"));
  const Output b =
      Float(root.WithDevice("/gpu:0").ColocateWith(a).WithOpName("b"));
  EXPECT_EQ(b.op().device(), "/job:ps");
  EXPECT_THAT(*b.op().Attr<AttrValue::StringList>("_class"),
              ElementsAre("loc:@a"));
  // Colocation is transitive.
  const Output c =
      Float(root.ColocateWith(b).ColocateWith(Float(root.WithOpName("d"))));
  EXPECT_THAT(*c.op().Attr<AttrValue::StringList>("_class"),
              ElementsAre("loc:@a", "loc:@d"));
}

TEST(Scope, Containers) {
  const Scope root = Scope::NewRoot();
  const Scope scope = root.WithContainer("c");
  const Output v = ops::VariableV2(scope, PartialShape({2}), DataType::kFloat);
  EXPECT_EQ(*v.op().Attr<std::string>("container"), "c");
  const Output w = ops::VariableV2(scope, PartialShape({2}), DataType::kFloat,
                                   {.container = "own"});
  EXPECT_EQ(*w.op().Attr<std::string>("container"), "own");
  EXPECT_TRUE(Float(scope));
  EXPECT_TRUE(root.ok()) << root.status();
}

TEST(Scope, Seeds) {
  const Scope root = Scope::NewRoot();
  using Pair = std::pair<int64_t, int64_t>;
  EXPECT_EQ(root.Seeds(), Pair(0, 0));
  EXPECT_EQ(root.Seeds(7), Pair(87654321, 7));
  root.graph().SetRandomSeed(0);
  EXPECT_EQ(root.Seeds(0), Pair(0, 2147483647));
  Float(root);
  EXPECT_EQ(root.Seeds(), Pair(0, 1));
  EXPECT_EQ(root.Seeds(5), Pair(0, 5));
}

TEST(Scope, TheFirstErrorStays) {
  const Scope root = Scope::NewRoot();
  const Output a = ops::Const(root, {1.0f, 2.0f});
  const Output bad = ops::AddV2(root.WithOpName("bad"), a, {1.0f, 2.0f, 3.0f});
  EXPECT_FALSE(bad);
  const Output next = ops::AddV2(root, bad, bad);
  EXPECT_FALSE(next);
  EXPECT_EQ(root.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(root.status().message(), HasSubstr("{{node bad}}"));
  EXPECT_EQ(root.graph().Find("bad"), Operation());
  // An op with several outputs still has them.
  EXPECT_EQ(ops::Unpack(root, bad, 3).size(), 3u);
  EXPECT_EQ(ops::Split(root, 0, bad, 4).size(), 4u);
  root.graph().ClearStatus();
  EXPECT_TRUE(Float(root));
}

}  // namespace
}  // namespace millrace
