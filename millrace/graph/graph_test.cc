#include "millrace/graph/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "millrace/graph/import.h"
#include "millrace/graph/tensor_name.h"

namespace millrace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

MR_OP(GtNoOp){};
MR_OP(GtConst){.outputs = "output: dtype", .attrs = "dtype: type"};
MR_OP(GtAdd){
    .inputs = "x: T, y: T", .outputs = "z: T", .attrs = "T: numbertype"};
MR_OP(GtVariable){
    .outputs = "ref: Ref(dtype)", .attrs = "dtype: type", .flags = kStateful};
MR_OP(GtAssign){.inputs = "ref: Ref(T), value: T",
                .outputs = "out: Ref(T)",
                .attrs = "T: type"};
MR_OP(GtOld){.deprecated_version = 9, .deprecated_hint = "Use GtNoOp"};
constexpr OpDecl kMerge = {"Merge",
                           {.inputs = "inputs: N * T",
                            .outputs = "output: T, index: int32",
                            .attrs = "T: type; N: int >= 1",
                            .role = OpRole::kMerge}};
constexpr OpDecl kNext = {"NextIteration",
                          {.inputs = "data: T",
                           .outputs = "output: T",
                           .attrs = "T: type",
                           .role = OpRole::kNextIteration}};

class GraphTest : public testing::Test {
 protected:
  static const OpRegistry* Ops() {
    static const OpDecl* const decls[] = {
        &mr_op_GtNoOp,   &mr_op_GtConst, &mr_op_GtAdd, &mr_op_GtVariable,
        &mr_op_GtAssign, &mr_op_GtOld,   &kMerge,      &kNext};
    static const OpRegistry* const ops = OpRegistry::Build(decls)->release();
    return ops;
  }
  Status Import(std::vector<NodeDef> nodes, VersionDef versions = {}) {
    GraphDef def;
    def.nodes = std::move(nodes);
    def.versions = std::move(versions);
    return ImportGraphDef({}, def, &graph_);
  }
  std::string Error(std::vector<NodeDef> nodes, VersionDef versions = {}) {
    const int before = graph_.num_nodes();
    const Status s = Import(std::move(nodes), std::move(versions));
    EXPECT_FALSE(s.ok());
    EXPECT_EQ(graph_.num_nodes(), before);
    EXPECT_EQ(graph_.num_ids(), before);
    return std::string(s.message());
  }
  std::vector<std::string> OrderedNames() {
    std::vector<std::string> names;
    const auto order = TopologicalOrder(graph_);
    if (!order.ok()) return {std::string(order.status().message())};
    for (NodeId id : *order) names.push_back(graph_.node(id)->name);
    return names;
  }
  Graph graph_{Ops()};
};

const AttrMap kFloatType = {{"T", DataType::kFloat}};
const AttrMap kFloatDtype = {{"dtype", DataType::kFloat}};

NodeDef Const(std::string name) {
  return {std::move(name), "GtConst", {}, "", kFloatDtype};
}
NodeDef Add(std::string name, std::vector<std::string> inputs) {
  return {std::move(name), "GtAdd", std::move(inputs), "", kFloatType};
}
NodeDef NoOp(std::string name, std::vector<std::string> inputs = {}) {
  return {std::move(name), "GtNoOp", std::move(inputs), "", {}};
}

TEST_F(GraphTest, AddsConnectsAndRemoves) {
  Node* a = *graph_.AddNode("a", "GtConst", {}, kFloatDtype);
  Node* b = *graph_.AddNode("b", "GtConst", {}, kFloatDtype);
  Node* c = *graph_.AddNode("c", "GtAdd", {{a->id, 0}, {b->id, 0}}, kFloatType,
                            "/cpu:0", {{a->id}});
  EXPECT_EQ(c->num_outputs(), 1);
  EXPECT_EQ(a->out_edges.size(), 2u);
  graph_.AddControlEdge(a->id, c->id);
  EXPECT_EQ(c->control_inputs.size(), 1u);
  ASSERT_TRUE(graph_.SetInput(c, 1, {a->id, 0}).ok());
  EXPECT_EQ(b->out_edges.size(), 0u);
  EXPECT_EQ(a->out_edges.size(), 3u);
  graph_.RemoveControlEdge(a->id, c->id);
  EXPECT_EQ(a->out_edges.size(), 2u);
  graph_.RemoveNode(a->id);
  EXPECT_EQ(graph_.Find("a"), nullptr);
  EXPECT_EQ(graph_.num_nodes(), 2);
  EXPECT_EQ(c->inputs[0].node, kNoNode);
  EXPECT_EQ(c->inputs[1].node, kNoNode);
}

TEST_F(GraphTest, RefusesWhatDoesNotFitAndLeavesNothing) {
  Node* a = *graph_.AddNode("a", "GtConst", {}, {{"dtype", DataType::kInt32}});
  const auto message = [](const auto& s) {
    return std::string(s.status().message());
  };
  EXPECT_EQ(message(graph_.AddNode("a", "GtNoOp", {}, {})),
            "Node 'a' is not unique");
  EXPECT_THAT(message(graph_.AddNode("c", "GtAdd", {{a->id, 0}}, kFloatType)),
              HasSubstr("NodeDef expected inputs 'float, float' do not match 1 "
                        "inputs specified; "
                        "Op<name=GtAdd"));
  EXPECT_EQ(message(graph_.AddNode("c", "GtAdd", {{a->id, 0}, {a->id, 0}},
                                   kFloatType)),
            "Input 0 of node c was passed int32 from a:0 incompatible with "
            "expected float.");
  EXPECT_THAT(message(graph_.AddNode("c", "GtAdd", {{a->id, 1}, {a->id, 0}},
                                     kFloatType)),
              HasSubstr("Connecting to invalid output 1 of source node a which "
                        "has 1 outputs."));
  EXPECT_THAT(
      message(graph_.AddNode("c", "GtAdd", {{7, 0}, {a->id, 0}}, kFloatType)),
      HasSubstr("Unknown input node"));
  EXPECT_THAT(message(graph_.AddNode("c", "GtAdd", {}, {})),
              HasSubstr("NodeDef missing attr 'T' from Op<name=GtAdd"));
  EXPECT_EQ(graph_.num_ids(), 1);
  EXPECT_TRUE(a->out_edges.empty());
}

TEST_F(GraphTest, ReferencesFeedValuesButNotTheReverse) {
  ASSERT_TRUE(Import({{"v", "GtVariable", {}, "", kFloatDtype},
                      Const("c"),
                      Add("s", {"v", "c"}),
                      {"as", "GtAssign", {"v", "c"}, "", kFloatType}})
                  .ok());
  EXPECT_EQ(Error({{"bad", "GtAssign", {"c", "c"}, "", kFloatType}}),
            "Input 0 of node bad was passed float from c:0 incompatible with "
            "expected float_ref.");
}

// TensorFlow connects a node before it checks the node's attributes.
TEST_F(GraphTest, ImportTellsWrongEdgesBeforeWrongAttributes) {
  const auto add = [](DataType type, std::vector<std::string> inputs) {
    return NodeDef{"c", "GtAdd", std::move(inputs), "", {{"T", type}}};
  };
  const auto error = [&](NodeDef node) {
    return Error({std::move(node), Const("a")});
  };
  EXPECT_THAT(error(add(static_cast<DataType>(9999), {"a", "a"})),
              testing::StartsWith(
                  "Input 0 of node c was passed float from a:0 incompatible "
                  "with expected unknown dtype 9999.; AttrValue has invalid "
                  "DataType enum: 9999"));
  EXPECT_THAT(error(add(DataType::kInvalid, {"a", "a"})),
              testing::StartsWith("Input 0 of node c was passed float from "));
  EXPECT_THAT(error(add(DataType::kInvalid, {})),
              testing::StartsWith("AttrValue has invalid DataType\n"));
  EXPECT_THAT(
      error({"m", "Merge", {"a"}, "", {{"N", -1}, {"T", DataType::kFloat}}}),
      testing::StartsWith(
          "Value for number_attr() -1 < 0\n\t [[{{node m}}]]; "));
  EXPECT_THAT(
      error({"m", "Merge", {"a"}, "", {{"N", 1}, {"T", DataType::kInvalid}}}),
      testing::StartsWith(
          "AttrValue has invalid DataType\n\t [[{{node m}}]]; "));
  EXPECT_THAT(error({"as",
                     "GtAssign",
                     {"a", "a"},
                     "",
                     {{"T", MakeRef(DataType::kFloat)}}}),
              testing::StartsWith("Requested reference to a reference type: "));
  EXPECT_EQ(graph_.num_ids(), 0);
}

TEST_F(GraphTest, ImportTakesAnyOrderAndExtends) {
  ASSERT_TRUE(Import({Add("c", {"a", "b:0", "^n", "^n", "^a"}), Const("a"),
                      Const("b"), NoOp("n")})
                  .ok());
  EXPECT_EQ(graph_.Find("c")->control_inputs.size(), 2u);
  EXPECT_THAT(OrderedNames(), ElementsAre("a", "b", "n", "c"));
  ASSERT_TRUE(Import({Add("d", {"c", "a"})}).ok());
  EXPECT_EQ(graph_.Find("c")->out_edges.size(), 1u);
  const GraphDef out = ExportGraphDef(graph_);
  ASSERT_EQ(out.nodes.size(), 5u);
  EXPECT_THAT(out.nodes[0].inputs, ElementsAre("a", "b", "^n", "^a"));
  Graph again(Ops());
  ASSERT_TRUE(ImportGraphDef({}, out, &again).ok());
  EXPECT_EQ(again.num_nodes(), 5);
}

TEST_F(GraphTest, ImportErrorsNameNodeAndInputAndAddNothing) {
  ASSERT_TRUE(Import({Const("a"), NoOp("n")}).ok());
  EXPECT_EQ(Error({Add("c", {"a", "b"})}), "Node 'c': Unknown input node 'b'");
  EXPECT_EQ(Error({Add("c", {"a", "a:1"})}),
            "Node 'c': Connecting to invalid output 1 of source node a which "
            "has 1 outputs.");
  EXPECT_EQ(
      Error({Add("c", {"^n", "a", "a"})}),
      "Node 'c': Control dependencies must come after regular dependencies");
  EXPECT_EQ(Error({NoOp("c", {"^n:0"})}),
            "Node 'c': Unknown input node '^n:0'");
  EXPECT_EQ(Error({NoOp("n")}), "Node 'n' is not unique");
  EXPECT_EQ(Error({NoOp("x"), NoOp("x")}), "Node 'x' is not unique");
  EXPECT_EQ(Error({NoOp("")}),
            "Node '': Node name contains invalid characters");
  EXPECT_EQ(Error({NoOp("a b")}),
            "Node 'a b': Node name contains invalid characters");
  EXPECT_THAT(Error({{"c", "GtConsd", {}, "", {}}}),
              HasSubstr("Op type not registered 'GtConsd'"));
  EXPECT_THAT(Error({Add("c", {"a"})}),
              testing::StartsWith("Incomplete graph, missing 1 inputs for c; "
                                  "NodeDef expected inputs"));
  EXPECT_THAT(Error({Add("c", {"a", "a", "a"})}),
              testing::StartsWith(
                  "Input 2 of node c does not exist. Node only has 2 inputs."));
  EXPECT_THAT(
      Error({Add("c", {"a", "d"}), Add("d", {"a", "c"}), Add("e", {"d", "a"})}),
      testing::AnyOf(HasSubstr("cycle through node 'c'"),
                     HasSubstr("cycle through node 'd'")));
  EXPECT_THAT(Error({NoOp("c", {"^c"})}), HasSubstr("cycle through node 'c'"));
  EXPECT_TRUE(graph_.Find("a")->out_edges.empty());
  EXPECT_TRUE(graph_.Find("n")->out_edges.empty());
}

TEST_F(GraphTest, ImportKnowsVersions) {
  EXPECT_THAT(Error({}, {3000, 2900, {}}),
              HasSubstr("GraphDef min consumer version 2900 above"));
  EXPECT_THAT(Error({}, {2474, 0, {2474}}),
              HasSubstr("GraphDef disallows consumer version 2474"));
  EXPECT_THAT(Error({{"o", "GtOld", {}, "", {}}}, {9, 0, {}}),
              HasSubstr("Op GtOld is not available in GraphDef version 9. It "
                        "has been removed in "
                        "version 9. Use GtNoOp."));
  EXPECT_TRUE(Import({{"o", "GtOld", {}, "", {}}}, {8, 0, {}}).ok());
}

TEST_F(GraphTest, UnknownAttributesOfNewerClients) {
  const VersionDef newer = {9999, 0, {}};
  NodeDef n = NoOp("n");
  n.attrs = {{"_class", AttrValue::StringList{"loc:@a"}}, {"flag", false}};
  EXPECT_THAT(Error({n}),
              HasSubstr("NodeDef mentions attr 'flag' not in Op<name=GtNoOp"));
  ASSERT_TRUE(Import({n}, newer).ok());
  EXPECT_EQ(graph_.Find("n")->attrs.size(), 1u);
  n.name = "m";
  n.attrs.Set("flag", true);
  EXPECT_THAT(
      Error({n}, newer),
      HasSubstr("NodeDef mentions attr 'flag' with value true, which op "
                "GtNoOp of GraphDef version 2474 (this server) does not "
                "have; the client's version is 9999"));
}

TEST_F(GraphTest, LoopsCloseByNextIterationOnly) {
  NodeDef merge = {
      "m", "Merge", {"a", "next"}, "", {{"T", DataType::kFloat}, {"N", 2}}};
  NodeDef next = {"next", "NextIteration", {"s"}, "", kFloatType};
  ASSERT_TRUE(Import({merge, Add("s", {"m", "m"}), next, Const("a")}).ok());
  EXPECT_THAT(OrderedNames(), ElementsAre("a", "m", "s", "next"));
}

TEST_F(GraphTest, FunctionsAreOps) {
  FunctionDef f;
  f.signature.name = "Twice";
  f.signature.inputs = {{.name = "x", .type = DataType::kFloat}};
  f.signature.outputs = {{.name = "y", .type = DataType::kFloat}};
  GraphDef def;
  def.library.functions = {f};
  def.nodes = {Const("a"), {"call", "Twice", {"a"}, "", {}}};
  ASSERT_TRUE(ImportGraphDef({}, def, &graph_).ok());
  EXPECT_EQ(graph_.Find("call")->output_types[0], DataType::kFloat);
  f.ret = {{"y", "x"}};
  EXPECT_EQ(graph_.library().Add(f).code(), StatusCode::kInvalidArgument);
  GraphDef bad;
  f.signature.name = "Other";
  bad.library.functions = {f};
  bad.nodes = {NoOp("x"), NoOp("x")};
  EXPECT_FALSE(ImportGraphDef({}, bad, &graph_).ok());
  EXPECT_EQ(graph_.library().Find("Other"), nullptr);
  const Graph copy = graph_.Clone();
  EXPECT_EQ(copy.Find("call")->op, graph_.Find("call")->op);
  EXPECT_NE(copy.Find("call"), graph_.Find("call"));
}

TEST_F(GraphTest, UniqueNames) {
  ASSERT_TRUE(Import({NoOp("n"), NoOp("n_1")}).ok());
  EXPECT_EQ(graph_.UniqueName("m"), "m");
  EXPECT_EQ(graph_.UniqueName("n"), "n_2");
  EXPECT_EQ(graph_.UniqueName("n"), "n_2");
  ASSERT_TRUE(Import({NoOp("n_2")}).ok());
  EXPECT_EQ(graph_.UniqueName("n"), "n_3");
}

// A chain of 200,000 nodes with one hub that all depend on, in reverse order.
TEST_F(GraphTest, LargeGraphsNeedNoRecursionAndNoSquares) {
  constexpr int kNodes = 200'000;
  GraphDef def;
  std::vector<std::string> all;
  for (int i = kNodes - 1; i > 0; --i) {
    def.nodes.push_back(
        NoOp(absl::StrCat("n", i), {absl::StrCat("^n", i - 1), "^n0"}));
    all.push_back(absl::StrCat("^n", i));
  }
  def.nodes.push_back(NoOp("n0"));
  def.nodes.push_back(NoOp("group", all));
  ASSERT_TRUE(ImportGraphDef({}, def, &graph_).ok());
  EXPECT_EQ(TopologicalOrder(graph_)->size(), def.nodes.size());
  std::vector<NodeId> half;
  for (NodeId id = 0; id < kNodes; id += 2) half.push_back(id);
  graph_.RemoveNodes(half);
  EXPECT_EQ(graph_.num_nodes(), kNodes + 1 - static_cast<int>(half.size()));
  EXPECT_TRUE(TopologicalOrder(graph_).ok());
}

TEST(TensorName, SplitsAtThePort) {
  EXPECT_EQ(SplitTensorName("a/b:12").node, "a/b");
  EXPECT_EQ(SplitTensorName("a/b:12").port, 12);
  EXPECT_EQ(SplitTensorName("a").port, 0);
  EXPECT_EQ(SplitTensorName("a:b").node, "a:b");
  EXPECT_EQ(SplitTensorName("a:").node, "a:");
  EXPECT_EQ(SplitTensorName("a1").node, "a1");
  EXPECT_EQ(SplitTensorName("a:99999999999").node, "a:99999999999");
  EXPECT_TRUE(ParseTensorName("x:0").ok());
  for (const char* bad : {"", "^x", ":0", "^x:0"})
    EXPECT_FALSE(ParseTensorName(bad).ok()) << bad;
  EXPECT_EQ(ShortTensorNameText("x", 0), "x");
  EXPECT_EQ(TensorNameText("x", 0), "x:0");
}

}  // namespace
}  // namespace millrace
