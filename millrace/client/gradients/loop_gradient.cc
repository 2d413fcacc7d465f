// Gradients of while loops: a loop that runs backwards through the iterations.
#include "millrace/client/control_flow_context.h"
#include "millrace/client/gradients/backpropagation.h"
#include "millrace/client/gradients/grad_shapes.h"

namespace millrace {
namespace {

Output ZerosOfShape(const Scope& scope, const PartialShape& shape,
                    DataType type) {
  const Output zero = ops::Const(scope, 0, type);
  if (shape.rank() == 0) return zero;
  const std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end());
  return ops::Fill(scope, ops::Const(scope, dims), zero);
}

// Uses the value of `x` only if its shape is not known.
Output ZerosOf(const Scope& scope, const Output& x) {
  return x.shape().IsFullyDefined() ? ZerosOfShape(scope, x.shape(), x.dtype())
                                    : ops::ZerosLike(scope, x);
}

Output ShapeOfValue(const Scope& scope, const Output& x) {
  return x.dtype() == DataType::kResource ? ops::VariableShape(scope, x)
                                          : ShapeOf(scope, x);
}

// Returns the initial zeros to which gradients like `dx` of `x` are added.
Output ZerosFor(const Scope& scope, const Output& x, const Output& dx) {
  if (dx.shape().IsFullyDefined())
    return ZerosOfShape(scope, dx.shape(), dx.dtype());
  if (x.dtype() != DataType::kResource) return ZerosOf(scope, x);
  return ZerosOfVariable(scope, x, dx.dtype());
}

Status NoLoopVariable(const Node& node) {
  return Unimplemented("No gradient through '", node.name,
                       "', which is no loop variable with Merge, Switch and "
                       "NextIteration\n\t [[{{node ",
                       node.name, "}}]]");
}

const Node* UserOf(const Graph& graph, const Node& node, int32_t port,
                   OpRole kind) {
  for (const OutEdge& edge : node.out_edges) {
    if (edge.port == port && graph.node(edge.dst)->op->role == kind)
      return graph.node(edge.dst);
  }
  return nullptr;
}

}  // namespace

// A value that is carried through a loop, or (`is_constant`) enters each of its
// iterations.
struct Backpropagation::LoopValue {
  bool is_constant = false;
  Output begin;              // the value that enters the loop
  Output in_body;            // the value in an iteration
  Output next;               // the value of the next iteration
  std::vector<Output> ends;  // Exits
};

// Returns the values between the xs and the ys.
StatusOr<std::vector<Backpropagation::LoopValue>> Backpropagation::ValuesOf(
    int loop) const {
  std::vector<LoopValue> values;
  Status status;
  ClientGraph& graph = scope_.graph();
  const auto read = [&](const Graph& g) -> Status {
    const auto output = [&](OutputRef ref) {
      return Output(Operation(&graph, g.node(ref.node)), ref.port);
    };
    for (NodeId id : frame_->index().loop(loop).enters) {
      const Node& enter = *g.node(id);
      LoopValue value;
      value.begin = output(enter.inputs[0]);
      const auto constant = GetAttr<bool>(enter.attrs, "is_constant");
      value.is_constant = constant.ok() && *constant;
      if (value.is_constant) {
        if (!between_.Has(id)) continue;
        value.in_body = output({id, 0});
        values.push_back(std::move(value));
        continue;
      }
      const Node* merge = UserOf(g, enter, 0, OpRole::kMerge);
      if (!between_.Has(merge ? merge->id : id)) continue;
      if (merge == nullptr) return NoLoopVariable(enter);
      const Node* branch = UserOf(g, *merge, 0, OpRole::kSwitch);
      const Node* next = nullptr;
      for (const OutputRef& in : merge->inputs) {
        const Node* from = in.node == kNoNode ? nullptr : g.node(in.node);
        if (from && from->op->role == OpRole::kNextIteration) next = from;
      }
      if (branch == nullptr || next == nullptr || branch->num_outputs() != 2 ||
          branch->inputs[0].node != merge->id) {
        return NoLoopVariable(*merge);
      }
      for (const OutEdge& edge : merge->out_edges) {
        if (edge.port == 0 && edge.dst != branch->id &&
            between_.Has(edge.dst)) {
          return Unimplemented("No gradient through '", g.node(edge.dst)->name,
                               "', which takes the loop variable '",
                               merge->name, "' before its Switch\n\t [[{{node ",
                               merge->name, "}}]]");
        }
      }
      const DataType type = RemoveRef(merge->output_types[0]);
      if (!IsFloating(type) && !IsComplex(type)) {
        return Unimplemented("No gradient through the loop variable '",
                             merge->name, "' of type ", DataTypeName(type),
                             "\n\t [[{{node ", merge->name, "}}]]");
      }
      value.in_body = output({branch->id, 1});
      value.next = output(next->inputs[0]);
      for (const OutEdge& edge : branch->out_edges) {
        if (edge.port == 0 && g.node(edge.dst)->op->role == OpRole::kExit) {
          value.ends.push_back(output({edge.dst, 0}));
        }
      }
      values.push_back(std::move(value));
    }
    return OkStatus();
  };
  graph.Read([&](const Graph& g) { status = read(g); });
  MR_RETURN_IF_ERROR(status);
  return values;
}

// Sums `dx` over the iterations.
Output Backpropagation::Accumulate(GradientFrame* inner, const Output& begin,
                                   const Output& dx) {
  const auto sum = inner->AddVariable(ZerosFor(scope_, begin, dx), dx.shape());
  return inner->CloseVariable(sum, ops::AddV2(inner->scope(), sum.in_body, dx));
}

// Returns the gradient with respect to the value around the loop.
Gradient Backpropagation::CloseLoopValue(
    GradientFrame* inner, const LoopValue& value,
    const GradientFrame::Variable& variable, const Gradient& dx) {
  if (!value.is_constant) {
    Output next = ops::ToTensor(inner->scope(), dx);
    if (!next) next = ZerosOf(inner->scope(), value.in_body);
    return inner->CloseVariable(variable, next);
  }
  if (!dx) return {};
  if (!dx.is_slices()) return Accumulate(inner, value.begin, dx.tensor);
  // Sparse gradient: concatenates the rows of all iterations.
  const IndexedSlices& rows = dx.slices;
  const Output shape = ShapeOfValue(scope_, value.begin);
  const Output none = ops::ConcatV2(
      scope_, {ops::Const(scope_, {0}), Part(scope_, shape, 1, kToEnd)}, 0);
  PartialShape values_shape = rows.values.shape();
  if (values_shape.known_rank() && values_shape.rank() > 0)
    values_shape.set_dim(0, kUnknownDim);
  const auto values = inner->AddVariable(
      ops::Fill(scope_, none, ops::Const(scope_, 0, rows.dtype())),
      values_shape);
  const auto indices = inner->AddVariable(
      ops::Fill(scope_, {0}, ops::Const(scope_, 0, rows.indices.dtype())),
      PartialShape({kUnknownDim}));
  IndexedSlices all;
  all.values = inner->CloseVariable(
      values, ops::ConcatV2(inner->scope(), {values.in_body, rows.values}, 0));
  all.indices = inner->CloseVariable(
      indices,
      ops::ConcatV2(inner->scope(), {indices.in_body, rows.indices}, 0));
  if (rows.dense_shape) all.dense_shape = shape;
  return all;
}

// Returns whether the loop was built for gradients.
bool Backpropagation::GoesBack(const std::vector<LoopValue>& values) const {
  for (const LoopValue& value : values) {
    if (value.is_constant) continue;
    ControlFlowContext* const context =
        scope_.graph().ContextOf(value.in_body.op()).get();
    WhileContext* const loop =
        context == nullptr ? nullptr : context->enclosing_while();
    if (loop != nullptr) return loop->options().back_prop;
  }
  return true;
}

Status Backpropagation::ProcessLoop(int loop) {
  MR_ASSIGN_OR_RETURN(const std::vector<LoopValue> values, ValuesOf(loop));
  std::vector<Output> dys(values.size());
  bool any = false;
  for (size_t i = 0; i < values.size(); ++i) {
    std::vector<Gradient> parts;
    for (const Output& end : values[i].ends) parts.push_back(Sum(end.op())[0]);
    dys[i] = ops::ToTensor(scope_, ops::SumGradients(scope_, parts));
    any = any || dys[i];
  }
  if (!any || !GoesBack(values)) return OkStatus();
  if (frame_->index().loop(loop).condition == kNoNode) {
    return Unimplemented("No gradient through loops without LoopCond: '",
                         frame_->index().loop(loop).name, "'");
  }
  GradientFrame inner(frame_, loop, call_.options.colocate_with_ops);
  std::vector<GradientFrame::Variable> variables(values.size());
  std::vector<std::pair<Output, Gradient>> ys;
  std::vector<Output> xs;
  for (size_t i = 0; i < values.size(); ++i) {
    const LoopValue& value = values[i];
    xs.push_back(value.in_body);
    if (value.is_constant) continue;
    Output dy = dys[i];
    if (!dy) {
      dy = ZerosOf(scope_, value.ends.empty() ? value.begin : value.ends[0]);
    }
    variables[i] = inner.AddVariable(dy, value.in_body.shape());
    ys.emplace_back(value.next, variables[i].in_body);
  }
  MR_RETURN_IF_ERROR(scope_.status());
  std::vector<Gradient> dxs;
  MR_RETURN_IF_ERROR(Backpropagation(call_, &inner).Run(ys, xs, &dxs));
  for (size_t i = 0; i < values.size(); ++i) {
    const Gradient dx = CloseLoopValue(&inner, values[i], variables[i], dxs[i]);
    MR_RETURN_IF_ERROR(scope_.status());
    if (dx) Add(values[i].begin, dx);
  }
  return inner.Close();
}

}  // namespace millrace
