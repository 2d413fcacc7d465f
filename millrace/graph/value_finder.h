// ValueFinder: values of outputs that are known while a graph is built.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "absl/container/node_hash_map.h"
#include "millrace/graph/int_values.h"
#include "millrace/graph/shape_refiner.h"

namespace millrace {

// Of one graph; remembers what it found. One thread at a time.
class ValueFinder {
 public:
  // `shape` gives the shape of an output as it is known at present;
  // `may_have_value` says whether a node is worth asking. `evaluate` may be
  // null. All must outlive the finder.
  using ShapeOf = absl::AnyInvocable<const PartialShape&(OutputRef) const>;
  using MayHaveValue = absl::AnyInvocable<bool(NodeId) const>;
  ValueFinder(const Graph* graph, const ConstantEvaluator* evaluate,
              ShapeOf shape, MayHaveValue may_have_value);

  // The value, if all of it is known. Valid until Clear().
  const Tensor* Find(OutputRef output);
  // Elements of a small int scalar or vector as far as they are known; null if
  // nothing is.
  const IntValue* FindInts(OutputRef output);
  // Forgets everything: to be called when a shape has changed.
  void Clear() { found_.clear(); }

  // Whether the op of `node` can have a value when some or all of its inputs
  // can: what `may_have_value` builds on.
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
