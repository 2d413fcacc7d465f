#include "millrace/graph/function/read_results.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "millrace/graph/builtin_ops.h"
#include "millrace/graph/function/function_body.h"
#include "millrace/graph/testing/registry.h"

namespace millrace {
namespace {

using testing::ElementsAre;

constexpr OpDecl kReadTestOps[] = {
    {"_Arg",
     {.outputs = "output: T",
      .attrs = "T: type; index: int >= 0",
      .flags = kStateful,
      .role = OpRole::kArg}},
    {"_Retval",
     {.inputs = "input: T",
      .attrs = "T: type; index: int >= 0",
      .flags = kStateful,
      .role = OpRole::kRetval}},
    {"Source", {.outputs = "output: float"}},
    {"Effect",
     {.inputs = "x: float", .outputs = "z: float", .flags = kStateful}},
    {"Add", {.inputs = "x: float, y: float", .outputs = "z: float"}},
    {"Choose",
     {.inputs = "input: Tin",
      .outputs = "output: Tout",
      .attrs = "Tin: list(type) >= 0; Tout: list(type) >= 0; f: func",
      .flags = kStateful | kBranches}},
    {"Loop",
     {.inputs = "input: T",
      .outputs = "output: T",
      .attrs = "T: list(type) >= 0; cond: func; body: func",
      .flags = kStateful | kLoops}},
};

const OpRegistry& ReadTestRegistry() {
  static const OpRegistry& ops = MakeTestRegistry(kReadTestOps);
  return ops;
}

// Makes a function of `args` numbers with the given results.
FunctionDef FunctionOf(std::string name, int args, std::vector<NodeDef> nodes,
                       std::vector<std::string> results) {
  FunctionDef f;
  f.signature.name = std::move(name);
  for (int i = 0; i < args; ++i) {
    f.signature.inputs.push_back(
        {.name = absl::StrCat("a", i), .type = DataType::kFloat});
  }
  for (size_t i = 0; i < results.size(); ++i) {
    const std::string result = absl::StrCat("r", i);
    f.signature.outputs.push_back({.name = result, .type = DataType::kFloat});
    f.ret.emplace_back(result, std::move(results[i]));
  }
  f.nodes = std::move(nodes);
  return f;
}

class ReadResultsTest : public testing::Test {
 protected:
  ReadResultsTest() : graph_(&ReadTestRegistry()) {
    // The first result is the first argument, the second adds all others.
    const FunctionDef body =
        FunctionOf("body", 3, {{"sum", "Add", {"a1", "a2"}, "", {}}},
                   {"a0", "sum:z", "a2"});
    const FunctionDef condition = FunctionOf("condition", 3, {}, {"a0"});
    EXPECT_TRUE(graph_.library().Add(body).ok());
    EXPECT_TRUE(graph_.library().Add(condition).ok());
    source_ = Add("source", "Source", {}, {});
  }

  NodeId Add(const char* name, const char* op, std::vector<OutputRef> inputs,
             AttrMap attrs, std::vector<NodeId> controls = {}) {
    const auto added =
        graph_.AddNode(name, op, inputs, std::move(attrs), "", controls);
    EXPECT_TRUE(added.ok()) << added.status();
    return (*added)->id;
  }
  NodeId AddLoop() {
    const DataTypeVector three(3, DataType::kFloat);
    return Add("loop", "Loop", {{source_, 0}, {source_, 0}, {source_, 0}},
               {{"T", AttrValue::TypeList(three.begin(), three.end())},
                {"cond", NameAttrList{"condition", {}}},
                {"body", NameAttrList{"body", {}}},
                {"_lower_using_switch_merge", true}});
  }
  NodeId AddChoice(bool lowered = true) {
    return Add("choice", "Choose", {},
               {{"Tin", AttrValue::TypeList()},
                {"Tout", AttrValue::TypeList(2, DataType::kFloat)},
                {"f", NameAttrList{"body", {}}},
                {"_lower_using_switch_merge", lowered}});
  }
  std::vector<int64_t> ReadOf(NodeId id) const {
    return GetAttr<AttrValue::IntList>(graph_.node(id)->attrs,
                                       builtin::kReadResults)
        .value_or(std::vector<int64_t>{-7});
  }

  Graph graph_;
  NodeId source_ = kNoNode;
};

TEST_F(ReadResultsTest, OfAConditional) {
  const NodeId choice = AddChoice();
  Add("reader", "Effect", {{choice, 1}}, {});
  MarkReadResults({}, {}, &graph_);
  EXPECT_THAT(ReadOf(choice), ElementsAre(1));
  MarkReadResults({}, {choice}, &graph_);
  EXPECT_THAT(ReadOf(choice), ElementsAre(-1, 1));
  MarkReadResults({choice}, {}, &graph_);
  EXPECT_THAT(ReadOf(choice), ElementsAre(-1, 0, 1));
}

TEST_F(ReadResultsTest, OfAConditionalThatIsWaitedFor) {
  const NodeId choice = AddChoice();
  Add("after", "Source", {}, {}, {choice});
  MarkReadResults({}, {}, &graph_);
  EXPECT_THAT(ReadOf(choice), ElementsAre(-1));
}

TEST_F(ReadResultsTest, OnlyOfWhatIsLowered) {
  const NodeId choice = AddChoice(/*lowered=*/false);
  Add("reader", "Effect", {{choice, 1}}, {});
  MarkReadResults({}, {}, &graph_);
  EXPECT_THAT(ReadOf(choice), ElementsAre(-7));
}

TEST_F(ReadResultsTest, OfALoopWithWhatTheyDependOn) {
  const NodeId loop = AddLoop();
  Add("counter", "Effect", {{loop, 0}}, {});
  MarkReadResults({}, {}, &graph_);
  EXPECT_THAT(ReadOf(loop), ElementsAre(0));
  Add("reader", "Effect", {{loop, 1}}, {});
  MarkReadResults({}, {}, &graph_);
  EXPECT_THAT(ReadOf(loop), ElementsAre(0, 1, 2));
}

TEST_F(ReadResultsTest, BodiesKeepWhatIsRead) {
  const FunctionDef f = FunctionOf("f", 1,
                                   {{"a", "Effect", {"a0"}, "", {}},
                                    {"b", "Effect", {"a0"}, "", {}},
                                    {"c", "Effect", {"a0"}, "", {}}},
                                   {"a:z", "b:z"});
  FunctionLibrary library;
  ASSERT_TRUE(library.Add(f).ok());
  const auto body = [&] {
    return *InstantiateFunction(ReadTestRegistry(), library, {"f", {}});
  };
  Graph second = body();
  ASSERT_TRUE(KeepReadResults({1}, {}, &second).ok());
  EXPECT_EQ(second.Find("a"), nullptr);
  EXPECT_NE(second.Find("b"), nullptr);
  EXPECT_EQ(second.Find("c"), nullptr);
  EXPECT_NE(second.Find("a0"), nullptr);
  Graph effects = body();
  ASSERT_TRUE(
      KeepReadResults({builtin::kReadEffects}, {{"c", "c"}}, &effects).ok());
  EXPECT_EQ(effects.Find("a"), nullptr);
  EXPECT_NE(effects.Find("c"), nullptr);
  Graph none = body();
  EXPECT_EQ(KeepReadResults({2}, {}, &none).message(),
            "Expect to produce 3 tensors, but only get 2");
}

}  // namespace
}  // namespace millrace
