// ShapeRefiner: infers the shapes of a graph's nodes, as the graph grows.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "millrace/graph/graph.h"
#include "millrace/graph/shape_context.h"

namespace millrace {

// Computes the value of an output whose inputs are all constant, or nothing
// if it cannot (too large, stateful, no kernel). Given by exec from above.
using ConstantEvaluator =
    absl::AnyInvocable<std::optional<Tensor>(const Graph&, OutputRef) const>;

// One thread at a time, like its graph.
class ShapeRefiner {
 public:
  // `evaluate` may be null: then only Const nodes and shape arithmetic count.
  explicit ShapeRefiner(const Graph* graph,
                        ConstantEvaluator evaluate = nullptr);
  ~ShapeRefiner();

  // Infers the shapes of a node whose inputs are inferred. The error of its
  // shape function names the node: "... for 'add' (op: 'AddV2') with input
  // shapes: [2], [3]."
  Status AddNode(const Node& node);
  // All nodes that are not inferred yet, in topological order; loops get
  // unknown shapes where they close.
  Status AddNewNodes();

  const PartialShape& shape(OutputRef output) const;
  const std::vector<HandleShape>& handles(OutputRef output) const;
  // Narrows an output's shape (set_shape, a Placeholder's feed).
  Status MergeShape(OutputRef output, const PartialShape& shape);

 private:
  struct NodeShapes;
  const Graph* graph_;
  ConstantEvaluator evaluate_;
  std::vector<std::unique_ptr<NodeShapes>> nodes_;
};

}  // namespace millrace
