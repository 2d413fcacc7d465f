// ShapeRefiner: infers the shapes of a graph's nodes, as the graph grows.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/types/span.h"
#include "millrace/graph/graph.h"
#include "millrace/graph/shape_context.h"

namespace millrace {

// Computes all outputs of a node from the values of its data inputs; returns
// nullopt if it cannot (no kernel, an error). exec provides it. It is only
// called for nodes without state, control flow and references; the ShapeRefiner
// only calls it for nodes whose inputs and outputs are at most
// kMaxEvaluatedBytes each.
using ConstantEvaluator = absl::AnyInvocable<std::optional<std::vector<Tensor>>(
    const Node& node, absl::Span<const Tensor> inputs) const>;
inline constexpr size_t kMaxEvaluatedBytes = 1 << 16;

// Infers shapes for one thread at a time, like its graph, which must outlive
// it.
//
// Loops: where a Merge closes a loop, its output is first assumed to be the
// loop's initial value, and relaxed (sizes, then the rank become unknown) until
// the value of the back edge agrees. A graph that has an error only under that
// assumption is inferred again with unknown shapes at the Merge. Calls of
// functions are followed through the bodies, to a bounded depth and number of
// nodes; a body with an error leaves the call's shapes unknown. Does not
// recurse over nodes.
class ShapeRefiner {
 public:
  // `evaluate` may be null: then only constants and arithmetic of shapes are
  // evaluated.
  explicit ShapeRefiner(const Graph* graph,
                        ConstantEvaluator evaluate = nullptr);
  ~ShapeRefiner();

  const Graph& graph() const { return *graph_; }

  // Infers the shapes of a node whose inputs are inferred (others count as
  // unknown). An error of its shape function names the node: "... for '{{node
  // add}} = AddV2[T=DT_FLOAT](a, b)' with input shapes: [2], [3]."
  Status AddNode(const Node& node);
  // Infers all nodes that are not inferred yet; none of them after an error,
  // after which they and their functions may be taken out of the graph.
  Status AddNewNodes();

  // Returns an unknown shape for nodes that are not inferred.
  const PartialShape& shape(OutputRef output) const;
  const std::vector<HandleShape>& handles(OutputRef output) const;
  // Narrows an output's shape (set_shape, a Placeholder's feed) for nodes that
  // are added from now on. Returns INVALID_ARGUMENT if the shapes contradict
  // each other.
  Status MergeShape(OutputRef output, const PartialShape& shape);
  // Makes an output's shape this one, whatever was inferred: of a loop's
  // variable that may change its shape.
  Status ReplaceShape(OutputRef output, const PartialShape& shape);
  // Returns the value of an output if it is known while the graph is built,
  // otherwise null. Valid until the next call of any other method.
  const Tensor* ConstantValue(OutputRef output);

 private:
  struct NodeShapes;
  struct Shared;
  class Inference;

  ShapeRefiner(const Graph* graph, std::shared_ptr<Shared> shared, int depth);
  NodeShapes& Slot(NodeId id);
  // In the first pass over a loop, the back edge's input counts as the initial
  // value, or as unknown.
  enum class BackEdge { kLikeEntry, kUnknown };
  Status Infer(const Node& node, BackEdge back_edge, bool* changed);
  Status RunPasses(const std::vector<NodeId>& order, BackEdge back_edge);
  std::vector<ShapeContext::Input> InputsOf(const Node& node,
                                            BackEdge back_edge) const;
  bool InferCall(const Node& node,
                 const std::vector<ShapeContext::Input>& inputs,
                 NodeShapes* out);
  bool MayHaveValue(const Node& node) const;

  const Graph* graph_;
  std::shared_ptr<Shared>
      shared_;  // shared with the refiners of called functions
  const int depth_;
  const std::vector<ShapeContext::Input>* args_ = nullptr;  // of the function
  std::vector<std::unique_ptr<NodeShapes>> nodes_;
  std::unique_ptr<class ValueFinder> values_;
  const PartialShape unknown_;
  const std::vector<HandleShape> no_handles_;
};

}  // namespace millrace
