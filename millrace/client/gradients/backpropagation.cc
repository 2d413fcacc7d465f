#include "millrace/client/gradients/backpropagation.h"

#include "millrace/client/gradients/grad_context.h"
#include "millrace/graph/attr/attr_text.h"

namespace millrace {

GradientCall::GradientCall(const ops::GradientsOptions& gradient_options,
                           absl::Span<const GradientDecl* const> declared,
                           std::string unique_source)
    : options(gradient_options), source(std::move(unique_source)) {
  for (const GradientDecl* decl : declared) table.emplace(decl->op, decl);
}

Backpropagation::Backpropagation(const GradientCall& call, GradientFrame* frame)
    : call_(call), frame_(frame), scope_(frame->scope()) {}

Operation Backpropagation::At(NodeId id) const {
  Operation op;
  ClientGraph& graph = scope_.graph();
  graph.Read([&](const Graph& g) { op = Operation(&graph, g.node(id)); });
  return op;
}

void Backpropagation::Add(const Output& output, const Gradient& gradient) {
  Arrived& arrived = arrived_[output.ref().node];
  if (arrived.empty())
    arrived.resize(static_cast<size_t>(output.op().num_outputs()));
  arrived[static_cast<size_t>(output.port())].push_back(gradient);
}

// The traversal stops at an x behind which there is no other x.
void Backpropagation::FindStops(const std::vector<Output>& xs) {
  for (const Output& x : xs) {
    bool inner = false;
    for (const Output& input : x.op().inputs())
      inner = inner || between_.Has(input.ref().node);
    if (!inner) stops_.insert(x.ref().node);
  }
  for (const Output& stop : call_.options.stop_gradients)
    stops_.insert(stop.ref().node);
}

// Whether the op makes a value of outside available in the iterations of the
// loop in whose unfinished body the gradients are requested, or of one around
// it. They stay in the inner one.
bool Backpropagation::EntersThis(const Operation& op) const {
  if (op.node()->op->role != OpRole::kEnter || frame_->pivot()) return false;
  const int loop = frame_->forward_loop();
  const auto constant = op.Attr<bool>("is_constant");
  const int entered = frame_->index().OutputLoop(op.node()->id);
  return entered != 0 && constant.ok() && *constant &&
         frame_->index().Encloses(entered, loop);
}

StatusOr<ops::GradientFunction> Backpropagation::FindGradient(
    const Operation& op) const {
  if (EntersThis(op))
    return ops::GradientFunction(
        [](GradContext& g) { g.Set(0, g.gradient(0)); });
  if (call_.options.find_function) {
    MR_ASSIGN_OR_RETURN(auto function, call_.options.find_function(op));
    if (function && !*function) return *std::move(function);
    if (function) {
      // What it builds without inputs belongs to the iterations, too.
      const Operation pivot = frame_->pivot();
      return [build = *std::move(function), pivot](GradContext& g) {
        ClientGraph& graph = g.scope().graph();
        const Operation before = graph.SetDefaultControlInput(pivot);
        build(g);
        graph.SetDefaultControlInput(before);
      };
    }
  }
  std::string name = op.type();
  if (auto other = op.Attr<std::string>("_gradient_op_type"); other.ok()) {
    name = *other;
    MR_RETURN_IF_ERROR(CheckTakes(name, op));
  }
  const auto found = call_.table.find(name);
  if (found != call_.table.end())
    return ops::GradientFunction(found->second->build);
  return Unimplemented("No gradient defined for operation '", op.name(),
                       "' (op type: ", name, ")\n\t [[", NodeMark(op.name()),
                       "]]");
}

// The gradient functions of ops know how many inputs and outputs these have.
Status Backpropagation::CheckTakes(const std::string& other,
                                   const Operation& op) const {
  const OpDef* const def = op.graph()->ops().Find(other);
  if (def == nullptr) return OkStatus();  // a function of the program's own
  const AttrMap& attrs = op.node()->attrs;
  const StatusOr<DataTypeVector> inputs = ArgTypes(def->inputs, attrs);
  const StatusOr<DataTypeVector> outputs = ArgTypes(def->outputs, attrs);
  if (inputs.ok() && outputs.ok() &&
      static_cast<int>(inputs->size()) == op.num_inputs() &&
      static_cast<int>(outputs->size()) == op.num_outputs()) {
    return OkStatus();
  }
  return InvalidArgument("the gradient of ", other, " does not fit ",
                         NodeMark(op.name()), " of op ", op.type(), ", with ",
                         op.num_inputs(), " inputs and ", op.num_outputs(),
                         " outputs");
}

Scope Backpropagation::ScopeOf(const Operation& op) const {
  const Scope block = scope_.SubScope(absl::StrCat(op.name(), "_grad"));
  return call_.options.colocate_with_ops ? block.ColocateWith(op) : block;
}

std::vector<Gradient> Backpropagation::Sum(const Operation& op) {
  std::vector<Gradient> sums(static_cast<size_t>(op.num_outputs()));
  const auto it = arrived_.find(op.node()->id);
  if (it == arrived_.end()) return sums;
  for (size_t i = 0; i < it->second.size(); ++i) {
    std::vector<Gradient>& parts = it->second[i];
    if (parts.empty()) continue;
    const Scope scope =
        call_.options.colocate_with_ops ? scope_.ColocateWith(op) : scope_;
    sums[i] = ops::SumGradients(scope, parts);
    parts = {sums[i]};
  }
  return sums;
}

Status Backpropagation::CallGradient(const Operation& op,
                                     const ops::GradientFunction& build,
                                     std::vector<Gradient> dys) {
  std::vector<bool> wanted;
  for (const Output& input : op.inputs())
    wanted.push_back(between_.Has(input.ref().node));
  GradContext context(ScopeOf(op), op, std::move(dys), call_.source,
                      std::move(wanted));
  build(context);
  MR_RETURN_IF_ERROR(scope_.status());
  if (!context.status().ok()) {
    return Annotate(context.status(),
                    absl::StrCat("\n\t [[", NodeMark(op.name()), "]]"));
  }
  std::vector<Gradient> dxs = context.dxs();
  if (call_.options.gate) {
    std::vector<Output> tensors;
    for (const Gradient& dx : dxs) {
      if (dx.tensor) tensors.push_back(dx.tensor);
    }
    if (tensors.size() > 1) {
      // Each stays where it was computed, which may be on another task than op.
      const std::vector<Output> gated =
          ops::Tuple(context.scope().WithoutColocation(), tensors);
      size_t next = 0;
      for (Gradient& dx : dxs) {
        if (dx.tensor) dx.tensor = gated[next++];
      }
    }
  }
  for (int i = 0; i < context.num_inputs(); ++i) {
    const Gradient& dx = dxs[static_cast<size_t>(i)];
    const Output& input = context.in(i);
    if (!dx || !IsDifferentiable(input.dtype())) continue;
    if (dx.tensor && input.dtype() != DataType::kResource) {
      // The gradient has the input's shape, even if its ops do not tell.
      const Status merged =
          dx.tensor.graph()->MergeShape(dx.tensor, input.shape());
      if (!merged.ok()) {
        return InvalidArgument(
            "Incompatible shapes between op input and calculated input "
            "gradient. Forward operation: ",
            op.name(), ". Input index: ", i,
            ". Original input shape: ", input.shape().DebugString(),
            ". Calculated input gradient shape: ",
            dx.tensor.shape().DebugString(), "\n\t [[", NodeMark(op.name()),
            "]]");
      }
    }
    Add(input, dx);
  }
  return OkStatus();
}

Status Backpropagation::ProcessOp(const Operation& op) {
  std::vector<Gradient> dys = Sum(op);
  // A gradient of integers is dropped, unless it is given in another type.
  bool any = false;
  for (int i = 0; i < op.num_outputs(); ++i) {
    const Gradient& dy = dys[static_cast<size_t>(i)];
    if (!dy) continue;
    const DataType type =
        dy.is_slices() ? dy.slices.dtype() : dy.tensor.dtype();
    any =
        any || IsDifferentiable(op.output(i).dtype()) || IsDifferentiable(type);
  }
  if (!any || stops_.contains(op.node()->id)) return OkStatus();
  MR_ASSIGN_OR_RETURN(const ops::GradientFunction build, FindGradient(op));
  if (!build) return OkStatus();
  return CallGradient(op, build, std::move(dys));
}

Status Backpropagation::Process(Between::Unit unit) {
  MR_RETURN_IF_ERROR(unit < 0 ? ProcessLoop(static_cast<int>(-1 - unit))
                              : ProcessOp(At(static_cast<NodeId>(unit))));
  const auto inputs = between_.inputs.find(unit);
  if (inputs == between_.inputs.end()) return OkStatus();
  for (const Between::Unit input : inputs->second) {
    if (--between_.pending[input] == 0) ready_.push_back(input);
  }
  return OkStatus();
}

Status Backpropagation::Find(const std::vector<std::pair<Output, Gradient>>& ys,
                             const std::vector<Output>& xs) {
  std::vector<NodeId> y_nodes;
  std::vector<NodeId> x_nodes;
  for (const auto& [y, dy] : ys) y_nodes.push_back(y.ref().node);
  for (const Output& x : xs) x_nodes.push_back(x.ref().node);
  StatusOr<Between> between = Between();
  scope_.graph().Read([&](const Graph& graph) {
    between = FindBetween(graph, frame_->index(), frame_->forward_loop(),
                          y_nodes, x_nodes);
  });
  MR_RETURN_IF_ERROR(between.status());
  between_ = *std::move(between);
  return OkStatus();
}

Status Backpropagation::Run(const std::vector<std::pair<Output, Gradient>>& ys,
                            const std::vector<Output>& xs,
                            std::vector<Gradient>* dxs) {
  MR_RETURN_IF_ERROR(Find(ys, xs));
  FindStops(xs);
  absl::flat_hash_set<Between::Unit> queued;
  for (const auto& [y, dy] : ys) Add(y, dy);
  for (const Between::Unit unit : between_.ys) {
    if (between_.pending[unit] == 0 && queued.insert(unit).second)
      ready_.push_back(unit);
  }
  while (!ready_.empty()) {
    const Between::Unit unit = ready_.front();
    ready_.pop_front();
    MR_RETURN_IF_ERROR(Process(unit));
  }
  for (const Output& x : xs)
    dxs->push_back(Sum(x.op())[static_cast<size_t>(x.port())]);
  return scope_.status();
}

}  // namespace millrace
