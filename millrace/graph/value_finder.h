// ValueFinder: finds the values of outputs that are known while a graph is
// built.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "absl/container/node_hash_map.h"
#include "millrace/graph/int_values.h"
#include "millrace/graph/shape_refiner.h"

namespace millrace {

// Finds the values of one graph's outputs, and remembers them. For one thread
// at a time.
class ValueFinder {
 public:
  // `shape` returns the shape of an output as far as it is known now;
  // `may_have_value` returns whether a node may have a value. `evaluate` may be
  // null. All must outlive the finder.
  using ShapeOf = absl::AnyInvocable<const PartialShape&(OutputRef) const>;
  using MayHaveValue = absl::AnyInvocable<bool(NodeId) const>;
  ValueFinder(const Graph* graph, const ConstantEvaluator* evaluate,
              ShapeOf shape, MayHaveValue may_have_value);

  // Returns the value if all of it is known, otherwise null. Valid until
  // Clear().
  const Tensor* Find(OutputRef output);
  // Returns the known elements of a small int scalar or vector; null if none is
  // known.
  const IntValue* FindInts(OutputRef output);
  // Forgets all values. Must be called after a shape has changed.
  void Clear() { found_.clear(); }

  // Returns whether the op of `node` can have a value when some or all of its
  // inputs have one; `may_have_value` is based on it.
  enum class Needs { kNothing, kSomeInput, kAllInputs, kNever };
  Needs NeedsOf(const Node& node);

 private:
  struct Value {
    std::optional<IntValue> ints;
    std::optional<Tensor> tensor;
    bool done = false;
  };
  using Values = std::vector<Value>;  // of a node's outputs

  Value* Compute(OutputRef output);
  void ComputeNode(const Node& node, Values* out);
  void Evaluate(const Node& node, Values* out);
  const Tensor* TensorOf(Value& value);
  Value* Known(OutputRef output);

  const Graph* graph_;
  const ConstantEvaluator* evaluate_;
  ShapeOf shape_;
  MayHaveValue may_have_value_;
  absl::node_hash_map<NodeId, Values> found_;
};

}  // namespace millrace
