// Graphs of a few ops, by names, for the tests of graph rewriting.
#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "millrace/base/check.h"
#include "millrace/graph/graph.h"
#include "millrace/graph/int_rules.h"
#include "millrace/graph/shape_context.h"
#include "millrace/graph/tensor_name.h"
#include "millrace/graph/testing/registry.h"
#include "millrace/kernel/kernel_decl.h"

namespace millrace {

inline const OpRegistry& RewriteOps() {
  static constexpr char kT[] = "T: type";
  static constexpr OpDecl kDecls[] = {
      {"NoOp", {.role = OpRole::kNoOp}},
      {"Const",
       {.outputs = "o: dtype",
        .attrs = "dtype: type; value: tensor",
        .role = OpRole::kConstant}},
      {"_Arg",
       {.outputs = "o: T",
        .attrs = "T: type; index: int = 0",
        .role = OpRole::kArg}},
      {"_Retval",
       {.inputs = "i: T",
        .attrs = "T: type; index: int = 0",
        .role = OpRole::kRetval}},
      {"Placeholder",
       {.outputs = "o: T",
        .attrs = "T: type; shape: shape = null",
        .role = OpRole::kPlaceholder,
        .shape = [](ShapeContext& c) -> Status {
          MR_ASSIGN_OR_RETURN(PartialShape shape,
                              c.Attr<PartialShape>("shape"));
          return c.Return(std::move(shape));
        }}},
      {"Shape",
       {.inputs = "x: T",
        .outputs = "o: int32",
        .attrs = kT,
        .ints_of_shapes = int_rules::Shape}},
      {"Random",
       {.outputs = "o: float", .flags = kStateful, .shape = shapes::Scalar}},
      {"VarHandleOp",
       {.outputs = "handle: resource", .flags = kStateful | kGivesVariable}},
      {"ReadVariableOp",
       {.inputs = "handle: resource",
        .outputs = "value: T",
        .attrs = kT,
        .flags = kStateful | kReadsVariable}},
      {"RefVar", {.outputs = "ref: Ref(float)", .flags = kStateful}},
      {"TakeByRef", {.inputs = "handle: Ref(float)", .outputs = "o: float"}},
      {"ControlTrigger", {.role = OpRole::kControlTrigger}},
      {"Identity",
       {.inputs = "x: T",
        .outputs = "y: T",
        .attrs = kT,
        .law = Law::kPassesOn,
        .shape = shapes::Unchanged}},
      {"CheckNumerics",
       {.inputs = "x: T",
        .outputs = "y: T",
        .attrs = kT,
        .flags = kChecks,
        .shape = shapes::Unchanged}},
      {"Neg",
       {.inputs = "x: T",
        .outputs = "y: T",
        .attrs = kT,
        .law = Law::kUndoesItself,
        .shape = shapes::Unchanged}},
      {"Relu",
       {.inputs = "x: T",
        .outputs = "y: T",
        .attrs = kT,
        .flags = kActivation,
        .law = Law::kIdempotent,
        .shape = shapes::Unchanged}},
      {"Unknown", {.inputs = "x: T", .outputs = "y: T", .attrs = kT}},
      {"Cast",
       {.inputs = "x: SrcT",
        .outputs = "y: DstT",
        .attrs = "SrcT: type; DstT: type",
        .law = Law::kSameType}},
      {"Two",
       {.inputs = "x: T",
        .outputs = "y: T, z: T",
        .attrs = kT,
        .shape = shapes::Scalar}},
      {"AddV2",
       {.inputs = "x: T, y: T",
        .outputs = "z: T",
        .attrs = kT,
        .flags = kAddition,
        .law = Law::kPlusZero,
        .shape = shapes::Broadcast}},
      {"Sub",
       {.inputs = "x: T, y: T",
        .outputs = "z: T",
        .attrs = kT,
        .law = Law::kMinusZero,
        .shape = shapes::Broadcast}},
      {"Mul",
       {.inputs = "x: T, y: T",
        .outputs = "z: T",
        .attrs = kT,
        .law = Law::kTimesOne,
        .shape = shapes::Broadcast}},
      {"Switch",
       {.inputs = "x: T, p: bool",
        .outputs = "no: T, yes: T",
        .attrs = kT,
        .role = OpRole::kSwitch}},
      {"MatMul",
       {.inputs = "a: T, b: T",
        .outputs = "c: T",
        .attrs = "T: type; transpose_a: bool = false; transpose_b: bool = "
                 "false"}},
      {"BiasAdd",
       {.inputs = "x: T, b: T",
        .outputs = "y: T",
        .attrs = "T: type; data_format: {'NHWC', 'NCHW'} = 'NHWC'"}},
      {"_FusedMatMul",
       {.inputs = "a: T, b: T, args: num_args * T",
        .outputs = "c: T",
        .attrs = "T: {float, half}; num_args: int; transpose_a: bool = false; "
                 "transpose_b: bool = false; fused_ops: list(string) = []; "
                 "leakyrelu_alpha: float = 0.2"}},
      {"Split",
       {.inputs = "split_dim: int32, value: T",
        .outputs = "output: num_split * T",
        .attrs = "num_split: int >= 1; T: type"}},
      {"_SplitProduct",
       {.inputs = "a: T, b: T, bias: T, split_dim: int32",
        .outputs = "parts: num_split * T",
        .attrs = "T: {float}; num_split: int >= 1; transpose_a: bool = false; "
                 "transpose_b: bool = false"}},
      {"AddN",
       {.inputs = "inputs: N * T",
        .outputs = "sum: T",
        .attrs = "N: int >= 1; T: type",
        .law = Law::kOneInput}},
      {"_SumOfProducts",
       {.inputs = "factors: N * T",
        .outputs = "sum: T",
        .attrs = "N: int; T: type; transpose_a: bool = false; transpose_b: "
                 "bool = false"}},
      {"Slice",
       {.inputs = "input: T, begin: Index, size: Index",
        .outputs = "output: T",
        .attrs = "T: type; Index: {int32, int64}"}},
      {"_SlicedProduct",
       {.inputs = "a: T, b: T, begin: Index, size: Index, transposed: N * T",
        .outputs = "slice: T",
        .attrs = "T: {float}; Index: {int32, int64}; N: int >= 0 = 0; "
                 "transpose_a: bool = false; transpose_b: bool = false"}},
      {"_TransposedMatrix",
       {.inputs = "x: T", .outputs = "y: T", .attrs = "T: {float}"}},
      {"MaxPool",
       {.inputs = "x: T", .outputs = "y: T", .attrs = "T: type; ksize: int"}},
      {"MaxPoolGrad",
       {.inputs = "x: T, y: T, dy: T",
        .outputs = "dx: T",
        .attrs = "T: type; ksize: int"}},
      {"_MaxPoolWithOffsets",
       {.inputs = "x: T",
        .outputs = "y: T, offsets: uint8",
        .attrs = "T: {float, half}; ksize: int"}},
      {"_MaxPoolGradByOffsets",
       {.inputs = "x: T, y: T, dy: T, offsets: uint8",
        .outputs = "dx: T",
        .attrs = "T: {float, half}; ksize: int"}},
      {"_FusedElementwise",
       {.inputs = "args: Targs",
        .outputs = "results: Tresults",
        .attrs = "Targs: list(type); Tresults: list(type)"}},
  };
  static const OpRegistry& ops = MakeTestRegistry(kDecls);
  return ops;
}

// "^x" is a control edge, "x:1" output 1. Types are float by default.
class RewriteGraph {
 public:
  RewriteGraph() : graph_(&RewriteOps()) {}
  Graph& graph() { return graph_; }

  RewriteGraph& Add(const std::string& name, const std::string& op,
                    const std::vector<std::string>& inputs = {},
                    AttrMap attrs = {}) {
    std::vector<OutputRef> data;
    std::vector<NodeId> control;
    for (const std::string& input : inputs) {
      if (input[0] == '^') {
        control.push_back(Named(input.substr(1)).id);
        continue;
      }
      const TensorName t = SplitTensorName(input);
      data.push_back({Named(t.node).id, t.port});
    }
    const OpDef* schema = RewriteOps().Find(op);
    MR_CHECK(schema != nullptr, "no op ", op);
    if (schema->FindAttr("T") != nullptr && attrs.Find("T") == nullptr) {
      attrs.Set("T", DataType::kFloat);
    }
    const auto added =
        graph_.AddNode(name, op, data, std::move(attrs), device, control);
    MR_CHECK(added.ok(), added.status().ToString());
    (*added)->assigned_device = device;
    return *this;
  }
  RewriteGraph& Const(const std::string& name, Tensor value,
                      const std::vector<std::string>& inputs = {}) {
    const DataType type = value.dtype();
    return Add(name, "Const", inputs,
               AttrMap({{"dtype", type}, {"value", std::move(value)}}));
  }
  RewriteGraph& Const(const std::string& name, float value,
                      const std::vector<std::string>& inputs = {}) {
    return Const(name, Tensor::Scalar(value), inputs);
  }

  const Node& Named(absl::string_view name) const {
    const Node* node = graph_.Find(name);
    MR_CHECK(node != nullptr, "no node ", name);
    return *node;
  }
  // Returns lines like "sum = AddV2(a, b:1, ^c)", sorted by name.
  std::vector<std::string> Lines() const {
    std::vector<std::string> lines;
    for (NodeId id = 0; id < graph_.num_ids(); ++id) {
      const Node* node = graph_.node(id);
      if (node == nullptr) continue;
      std::vector<std::string> inputs;
      for (const OutputRef& in : node->inputs) {
        inputs.push_back(
            ShortTensorNameText(graph_.node(in.node)->name, in.port));
      }
      std::vector<std::string> waits;
      for (const NodeId control : node->control_inputs) {
        waits.push_back("^" + graph_.node(control)->name);
      }
      std::sort(waits.begin(), waits.end());
      inputs.insert(inputs.end(), waits.begin(), waits.end());
      lines.push_back(absl::StrCat(node->name, " = ", node->op->name, "(",
                                   absl::StrJoin(inputs, ", "), ")"));
    }
    std::sort(lines.begin(), lines.end());
    return lines;
  }
  // Returns the value of a constant; NaN for other nodes.
  float ValueOf(absl::string_view name) const {
    const auto value = GetAttr<Tensor>(Named(name).attrs, "value");
    return value.ok() ? value->scalar<float>()
                      : std::numeric_limits<float>::quiet_NaN();
  }
  // Returns the original nodes of a fused node, and the index of its output
  // that each has: "a=Mul(0,1) b=AddV2(-1,0)>0".
  std::string FusedOf(absl::string_view name) const {
    const Node& node = Named(name);
    if (node.fused == nullptr) return "";
    std::vector<std::string> parts;
    for (const FusedNode& n : *node.fused) {
      parts.push_back(absl::StrCat(
          n.name, "=", n.op->name, "(", absl::StrJoin(n.inputs, ","), ")",
          n.result < 0 ? "" : ">", n.result < 0 ? "" : absl::StrCat(n.result)));
    }
    return absl::StrJoin(parts, " ");
  }

  // The device of the nodes that are added from now on.
  std::string device = "/job:a/replica:0/task:0/device:CPU:0";

 private:
  Graph graph_;
};

}  // namespace millrace
