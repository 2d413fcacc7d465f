#include "millrace/client/gradients.h"

#include <algorithm>

#include "millrace/client/gradients/backpropagation.h"
#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/gradients/grad_shapes.h"

namespace millrace::ops {
namespace {

// Checks that the gradient given for `y` has a suitable type.
Status CheckGiven(const Scope& scope, const Output& y, const Gradient& given) {
  const DataType type =
      given.is_slices() ? given.slices.dtype() : given.tensor.dtype();
  DataType wanted = y.dtype();
  if (wanted == DataType::kResource) {
    // The gradient with respect to a handle is that of its variable.
    wanted = scope.graph().VariableType(y);
    if (wanted == DataType::kInvalid && (IsFloating(type) || IsComplex(type)))
      return OkStatus();
  }
  if (type == wanted) return OkStatus();
  // The gradient functions say whether they take another type, as Cast does.
  const auto is_real = [](DataType t) { return IsFloating(t) || IsInteger(t); };
  if (is_real(wanted) && is_real(type)) return OkStatus();
  if (IsComplex(wanted) && IsComplex(type)) return OkStatus();
  return InvalidArgument("Gradient type ", DataTypeName(type),
                         " generated for tensor ", y.name(), " with type ",
                         DataTypeName(y.dtype()), " must match it");
}

// Returns ones: the gradient of the sum of y.
StatusOr<Output> OnesFor(const Scope& scope, const Output& y, size_t number) {
  const DataType type = y.dtype();
  const Scope there = scope.WithOpName(absl::StrCat("grad_ys_", number));
  Output one;
  if (type == DataType::kBool) {
    one = ops::Const(there, true);
  } else if (IsFloating(type) || IsInteger(type)) {
    one = ops::Const(there, 1, type);
  } else {
    return InvalidArgument("Gradients of ", DataTypeName(type),
                           " tensors must set grad_ys "
                           "(y: ",
                           y.name(), ")");
  }
  return ops::Fill(scope, ops::Shape(scope, y), one);
}

// Returns the incoming gradients of the ys.
StatusOr<std::vector<std::pair<Output, Gradient>>> Begin(
    const Scope& scope, const std::vector<Output>& ys,
    const std::vector<Gradient>& given) {
  if (!given.empty() && given.size() != ys.size()) {
    return InvalidArgument("Passed ", given.size(), " grad_ys for ", ys.size(),
                           " ys");
  }
  std::vector<std::pair<Output, Gradient>> result;
  for (size_t i = 0; i < ys.size(); ++i) {
    const Output& y = ys[i];
    if (!given.empty() && given[i]) {
      MR_RETURN_IF_ERROR(CheckGiven(scope, y, given[i]));
      result.emplace_back(y, given[i]);
      continue;
    }
    MR_ASSIGN_OR_RETURN(const Output ones, OnesFor(scope, y, i));
    result.emplace_back(y, ones);
  }
  return result;
}

// Returns the loop in whose unfinished body the ys are; 0 if they are in none.
StatusOr<int> LoopAround(const LoopIndex& index, const std::vector<Output>& ys,
                         const std::vector<Output>& xs) {
  int loop = 0;
  for (const Output& y : ys) {
    const int there = index.OutputLoop(y.ref().node);
    if (index.loop(there).depth > index.loop(loop).depth) loop = there;
  }
  const LoopIndex::Loop& around = index.loop(loop);
  if (!around.exits.empty()) {
    return InvalidArgument("Gradients of what is inside of loop '", around.name,
                           "' are built in its body, or not at all");
  }
  for (const auto* list : {&ys, &xs}) {
    for (const Output& output : *list) {
      const int there = index.OutputLoop(output.ref().node);
      if (index.Encloses(there, loop)) continue;
      return InvalidArgument("Gradients: tensor '", output.name(),
                             "' is inside of loop '", index.loop(there).name,
                             "', which other tensors are not in");
    }
  }
  return loop;
}

// Returns a different source for each call, even in one name block.
std::string SourceOf(const Scope& block) {
  ClientGraph& graph = block.graph();
  const auto around = graph.Collection<std::string>(kSourceOfCall);
  if (!around.empty()) return around.front();
  return graph.UniqueName(absl::StrCat(block.name(), "source"));
}

// Returns zeros like `x`, or like its variable if `x` is a handle.
StatusOr<Output> ZerosOfX(const Scope& scope, const Output& x) {
  if (x.dtype() != DataType::kResource) return ops::ZerosLike(scope, x);
  const std::vector<HandleShape> handles = scope.graph().Handles(x);
  if (handles.size() != 1) {
    return InvalidArgument(
        "Gradients: no zeros for '", x.name(),
        "', a handle of which it is not known what variable it stands for");
  }
  const HandleShape& variable = handles[0];
  if (!variable.shape.IsFullyDefined())
    return ZerosOfVariable(scope, x, variable.dtype);
  const std::vector<int64_t> dims(variable.shape.dims().begin(),
                                  variable.shape.dims().end());
  return ops::Fill(scope, ops::Const(scope, dims),
                   ops::Const(scope, 0, variable.dtype));
}

// Until a gradient is complete, its nodes have inputs of loops that they are
// not in.
class ForeignInputs {
 public:
  explicit ForeignInputs(ClientGraph* graph)
      : graph_(*graph), before_(graph->allows_foreign_inputs()) {
    graph_.AllowForeignInputs(true);
  }
  ~ForeignInputs() { graph_.AllowForeignInputs(before_); }
  ForeignInputs(const ForeignInputs&) = delete;
  ForeignInputs& operator=(const ForeignInputs&) = delete;

 private:
  ClientGraph& graph_;
  const bool before_;
};

StatusOr<std::vector<Gradient>> BuildGradients(
    const Scope& scope, const std::vector<Output>& ys,
    const std::vector<Output>& xs, const GradientsOptions& options,
    absl::Span<const GradientDecl* const> table) {
  MR_RETURN_IF_ERROR(scope.status());
  for (const auto* list : {&ys, &xs, &options.stop_gradients}) {
    for (const Output& output : *list) {
      if (!output || output.graph() != &scope.graph()) {
        return InvalidArgument("Gradients: tensor '", output.name(),
                               "' is not an element of this graph.");
      }
    }
  }
  const ForeignInputs allowed(&scope.graph());
  StatusOr<LoopIndex> made = InvalidArgument("");
  scope.graph().Read(
      [&](const Graph& graph) { made = LoopIndex::Make(graph); });
  MR_ASSIGN_OR_RETURN(LoopIndex index, std::move(made));
  MR_ASSIGN_OR_RETURN(const int loop, LoopAround(index, ys, xs));
  const Scope block = scope.BlockFor("gradients");
  GradientFrame frame(&index, block, loop);
  MR_ASSIGN_OR_RETURN(const auto begin, Begin(block, ys, options.grad_ys));
  std::vector<Gradient> dxs;
  const GradientCall call(options, table, SourceOf(block));
  MR_RETURN_IF_ERROR(Backpropagation(call, &frame).Run(begin, xs, &dxs));
  for (size_t i = 0; i < xs.size(); ++i) {
    if (dxs[i] || !options.zeros_if_unconnected) continue;
    MR_ASSIGN_OR_RETURN(dxs[i], ZerosOfX(block, xs[i]));
  }
  MR_RETURN_IF_ERROR(scope.status());
  return dxs;
}

}  // namespace

std::vector<Gradient> Gradients(const Scope& scope,
                                const std::vector<Output>& ys,
                                const std::vector<Output>& xs,
                                const GradientsOptions& options,
                                absl::Span<const GradientDecl* const> table) {
  StatusOr<std::vector<Gradient>> dxs =
      BuildGradients(scope, ys, xs, options, table);
  if (dxs.ok()) return *std::move(dxs);
  scope.Fail(dxs.status());
  return std::vector<Gradient>(xs.size());
}

std::vector<Output> AddSymbolicGradients(
    const Scope& scope, const std::vector<Output>& ys,
    const std::vector<Output>& xs,
    absl::Span<const GradientDecl* const> table) {
  std::vector<Output> dense;
  for (const Gradient& dx :
       Gradients(scope, ys, xs, {.zeros_if_unconnected = true}, table)) {
    dense.push_back(ToTensor(scope, dx));
  }
  return dense;
}

}  // namespace millrace::ops
