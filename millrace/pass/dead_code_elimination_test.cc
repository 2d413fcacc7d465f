#include "millrace/pass/dead_code_elimination.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "millrace/base/check.h"
#include "millrace/graph/testing/registry.h"

namespace millrace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr char kDevice[] = "/job:a/replica:0/task:0/device:CPU:0";

const OpRegistry& OpsWithQueues() {
  static constexpr OpDecl kDecls[] = {
      {"NoOp", {.role = OpRole::kNoOp}},
      {"Const", {.outputs = "o: float", .role = OpRole::kConstant}},
      {"Placeholder", {.outputs = "o: float", .role = OpRole::kPlaceholder}},
      {"VarHandleOp",
       {.outputs = "h: resource", .flags = kStateful | kGivesVariable}},
      {"ReadVariableOp",
       {.inputs = "h: resource",
        .outputs = "o: float",
        .flags = kStateful | kReadsVariable}},
      {"AssignVariableOp",
       {.inputs = "h: resource, v: float", .flags = kStateful}},
      {"RefVar", {.outputs = "ref: Ref(float)", .flags = kStateful}},
      {"AssignRef",
       {.inputs = "ref: Ref(float), v: float", .outputs = "o: Ref(float)"}},
      {"Pass", {.inputs = "i: float", .outputs = "o: float"}},
      {"Random", {.outputs = "o: float", .flags = kStateful}},
      {"CheckNumerics",
       {.inputs = "i: float", .outputs = "o: float", .flags = kChecks}},
      {"Call",
       {.inputs = "i: float", .outputs = "o: float", .attrs = "f: func"}},
      {"Switch",
       {.inputs = "i: float, p: bool",
        .outputs = "no: float, yes: float",
        .role = OpRole::kSwitch}},
      {"Bool", {.outputs = "o: bool"}},
  };
  static const OpRegistry& ops = MakeTestRegistry(kDecls);
  return ops;
}

// Graphs by names. "^x" is a control edge, "x:1" output 1.
class Graphs {
 public:
  Graphs() : graph_(&OpsWithQueues()) {}

  Graphs& Add(const std::string& name, const std::string& op,
              const std::vector<std::string>& inputs = {}, AttrMap attrs = {}) {
    std::vector<OutputRef> data;
    std::vector<NodeId> control;
    for (const std::string& input : inputs) {
      if (input[0] == '^') {
        control.push_back(graph_.Find(input.substr(1))->id);
        continue;
      }
      const TensorName t = ParseTensorName(input).value();
      data.push_back({graph_.Find(t.node)->id, t.port});
    }
    const auto added =
        graph_.AddNode(name, op, data, std::move(attrs), kDevice, control);
    MR_CHECK(added.ok(), added.status().ToString());
    (*added)->assigned_device = kDevice;
    return *this;
  }
  Graphs& Drop(std::vector<std::string> targets) {
    RunSignature signature;
    signature.targets = std::move(targets);
    const Status status = EliminateDeadCode(signature, &graph_);
    EXPECT_TRUE(status.ok()) << status;
    return *this;
  }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (NodeId id = 0; id < graph_.num_ids(); ++id) {
      if (graph_.node(id)) names.push_back(graph_.node(id)->name);
    }
    return names;
  }
  std::vector<std::string> WaitsOf(const std::string& name) const {
    std::vector<std::string> names;
    for (NodeId id : graph_.Find(name)->control_inputs) {
      names.push_back(graph_.node(id)->name);
    }
    return names;
  }

 private:
  Graph graph_;
};

TEST(DeadCodeEliminationTest, WhatIsOnlyWaitedForGoes) {
  Graphs g;
  g.Add("v", "VarHandleOp")
      .Add("read", "ReadVariableOp", {"v"})
      .Add("loss", "Pass", {"read"})
      .Add("unused_gradient", "Pass", {"loss"})
      .Add("further", "Pass", {"unused_gradient"})
      .Add("gradient", "Pass", {"loss"})
      .Add("group", "NoOp", {"^further", "^gradient"})
      .Add("tuple", "Pass", {"gradient", "^group"})
      .Add("train", "AssignVariableOp", {"v", "tuple"})
      .Drop({"train"});
  EXPECT_THAT(g.Names(), UnorderedElementsAre("v", "read", "loss", "gradient",
                                              "group", "tuple", "train"));
  // Dependencies through the removed nodes are kept.
  EXPECT_THAT(g.WaitsOf("group"), UnorderedElementsAre("loss", "gradient"));
}

TEST(DeadCodeEliminationTest, EffectsKeepTheirOrder) {
  Graphs g;
  g.Add("v", "VarHandleOp")
      .Add("one", "Const")
      .Add("first", "AssignVariableOp", {"v", "one"})
      .Add("read", "ReadVariableOp", {"v", "^first"})
      .Add("seen", "Pass", {"read"})
      .Add("second", "AssignVariableOp", {"v", "one", "^seen"})
      .Drop({"second"});
  EXPECT_THAT(g.Names(), UnorderedElementsAre("v", "one", "first", "second"));
  EXPECT_THAT(g.WaitsOf("second"), ElementsAre("first"));
}

TEST(DeadCodeEliminationTest, TargetsAndEffectsStay) {
  Graphs g;
  g.Add("c", "Const")
      .Add("target", "Pass", {"c"})
      .Add("random", "Random")
      .Add("check", "CheckNumerics", {"c"})
      .Add("call", "Call", {"c"}, AttrMap({{"f", NameAttrList{"f", {}}}}))
      .Add("var", "RefVar")
      .Add("assign", "AssignRef", {"var", "c"})
      .Add("all", "NoOp", {"^random", "^check", "^call", "^assign"})
      .Drop({"target", "all"});
  EXPECT_THAT(g.Names(), UnorderedElementsAre("c", "target", "random", "check",
                                              "call", "var", "assign", "all"));
}

TEST(DeadCodeEliminationTest, AValueOfABranchStays) {
  // Only its data edge determines whether the branch is taken.
  Graphs g;
  g.Add("c", "Const")
      .Add("p", "Bool")
      .Add("switch", "Switch", {"c", "p"})
      .Add("pivot", "Pass", {"switch:1"})
      .Add("then", "Random", {"^pivot"})
      .Drop({"then"});
  EXPECT_THAT(g.WaitsOf("then"), ElementsAre("pivot"));
}

TEST(DeadCodeEliminationTest, APlaceholderThatNobodyReadsNeedsNoValue) {
  Graphs g;
  g.Add("x", "Placeholder")
      .Add("z", "Placeholder")
      .Add("twice", "Pass", {"x"})
      .Add("c", "Const")
      .Add("read", "Pass", {"z"})
      .Add("target", "Pass", {"read", "^twice", "^x"})
      .Drop({"target"});
  EXPECT_THAT(g.Names(), ElementsAre("z", "read", "target"));
  EXPECT_THAT(g.WaitsOf("target"), IsEmpty());
}

TEST(DeadCodeEliminationTest, ThereIsNothingToWaitForInConstants) {
  Graphs g;
  g.Add("v", "VarHandleOp")
      .Add("c", "Const")
      .Add("read", "ReadVariableOp", {"v"})
      .Add("sum", "Pass", {"read", "^c"})
      .Add("target", "NoOp", {"^sum"})
      .Drop({"target"});
  EXPECT_THAT(g.Names(), ElementsAre("target"));
  EXPECT_THAT(g.WaitsOf("target"), IsEmpty());
}

TEST(DeadCodeEliminationTest, ManyWaitsAreJoined) {
  Graphs g;
  std::vector<std::string> waits = {"c"};
  g.Add("c", "Const");
  for (int i = 0; i < 9; ++i) {
    const std::string name = "r" + std::to_string(i);
    g.Add(name, "Random");
    waits.push_back("^" + name);
  }
  g.Add("hub", "Pass", waits)
      .Add("a", "NoOp", {"^hub"})
      .Add("b", "NoOp", {"^hub"});
  g.Drop({"a", "b"});
  EXPECT_THAT(g.WaitsOf("a"), ElementsAre("hub_1"));
  EXPECT_THAT(g.WaitsOf("b"), ElementsAre("hub_1"));
  EXPECT_EQ(g.WaitsOf("hub_1").size(), 9u);
}

TEST(DeadCodeEliminationTest, SmallGraphsStay) {
  Graphs g;
  g.Add("c", "Const").Add("n", "Pass", {"c"}).Add("t", "NoOp", {"^n"});
  g.Drop({"t"});
  EXPECT_EQ(g.Names().size(), 3u);
}

}  // namespace
}  // namespace millrace
