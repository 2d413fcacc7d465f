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

// Computes all outputs of a node from the values of its data inputs, or nothing
// if it cannot (no kernel, an error). Given by exec from above. Is only asked
// for nodes without state, control flow and references; by the ShapeRefiner,
// for those whose inputs and outputs are at most kMaxEvaluatedBytes each.
using ConstantEvaluator = absl::AnyInvocable<std::optional<std::vector<Tensor>>(
    const Node& node, absl::Span<const Tensor> inputs) const>;
inline constexpr size_t kMaxEvaluatedBytes = 1 << 16;

// One thread at a time, like its graph, which must outlive it.
//
// Loops: where a Merge closes a loop, its output is first taken to be what
// enters the loop, and relaxed (sizes, then the rank become unknown) until what
// comes round agrees. A graph that has an error only under that assumption is
// inferred again with unknown shapes at the Merge.
// Calls of functions are followed through the bodies, to a bounded depth and
// number of nodes; a body with an error leaves the call's shapes unknown.
// No recursion over nodes.
class ShapeRefiner {
 public:
  // `evaluate` may be null: then only constants and arithmetic of shapes count.
  explicit ShapeRefiner(const Graph* graph,
                        ConstantEvaluator evaluate = nullptr);
  ~ShapeRefiner();

  const Graph& graph() const { return *graph_; }

  // Infers the shapes of a node whose inputs are inferred (others count as
  // unknown). The error of its shape function names the node: "... for
  // '{{node add}} = AddV2[T=DT_FLOAT](a, b)' with input shapes: [2], [3]."
  Status AddNode(const Node& node);
  // All nodes that are not inferred yet; none of them after an error.
  Status AddNewNodes();

  // Unknown for nodes that are not inferred.
  const PartialShape& shape(OutputRef output) const;
  const std::vector<HandleShape>& handles(OutputRef output) const;
  // Narrows an output's shape (set_shape, a Placeholder's feed) for nodes that
  // are added from now on. INVALID_ARGUMENT if both contradict.
  Status MergeShape(OutputRef output, const PartialShape& shape);
  // The value of an output where it is known while the graph is built. Valid
  // until the next call of any other method.
  const Tensor* ConstantValue(OutputRef output);

 private:
  struct NodeShapes;
  struct Shared;
  class Inference;

  ShapeRefiner(const Graph* graph, std::shared_ptr<Shared> shared, int depth);
  NodeShapes& Slot(NodeId id);
  // Where a loop is entered for the first time, the input that comes round
  // counts as what goes in, or as unknown.
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
      shared_;  // with the refiners of functions that are called
  const int depth_;
  const std::vector<ShapeContext::Input>* args_ = nullptr;  // of the function
  std::vector<std::unique_ptr<NodeShapes>> nodes_;
  std::unique_ptr<class ValueFinder> values_;
  const PartialShape unknown_;
  const std::vector<HandleShape> no_handles_;
};

}  // namespace millrace
