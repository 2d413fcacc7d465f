#include "millrace/client/while_loop.h"

#include "absl/container/flat_hash_map.h"
#include "millrace/client/gradients/loop_inputs.h"

namespace millrace::ops {
namespace {

using Outputs = std::vector<Output>;

Status CheckInvariants(const Outputs& begin,
                       const std::vector<PartialShape>& invariants) {
  if (invariants.empty()) return OkStatus();
  if (invariants.size() != begin.size()) {
    return InvalidArgument("WhileLoop: ", invariants.size(),
                           " shape_invariants for ", begin.size(),
                           " loop variables");
  }
  for (size_t i = 0; i < begin.size(); ++i) {
    const PartialShape shape = begin[i].shape();
    if (shapes::JoinShapes(shape, invariants[i]) == invariants[i]) continue;
    return InvalidArgument(
        "The shape invariant specified for ", begin[i].name(),
        " is not compatible with the initial shape of the loop variable. It "
        "enters the loop with shape ",
        shape.DebugString(), ", but the specified shape invariant is ",
        invariants[i].DebugString());
  }
  return OkStatus();
}

Status CheckNext(const Outputs& variables, const Outputs& next) {
  if (next.size() != variables.size()) {
    return InvalidArgument(
        "The number of values that the body of a loop gives (", next.size(),
        ") is not the number of loop variables (", variables.size(), ")");
  }
  for (size_t i = 0; i < next.size(); ++i) {
    const Output& variable = variables[i];
    if (!next[i]) return InvalidArgument("WhileLoop: output ", i, " is null");
    if (next[i].dtype() != variable.dtype()) {
      return InvalidArgument(
          "Loop variable ", i, " has type ", DataTypeName(variable.dtype()),
          ", but the body of the loop gives ", DataTypeName(next[i].dtype()));
    }
    const PartialShape known = variable.shape();
    if (shapes::JoinShapes(known, next[i].shape()) == known) continue;
    return InvalidArgument(
        "Input tensor '", variable.op().input(0).op().input(0).name(),
        "' enters the loop with shape ", known.DebugString(),
        ", but has shape ", next[i].shape().DebugString(),
        " after one iteration. To allow the shape to vary across iterations, "
        "use shape_invariants");
  }
  return OkStatus();
}

// Lives for one call.
class Builder {
 public:
  Builder(const Scope& scope, const WhileLoopOptions& options)
      : block_(scope.BlockFor("while")),
        inside_(block_.WithoutControlDependencies()),
        options_(options) {
    loop_.name.frame =
        scope.graph().UniqueName(absl::StrCat(block_.name(), "while_context"));
    loop_.name.parallel_iterations = options.parallel_iterations;
  }

  Status Begin(const InputList& inputs) {
    if (inputs.size() == 0)
      return InvalidArgument("No loop variables provided");
    if (options_.parallel_iterations < 1) {
      return InvalidArgument("parallel_iterations must be positive, is ",
                             options_.parallel_iterations);
    }
    Outputs begin;
    for (const Input& input : inputs.all()) {
      Output value =
          input.is_literal() ? Const(block_, input.literal()) : input.output();
      if (value && value.is_ref()) value = Identity(block_, value);
      if (!value) {
        MR_RETURN_IF_ERROR(block_.status());
        return InvalidArgument("WhileLoop: input ", begin.size(), " is null");
      }
      begin.push_back(value);
    }
    MR_RETURN_IF_ERROR(CheckInvariants(begin, options_.shape_invariants));
    for (size_t i = 0; i < begin.size(); ++i) {
      const Output entered =
          EnterLoop(block_, begin[i], loop_.name, LoopEntry::kFirstIteration);
      loop_.variables.push_back(OpenLoopVariable(
          inside_, entered,
          options_.shape_invariants.empty() ? begin[i].shape()
                                            : options_.shape_invariants[i]));
    }
    return block_.status();
  }

  Scope condition_scope() const {
    return inside_.WithControlDependencies({loop_.variables[0]});
  }
  const Outputs& variables() const { return loop_.variables; }

  Status SetCondition(const Output& condition) {
    MR_RETURN_IF_ERROR(block_.status());
    if (!condition || condition.dtype() != DataType::kBool) {
      return InvalidArgument(
          "The condition of a loop must be a bool, is ",
          condition ? DataTypeName(condition.dtype()) : "null");
    }
    const Output on = LoopCond(inside_, condition);
    loop_.others.push_back(on.op());
    for (const Output& variable : loop_.variables) {
      const auto branches = Switch(inside_, variable, on);
      loop_.in_body.push_back(branches.output_true);
      end_.push_back(branches.output_false);
      in_body_.push_back(Identity(inside_, branches.output_true));
    }
    loop_.pivot = in_body_[0].op();
    return block_.status();
  }

  Scope body_scope() const {
    return inside_.WithControlDependencies({loop_.pivot});
  }
  const Outputs& in_body() const { return in_body_; }

  StatusOr<Outputs> End(const Outputs& next) {
    MR_RETURN_IF_ERROR(block_.status());
    MR_RETURN_IF_ERROR(CheckNext(loop_.variables, next));
    for (size_t i = 0; i < next.size(); ++i) {
      // Waits for the pivot: a value from outside arrives in every iteration.
      loop_.others.push_back(
          CloseLoopVariable(body_scope(), loop_.variables[i], next[i]));
    }
    MR_RETURN_IF_ERROR(block_.status());
    MR_RETURN_IF_ERROR(
        TakeInputsInside(block_, loop_, [this](const Output& input) {
          return EnterLoop(block_, input, loop_.name,
                           LoopEntry::kEachIteration);
        }));
    Outputs results;
    for (const Output& end : end_) results.push_back(Exit(inside_, end));
    MR_RETURN_IF_ERROR(block_.status());
    return results;
  }

 private:
  const Scope block_;   // around the loop
  const Scope inside_;  // for nodes that have an input inside
  const WhileLoopOptions& options_;
  OpenLoop loop_;
  Outputs in_body_;
  Outputs end_;
};

}  // namespace

Outputs WhileLoop(
    const Scope& scope, const InputList& inputs,
    absl::FunctionRef<Output(const Scope&, const Outputs&)> condition,
    absl::FunctionRef<Outputs(const Scope&, const Outputs&)> body,
    const WhileLoopOptions& options) {
  if (!scope.ok()) return Outputs(inputs.size());
  Builder loop(scope, options);
  const auto build = [&]() -> StatusOr<Outputs> {
    MR_RETURN_IF_ERROR(loop.Begin(inputs));
    MR_RETURN_IF_ERROR(
        loop.SetCondition(condition(loop.condition_scope(), loop.variables())));
    return loop.End(body(loop.body_scope(), loop.in_body()));
  };
  StatusOr<Outputs> results = build();
  if (results.ok()) return *std::move(results);
  scope.Fail(results.status());
  return Outputs(inputs.size());
}

}  // namespace millrace::ops
