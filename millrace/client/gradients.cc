#include "millrace/client/gradients.h"

#include <algorithm>

#include "millrace/client/backpropagation.h"

namespace millrace {
namespace {

// What comes back to the ys.
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
      const DataType type = given[i].is_slices() ? given[i].slices.dtype()
                                                 : given[i].tensor.dtype();
      if (type != y.dtype()) {
        return InvalidArgument(
            "Gradient type ", DataTypeName(type), " generated for tensor ",
            y.name(), " with type ", DataTypeName(y.dtype()), " must match it");
      }
      result.emplace_back(y, given[i]);
      continue;
    }
    if (!IsFloating(y.dtype())) {
      return InvalidArgument("Gradients of ", DataTypeName(y.dtype()),
                             " tensors must set grad_ys "
                             "(y: ",
                             y.name(), ")");
    }
    const Output one = ops::Const(scope.WithOpName(absl::StrCat("grad_ys_", i)),
                                  1.0, y.dtype());
    result.emplace_back(y, ops::Fill(scope, ops::Shape(scope, y), one));
  }
  return result;
}

// The loop in whose body, still open, the ys are; 0 if they are in none.
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

}  // namespace

StatusOr<std::vector<Gradient>> Gradients(
    const Scope& scope, const std::vector<Output>& ys,
    const std::vector<Output>& xs, const GradientOptions& options,
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
  StatusOr<LoopIndex> made = InvalidArgument("");
  scope.graph().Read(
      [&](const Graph& graph) { made = LoopIndex::Make(graph); });
  MR_ASSIGN(LoopIndex index, std::move(made));
  MR_ASSIGN(const int loop, LoopAround(index, ys, xs));
  const Scope block = scope.BlockFor("gradients");
  GradientFrame frame(&index, block, loop);
  MR_ASSIGN(const auto begin, Begin(block, ys, options.grad_ys));
  std::vector<Gradient> dxs;
  const GradientCall call(options, table);
  MR_RETURN_IF_ERROR(Backpropagation(call, &frame).Run(begin, xs, &dxs));
  for (size_t i = 0; i < xs.size(); ++i) {
    if (!dxs[i] && options.zeros_if_unconnected &&
        xs[i].dtype() != DataType::kResource) {
      dxs[i] = ops::ZerosLike(block, xs[i]);
    }
  }
  MR_RETURN_IF_ERROR(scope.status());
  return dxs;
}

Status AddSymbolicGradients(const Scope& scope, const std::vector<Output>& ys,
                            const std::vector<Output>& xs,
                            std::vector<Output>* grads,
                            absl::Span<const GradientDecl* const> table) {
  MR_ASSIGN(const std::vector<Gradient> dxs,
            Gradients(scope, ys, xs, {.zeros_if_unconnected = true}, table));
  grads->clear();
  for (const Gradient& dx : dxs) grads->push_back(ToTensor(scope, dx));
  return scope.status();
}

}  // namespace millrace
