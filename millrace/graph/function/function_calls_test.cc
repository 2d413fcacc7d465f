// Tests of nodes that call a function by its name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "millrace/graph/function/function_body.h"
#include "millrace/graph/function/function_pruning.h"
#include "millrace/graph/import.h"

namespace millrace {
namespace {

using testing::HasSubstr;

constexpr char kCallAttrs[] = "Tin: list(type); Tout: list(type); f: func";
const OpDecl kCallingDecls[] = {
    {"_Arg",
     {.outputs = "output: T",
      .attrs = "T: type; index: int",
      .flags = kStateful,
      .role = OpRole::kArg}},
    {"_Retval",
     {.inputs = "input: T",
      .attrs = "T: type; index: int",
      .flags = kStateful,
      .role = OpRole::kRetval}},
    {"PartitionedCall",
     {.inputs = "args: Tin",
      .outputs = "output: Tout",
      .attrs = kCallAttrs,
      .role = OpRole::kCall}},
    {"StatefulPartitionedCall",
     {.inputs = "args: Tin",
      .outputs = "output: Tout",
      .attrs = kCallAttrs,
      .flags = kStateful,
      .role = OpRole::kCall}},
    {"Add", {.inputs = "x: T, y: T", .outputs = "z: T", .attrs = "T: type"}},
    {"Tick", {.inputs = "x: T", .attrs = "T: type", .flags = kStateful}},
    {"Variable",
     {.outputs = "ref: Ref(T)", .attrs = "T: type", .flags = kStateful}},
};

const OpRegistry* Ops() {
  static const OpRegistry* const ops = [] {
    std::vector<const OpDecl*> decls;
    for (const OpDecl& decl : kCallingDecls) decls.push_back(&decl);
    return OpRegistry::Build(decls)->release();
  }();
  return ops;
}

// twice(x: T) -> (y: T), and more(x: float) -> (y: float) that calls it.
FunctionLibraryDef Library(bool is_stateful = false) {
  FunctionDef twice;
  twice.signature.name = "twice";
  twice.signature.attrs = {{.name = "T", .kind = "type"}};
  twice.signature.inputs = {{.name = "x", .type_attr = "T"}};
  twice.signature.outputs = {{.name = "y", .type_attr = "T"}};
  if (is_stateful) twice.signature.flags |= kStateful;
  const AttrValue t = AttrPlaceholder{"T"};
  twice.nodes = {{"add", "Add", {"x", "x"}, "", {{"T", t}}}};
  twice.ret = {{"y", "add:z:0"}};
  FunctionDef more;
  more.signature.name = "more";
  more.signature.inputs = {{.name = "x", .type = DataType::kFloat}};
  more.signature.outputs = {{.name = "y", .type = DataType::kFloat}};
  more.nodes = {
      {"call", "twice", {"x"}, "", {{"T", DataType::kFloat}}},
      {"again", "twice", {"call:y:0"}, "", {{"T", DataType::kFloat}}}};
  more.ret = {{"y", "again:y"}};
  return {{std::move(twice), std::move(more)}, {}};
}

TEST(FunctionCalls, BecomeNodesThatCall) {
  for (const bool is_stateful : {false, true}) {
    GraphDef def;
    def.library = Library(is_stateful);
    const AttrMap floats = {{"T", DataType::kFloat}};
    AttrMap marked = floats;
    marked.Set("_mark", 1);
    def.nodes = {{"v", "Variable", {}, "", floats},
                 {"a/call", "twice", {"v"}, "/cpu:0", marked},
                 {"b/call", "twice", {"a/call"}, "", floats}};
    Graph graph(Ops());
    const Status status = ImportGraphDef({}, def, &graph);
    ASSERT_TRUE(status.ok()) << status;
    const Node& call = *graph.Find("a/call");
    EXPECT_EQ(call.op->name,
              is_stateful ? "StatefulPartitionedCall" : "PartitionedCall");
    EXPECT_EQ(call.requested_device, "/cpu:0");
    EXPECT_EQ(call.attrs.Find("f")->DebugString(), "twice[T=DT_FLOAT]");
    EXPECT_EQ(call.attrs.Find("_mark")->DebugString(), "1");
    // The reference is read.
    EXPECT_EQ(call.input_types[0], DataType::kFloat);
    EXPECT_EQ(call.output_types[0], DataType::kFloat);
    EXPECT_EQ(graph.Find("b/call")->inputs[0], (OutputRef{call.id, 0}));
  }
}

TEST(FunctionCalls, AreChecked) {
  GraphDef def;
  def.library = Library();
  def.nodes = {{"call", "twice", {}, "", {{"T", DataType::kFloat}}}};
  Graph graph(Ops());
  EXPECT_THAT(ImportGraphDef({}, def, &graph).ToString(),
              HasSubstr("do not match 0 inputs specified"));
  def.nodes = {{"call", "twice", {}, "", {}}};
  EXPECT_THAT(ImportGraphDef({}, def, &graph).ToString(),
              HasSubstr("missing attr 'T'"));
  def.nodes = {{"call", "thrice", {}, "", {}}};
  EXPECT_EQ(ImportGraphDef({}, def, &graph).code(), StatusCode::kNotFound);
}

TEST(FunctionCalls, InABodyHaveTheirOwnNamesOfOutputs) {
  FunctionLibrary library;
  ASSERT_TRUE(library.AddLibrary(Library()).ok());
  const StatusOr<Graph> body =
      InstantiateFunction(*Ops(), library, {"more", {}});
  ASSERT_TRUE(body.ok()) << body.status();
  const Node& again = *body->Find("again");
  EXPECT_EQ(again.op->name, "PartitionedCall");
  EXPECT_EQ(again.inputs[0], (OutputRef{body->Find("call")->id, 0}));
  EXPECT_EQ(body->Find("y_RetVal")->inputs[0], (OutputRef{again.id, 0}));
}

TEST(FunctionCalls, WhatNothingNeedsIsDropped) {
  const AttrMap floats = {{"T", DataType::kFloat}};
  FunctionLibraryDef def = Library();
  FunctionDef& f = def.functions[1];
  f.nodes = {{"read", "Add", {"x", "x"}, "", floats},
             {"unread", "Add", {"read:z:0", "x"}, "", floats},
             {"shown", "Add", {"x", "x"}, "", floats},
             {"tick", "Tick", {"shown:z:0"}, "", floats},
             {"named", "Add", {"x", "x"}, "", floats}};
  f.ret = {{"y", "read:z:0"}};
  f.control_ret = {{"out", "named"}};
  FunctionLibrary library;
  ASSERT_TRUE(library.AddLibrary(def).ok());
  StatusOr<Graph> body = InstantiateFunction(*Ops(), library, {"more", {}});
  ASSERT_TRUE(body.ok()) << body.status();
  DropUnread(f.control_ret, &*body);
  EXPECT_EQ(body->Find("unread"), nullptr);
  for (const char* name : {"x", "read", "shown", "tick", "named", "y_RetVal"})
    EXPECT_NE(body->Find(name), nullptr) << name;
}

}  // namespace
}  // namespace millrace
