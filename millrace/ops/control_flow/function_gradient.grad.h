// FunctionGradient: builds the gradient of a function as a function, which
// recomputes the parts of the forward one that it needs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "millrace/client/gradients.h"
#include "millrace/client/gradients/grad_context.h"
#include "millrace/ops/control_flow/call_effects.grad.h"

namespace millrace::ops {

// Returns whether gradients of a function flow back through values of this
// type.
bool CarriesGradient(DataType type);

// A call of a function whose gradients are wanted.
struct GradientOfCall {
  NameAttrList function;
  std::vector<Output> inputs;
  // The types of the gradients of the results; kInvalid for a result without
  // one.
  std::vector<DataType> dy_types;
  // Says of each input whether its gradient is wanted.
  std::vector<bool> wanted;
  // The function is called repeatedly, with other values of its arguments
  // except for handles.
  bool is_loop = false;
};

// Returns what is known around `graph` if it is the body of a function whose
// gradients are being built.
CallSurroundings SurroundingsOf(const ClientGraph& graph);

// Returns a new name for a function that gradients are made of in `graph`:
// `base` with a prefix and suffix that make it unique, also among the functions
// that gradients of several functions add to a graph that calls them all.
std::string NameOfNewFunction(ClientGraph& graph, absl::string_view base);

// Builds the gradient of one call. Lives for one call of a gradient function.
class FunctionGradient {
 public:
  FunctionGradient(const GradContext& g, GradientOfCall call);

  // Imports the body and builds its gradients. Returns UNIMPLEMENTED for a
  // recursive function, and for a body that has no gradient.
  Status Build();

  // Requires for all that follows: Build returned OK. Returns the scope of the
  // gradient function, for further nodes.
  const Scope& scope() const { return *inner_; }
  // Returns the arguments of the gradient function: those of the called
  // function, then the gradients of the results that have one.
  const std::vector<Output>& args() const { return args_; }
  // Returns the gradients of the arguments for which they are wanted.
  const std::vector<Gradient>& dxs() const { return dxs_; }

  // Adds the function that returns `results` to the caller's graph. Returns
  // UNIMPLEMENTED if it needs a node of the called function that may not run
  // again.
  StatusOr<NameAttrList> Write(const std::vector<Output>& results);
  // Returns whether the function written by Write has state.
  bool is_stateful() const { return is_stateful_; }
  bool Uses(size_t arg) const { return uses_[arg]; }

 private:
  Status FindFunction();
  Status ImportBody();
  Status FindArgs(const GraphDef& def);
  CallSurroundings Surroundings() const;
  Status Differentiate();

  const GradContext& g_;
  const GradientOfCall call_;
  std::string name_;  // of the function that is written
  std::vector<std::string> underway_;
  std::optional<Graph> body_;
  std::optional<CallEffects> effects_;  // of body_
  std::unique_ptr<Scope> inner_;
  std::vector<Output> args_;
  std::vector<Output> results_;  // of the function that is called
  std::vector<Gradient> dxs_;
  std::vector<bool> uses_;
  bool is_stateful_ = false;
};

}  // namespace millrace::ops
