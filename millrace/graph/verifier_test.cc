#include "millrace/graph/verifier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace millrace {
namespace {

using testing::HasSubstr;

constexpr OpDecl kSource = {"Source", {.outputs = "o: T", .attrs = "T: type"}};
constexpr OpDecl kAddOp = {
    "Add", {.inputs = "x: T, y: T", .outputs = "z: T", .attrs = "T: type"}};

class VerifierTest : public testing::Test {
 protected:
  VerifierTest() : graph_(Ops()) {
    const AttrMap t = {{"T", DataType::kFloat}};
    a_ = *graph_.AddNode("a", "Source", {}, t);
    b_ = *graph_.AddNode("b", "Add", {{a_->id, 0}, {a_->id, 0}}, t, "",
                         {a_->id});
    for (Node* n : {a_, b_})
      n->assigned_device = "/job:w/replica:0/task:0/device:CPU:0";
  }
  static const OpRegistry* Ops() {
    static const OpDecl* const decls[] = {&kSource, &kAddOp};
    static const OpRegistry* const ops = OpRegistry::Build(decls)->release();
    return ops;
  }
  std::string Broken(GraphStage stage = GraphStage::kPartitioned) const {
    const Status s = VerifyGraph(graph_, stage, "a pass");
    return s.ok() ? "ok" : std::string(s.message());
  }
  Graph graph_;
  Node* a_;
  Node* b_;
};

TEST_F(VerifierTest, AcceptsGoodGraphs) {
  EXPECT_EQ(Broken(), "ok");
  graph_.RemoveNode(a_->id);
  EXPECT_EQ(Broken(GraphStage::kBuilding), "ok");
  EXPECT_THAT(Broken(GraphStage::kBuilt),
              HasSubstr("{{node b}} has no input 0"));
}

TEST_F(VerifierTest, NamesPassInvariantAndNode) {
  // The new name has another length: the graph's index has a view of the old
  // name, and would find a new name of the same length once in 128 times, by
  // its hash.
  b_->name = "other";
  EXPECT_EQ(Broken(),
            "graph invariant 'names and ids are unique' does not hold after a "
            "pass: {{node other}} is "
            "not found by its name");
}

#ifdef MILLRACE_DCHECK
TEST_F(VerifierTest, DebugBuildsAbortBehindThePass) {
  DebugVerifyGraph(graph_, GraphStage::kPlaced, "a pass");
  a_->out_edges.pop_back();
  EXPECT_DEATH(DebugVerifyGraph(graph_, GraphStage::kPlaced, "a pass"),
               "does not hold after a pass");
}
#endif

TEST_F(VerifierTest, FindsBrokenEdges) {
  a_->out_edges.pop_back();
  EXPECT_THAT(Broken(), HasSubstr("edges have two ends"));
}

TEST_F(VerifierTest, FindsDoubledControls) {
  b_->control_inputs.push_back(a_->id);
  EXPECT_THAT(Broken(), HasSubstr("has a control input twice: a"));
}

TEST_F(VerifierTest, FindsWrongTypesAndAttrs) {
  b_->output_types[0] = DataType::kInt32;
  EXPECT_THAT(Broken(), HasSubstr("has wrong output types"));
  b_->attrs.Erase("T");
  EXPECT_THAT(Broken(), HasSubstr("lacks attr 'T'"));
}

TEST_F(VerifierTest, TakesWhatFunctionsHaveAsDefaults) {
  FunctionDef function;
  function.signature.name = "F";
  function.signature.attrs.push_back(
      {.name = "n", .kind = "int", .default_value = AttrValue("text")});
  ASSERT_TRUE(graph_.library().Add(function).ok());
  const auto call = graph_.AddNode("call", "F", {}, AttrMap());
  ASSERT_TRUE(call.ok()) << call.status();
  EXPECT_EQ(Broken(GraphStage::kBuilt), "ok");
  (*call)->attrs.Erase("n");
  EXPECT_THAT(Broken(GraphStage::kBuilt), HasSubstr("lacks attr 'n'"));
}

TEST_F(VerifierTest, FindsWrongPorts) {
  b_->inputs[1].port = 1;
  EXPECT_THAT(Broken(), HasSubstr("has no such output as input 1: a:1"));
}

TEST_F(VerifierTest, FindsCycles) {
  graph_.AddControlEdge(b_->id, a_->id);
  EXPECT_EQ(Broken(GraphStage::kBuilding), "ok");
  EXPECT_THAT(Broken(), HasSubstr("only loops have cycles"));
}

TEST_F(VerifierTest, FindsDevices) {
  b_->assigned_device = "/job:w/replica:0/task:0/device:CPU:1";
  EXPECT_EQ(Broken(GraphStage::kPlaced), "ok");
  EXPECT_THAT(Broken(), HasSubstr("a partition has one device"));
  b_->assigned_device = "/cpu:0";
  EXPECT_EQ(Broken(GraphStage::kBuilt), "ok");
  EXPECT_THAT(Broken(GraphStage::kPlaced),
              HasSubstr("no full device name: '/cpu:0'"));
}

}  // namespace
}  // namespace millrace
