#include "millrace/client/gradients.h"

#include <deque>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "millrace/client/grad_context.h"
#include "millrace/graph/attr_text.h"

namespace millrace {
namespace {

// Types through which derivatives go.
bool IsDifferentiable(DataType type) {
  type = RemoveRef(type);
  return IsFloating(type) || IsComplex(type) || type == DataType::kResource ||
         type == DataType::kVariant;
}

// The nodes between xs and ys, and how often each is an input of another.
struct Between {
  absl::flat_hash_map<NodeId, int> pending;  // its keys are the nodes

  bool Has(NodeId id) const { return pending.contains(id); }
};

Between FindBetween(const Graph& graph, const std::vector<Output>& ys,
                    const std::vector<Output>& xs) {
  std::vector<bool> reached(static_cast<size_t>(graph.num_ids()));
  std::deque<NodeId> queue;
  const auto reach = [&](NodeId id) {
    if (reached[static_cast<size_t>(id)]) return;
    reached[static_cast<size_t>(id)] = true;
    queue.push_back(id);
  };
  for (const Output& x : xs) reach(x.ref().node);
  while (!queue.empty()) {
    const Node& node = *graph.node(queue.front());
    queue.pop_front();
    for (const OutEdge& edge : node.out_edges) {
      if (edge.port == kControlPort) continue;
      if (IsDifferentiable(node.output_types[edge.port])) reach(edge.dst);
    }
  }
  Between between;
  const auto visit = [&](NodeId id) {
    if (!reached[static_cast<size_t>(id)]) return;
    if (between.pending.emplace(id, 0).second) queue.push_back(id);
  };
  for (const Output& y : ys) visit(y.ref().node);
  std::vector<NodeId> found;
  while (!queue.empty()) {
    found.push_back(queue.front());
    queue.pop_front();
    for (const OutputRef& input : graph.node(found.back())->inputs) {
      if (input.node != kNoNode) visit(input.node);
    }
  }
  for (NodeId id : found) {
    for (const OutputRef& input : graph.node(id)->inputs) {
      const auto it = between.pending.find(input.node);
      if (it != between.pending.end()) ++it->second;
    }
  }
  return between;
}

// Goes from the ys back to the xs.
class Backpropagation {
 public:
  Backpropagation(const Scope& scope, const GradientOptions& options,
                  absl::Span<const GradientDecl* const> table)
      : scope_(scope), options_(options) {
    for (const GradientDecl* decl : table) table_.emplace(decl->op, decl);
  }

  Status Run(const std::vector<Output>& ys, const std::vector<Output>& xs,
             std::vector<Gradient>* dxs);

 private:
  // What came back to each output of a node, summed once it is complete.
  using Arrived = std::vector<std::vector<Gradient>>;

  Status Start(const std::vector<Output>& ys);
  void FindStops(const std::vector<Output>& xs);
  Status Process(const Operation& op);
  StatusOr<const GradientDecl*> Find(const Operation& op) const;
  Status CallGradient(const Operation& op, const GradientDecl& decl,
                      std::vector<Gradient> dys);
  void Add(const Output& output, const Gradient& gradient);
  std::vector<Gradient> Sum(const Operation& op);
  Scope ScopeOf(const Operation& op) const;

  const Scope& scope_;
  const GradientOptions& options_;
  absl::flat_hash_map<absl::string_view, const GradientDecl*> table_;
  Between between_;
  absl::flat_hash_set<NodeId> stops_;
  absl::flat_hash_map<NodeId, Arrived> arrived_;
  std::deque<Operation> ready_;
};

void Backpropagation::Add(const Output& output, const Gradient& gradient) {
  Arrived& arrived = arrived_[output.ref().node];
  if (arrived.empty())
    arrived.resize(static_cast<size_t>(output.op().num_outputs()));
  arrived[static_cast<size_t>(output.port())].push_back(gradient);
}

Status Backpropagation::Start(const std::vector<Output>& ys) {
  if (!options_.grad_ys.empty() && options_.grad_ys.size() != ys.size()) {
    return InvalidArgument("Passed ", options_.grad_ys.size(), " grad_ys for ",
                           ys.size(), " ys");
  }
  for (size_t i = 0; i < ys.size(); ++i) {
    const Output& y = ys[i];
    if (!options_.grad_ys.empty() && options_.grad_ys[i]) {
      const Gradient& given = options_.grad_ys[i];
      const DataType type =
          given.is_slices() ? given.slices.dtype() : given.tensor.dtype();
      if (type != y.dtype()) {
        return InvalidArgument(
            "Gradient type ", DataTypeName(type), " generated for tensor ",
            y.name(), " with type ", DataTypeName(y.dtype()), " must match it");
      }
      Add(y, given);
      continue;
    }
    if (!IsFloating(y.dtype())) {
      return InvalidArgument("Gradients of ", DataTypeName(y.dtype()),
                             " tensors must set grad_ys "
                             "(y: ",
                             y.name(), ")");
    }
    const Output one = ops::Const(
        scope_.WithOpName(absl::StrCat("grad_ys_", i)), 1.0, y.dtype());
    Add(y, ops::Fill(scope_, ops::Shape(scope_, y), one));
  }
  return OkStatus();
}

// Nothing need go back behind xs that no other x lies behind.
void Backpropagation::FindStops(const std::vector<Output>& xs) {
  for (const Output& x : xs) {
    bool inner = false;
    for (const Output& input : x.op().inputs()) {
      const auto it = between_.pending.find(input.ref().node);
      inner = inner || (it != between_.pending.end() && it->second > 0);
    }
    if (!inner) stops_.insert(x.ref().node);
  }
  for (const Output& stop : options_.stop_gradients)
    stops_.insert(stop.ref().node);
}

StatusOr<const GradientDecl*> Backpropagation::Find(const Operation& op) const {
  std::string name = op.type();
  if (auto other = op.Attr<std::string>("_gradient_op_type"); other.ok())
    name = *other;
  const auto found = table_.find(name);
  if (found != table_.end()) return found->second;
  return Unimplemented("No gradient defined for operation '", op.name(),
                       "' (op type: ", name, ")\n\t [[", NodeMark(op.name()),
                       "]]");
}

Scope Backpropagation::ScopeOf(const Operation& op) const {
  const Scope block = scope_.SubScope(absl::StrCat(op.name(), "_grad"));
  return options_.colocate_with_ops ? block.ColocateWith(op) : block;
}

std::vector<Gradient> Backpropagation::Sum(const Operation& op) {
  std::vector<Gradient> sums(static_cast<size_t>(op.num_outputs()));
  const auto it = arrived_.find(op.node()->id);
  if (it == arrived_.end()) return sums;
  for (size_t i = 0; i < it->second.size(); ++i) {
    std::vector<Gradient>& parts = it->second[i];
    if (parts.empty()) continue;
    const Scope scope =
        options_.colocate_with_ops ? scope_.ColocateWith(op) : scope_;
    sums[i] = SumGradients(scope, parts);
    parts = {sums[i]};
  }
  return sums;
}

Status Backpropagation::CallGradient(const Operation& op,
                                     const GradientDecl& decl,
                                     std::vector<Gradient> dys) {
  GradContext context(ScopeOf(op), op, std::move(dys));
  decl.build(context);
  MR_RETURN_IF_ERROR(scope_.status());
  if (!context.status().ok()) {
    return Annotate(context.status(),
                    absl::StrCat("\n\t [[", NodeMark(op.name()), "]]"));
  }
  std::vector<Gradient> dxs = context.dxs();
  if (options_.gate) {
    std::vector<Output> tensors;
    for (const Gradient& dx : dxs) {
      if (dx.tensor) tensors.push_back(dx.tensor);
    }
    if (tensors.size() > 1) {
      const std::vector<Output> gated = ops::Tuple(context.scope(), tensors);
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
      // The gradient has the input's shape, even where its ops do not tell.
      const Status merged = dx.tensor.SetShape(input.shape());
      if (!merged.ok()) {
        return Internal("the gradient of op ", op.type(), " for input ", i,
                        " has shape ", dx.tensor.shape().DebugString(),
                        ", the input ", input.shape().DebugString(), "\n\t [[",
                        NodeMark(op.name()), "]]");
      }
    }
    Add(input, dx);
  }
  return OkStatus();
}

Status Backpropagation::Process(const Operation& op) {
  std::vector<Gradient> dys = Sum(op);
  bool any = false;
  for (const Gradient& dy : dys) any = any || dy;
  if (any && !stops_.contains(op.node()->id)) {
    MR_ASSIGN(const GradientDecl* decl, Find(op));
    if (decl->build)
      MR_RETURN_IF_ERROR(CallGradient(op, *decl, std::move(dys)));
  }
  for (const Output& input : op.inputs()) {
    const auto it = between_.pending.find(input.ref().node);
    if (it != between_.pending.end() && --it->second == 0)
      ready_.push_back(input.op());
  }
  return OkStatus();
}

Status Backpropagation::Run(const std::vector<Output>& ys,
                            const std::vector<Output>& xs,
                            std::vector<Gradient>* dxs) {
  Status loops;
  scope_.graph().Read([&](const Graph& graph) {
    between_ = FindBetween(graph, ys, xs);
    for (const auto& [id, count] : between_.pending) {
      const Node& node = *graph.node(id);
      const ControlFlow kind = node.op->control_flow;
      if (kind == ControlFlow::kNone || kind == ControlFlow::kSwitch ||
          kind == ControlFlow::kMerge) {
        continue;
      }
      loops = Unimplemented("No gradient through loops yet: operation '",
                            node.name, "' (op type: ", node.op->name,
                            ")\n\t [[", NodeMark(node.name), "]]");
    }
  });
  MR_RETURN_IF_ERROR(loops);
  MR_RETURN_IF_ERROR(Start(ys));
  FindStops(xs);
  absl::flat_hash_set<NodeId> queued;
  for (const Output& y : ys) {
    const auto it = between_.pending.find(y.ref().node);
    if (it != between_.pending.end() && it->second == 0 &&
        queued.insert(y.ref().node).second) {
      ready_.push_back(y.op());
    }
  }
  while (!ready_.empty()) {
    const Operation op = ready_.front();
    ready_.pop_front();
    MR_RETURN_IF_ERROR(Process(op));
  }
  for (const Output& x : xs) {
    Gradient dx = Sum(x.op())[static_cast<size_t>(x.port())];
    if (!dx && options_.zeros_if_unconnected &&
        x.dtype() != DataType::kResource) {
      dx = ops::ZerosLike(scope_, x);
    }
    dxs->push_back(std::move(dx));
  }
  return scope_.status();
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
  const Scope block = scope.BlockFor("gradients");
  std::vector<Gradient> dxs;
  MR_RETURN_IF_ERROR(Backpropagation(block, options, table).Run(ys, xs, &dxs));
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
