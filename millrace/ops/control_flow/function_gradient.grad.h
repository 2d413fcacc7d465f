// FunctionGradient: a function that computes what a called one does, as far as
// it needs that, and goes back through it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "millrace/client/gradients.h"
#include "millrace/client/gradients/grad_context.h"
#include "millrace/ops/control_flow/call_effects.grad.h"

namespace millrace::ops {

// Types through which gradients of a function go back into it.
bool GoesBack(DataType type);

// How a function is called of which there are to be gradients.
struct GradientOfCall {
  NameAttrList function;
  std::vector<Output> inputs;
  // The types of what comes back to each result; kInvalid: nothing does.
  std::vector<DataType> dy_types;
  // The inputs whose gradients matter.
  std::vector<bool> wanted;
  // The function is called with other values of its arguments, too, but for
  // handles.
  bool is_loop = false;
};

// What is known around `graph`, if it is the body of a function of which there
// are to be gradients.
CallSurroundings SurroundingsOf(const ClientGraph& graph);

// A name for a function that gradients are made of in `graph`: `base`, with
// something around it that no other one has, also of those that the gradients
// of several functions add to a graph that calls them all.
std::string NameOfNewFunction(ClientGraph& graph, absl::string_view base);

// Lives for one call of a gradient function.
class FunctionGradient {
 public:
  FunctionGradient(const GradContext& g, GradientOfCall call);

  // Takes the body and builds its gradients. UNIMPLEMENTED for functions that
  // call themselves, and for what has no gradient.
  Status Build();

  // What follows is there after Build. For more nodes of the function:
  const Scope& scope() const { return *inner_; }
  // Its arguments: those of the function that is called, and behind them what
  // comes back to those results to which something does.
  const std::vector<Output>& args() const { return args_; }
  // What comes back to each argument that is wanted.
  const std::vector<Gradient>& dxs() const { return dxs_; }

  // Adds the function that gives `results` to the graph of the caller.
  // UNIMPLEMENTED where it needs something of the called function that cannot
  // run once more.
  StatusOr<NameAttrList> Write(const std::vector<Output>& results);
  // Whether the function that was written has state.
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
