// Backpropagation: reverse-mode differentiation from the ys to the xs of
// Gradients, through the graph around all loops or through the body of one.
#pragma once

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "millrace/client/gradients.h"
#include "millrace/client/gradients/gradient_frame.h"

namespace millrace {

// Returns whether derivatives flow through values of the type.
bool IsDifferentiable(DataType type);

// State shared by all traversals of one call of Gradients.
struct GradientCall {
  GradientCall(const ops::GradientsOptions& options,
               absl::Span<const GradientDecl* const> table, std::string source);

  const ops::GradientsOptions& options;
  const std::string source;  // see GradContext
  absl::flat_hash_map<absl::string_view, const GradientDecl*> table;
};

// The nodes between xs and ys of a traversal. A loop inside counts as one unit
// with everything in it, and every other node is a unit of its own.
struct Between {
  using Unit = int64_t;  // a node's id, or -1 - the number of a loop

  std::vector<bool> nodes;  // by id
  std::vector<Unit> ys;     // those that depend on an x
  // How often each unit is an input of units that were not traversed yet.
  absl::flat_hash_map<Unit, int> pending;
  // The inputs of each unit, as units.
  absl::flat_hash_map<Unit, std::vector<Unit>> inputs;

  bool Has(NodeId id) const {
    return id >= 0 && static_cast<size_t>(id) < nodes.size() &&
           nodes[static_cast<size_t>(id)];
  }
};

// Not thread-safe; used for one traversal.
class Backpropagation {
 public:
  Backpropagation(const GradientCall& call, GradientFrame* frame);

  // Takes `ys` with their incoming gradients. Sets `*dxs` to the gradient of
  // each of `xs`.
  Status Run(const std::vector<std::pair<Output, Gradient>>& ys,
             const std::vector<Output>& xs, std::vector<Gradient>* dxs);

 private:
  // The gradients of each output of a node, summed once they are complete.
  using Arrived = std::vector<std::vector<Gradient>>;
  // A value that is carried through a loop, or enters each of its iterations.
  struct LoopValue;

  Status Find(const std::vector<std::pair<Output, Gradient>>& ys,
              const std::vector<Output>& xs);
  void FindStops(const std::vector<Output>& xs);
  Status Process(Between::Unit unit);
  Status ProcessOp(const Operation& op);
  Status ProcessLoop(int loop);
  StatusOr<std::vector<LoopValue>> ValuesOf(int loop) const;
  bool GoesBack(const std::vector<LoopValue>& values) const;
  Gradient CloseLoopValue(GradientFrame* inner, const LoopValue& value,
                          const GradientFrame::Variable& variable,
                          const Gradient& dx);
  Output Accumulate(GradientFrame* inner, const Output& begin,
                    const Output& dx);
  bool EntersThis(const Operation& op) const;
  StatusOr<ops::GradientFunction> FindGradient(const Operation& op) const;
  Status CallGradient(const Operation& op, const ops::GradientFunction& build,
                      std::vector<Gradient> dys);
  void Add(const Output& output, const Gradient& gradient);
  std::vector<Gradient> Sum(const Operation& op);
  // Requires the op `other` to have as many inputs and outputs as `op` has.
  Status CheckTakes(const std::string& other, const Operation& op) const;
  Scope ScopeOf(const Operation& op) const;
  Operation At(NodeId id) const;

  const GradientCall& call_;
  GradientFrame* const frame_;
  const Scope& scope_;
  Between between_;
  absl::flat_hash_set<NodeId> stops_;
  absl::flat_hash_map<NodeId, Arrived> arrived_;
  std::deque<Between::Unit> ready_;
};

// Finds the nodes between xs and ys. Returns UNIMPLEMENTED for gradients of a
// gradient of a loop.
StatusOr<Between> FindBetween(const Graph& graph, const LoopIndex& index,
                              int loop, const std::vector<NodeId>& ys,
                              const std::vector<NodeId>& xs);

}  // namespace millrace
