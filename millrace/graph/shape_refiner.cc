#include "millrace/graph/shape_refiner.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "millrace/graph/attr/attr_text.h"
#include "millrace/graph/function/function_body.h"
#include "millrace/graph/graph_proto.h"
#include "millrace/graph/import.h"
#include "millrace/graph/value_finder.h"

namespace millrace {
namespace {

constexpr int kMaxCallDepth = 16;
// The limit on nodes of function bodies that one outer call may infer, so that
// functions that call others twice each end in bounded time.
constexpr int64_t kMaxBodyNodes = 100'000;
// The limit on passes over loops; after it their shapes become unknown.
constexpr int kMaxPasses = 16;
constexpr int64_t kShownElements = 10;

std::string Joined(const std::string& list, absl::string_view next) {
  return list.empty() ? std::string(next) : absl::StrCat(list, ", ", next);
}

}  // namespace

struct ShapeRefiner::NodeShapes {
  absl::InlinedVector<PartialShape, 1> shapes;
  std::vector<std::vector<HandleShape>> handles;  // empty if no output has any
  bool may_have_value = false;

  // Limits output 0 of a Merge, the only output with handles, to the facts
  // known `before`. Returns whether it now has fewer facts than before.
  bool Relax(const NodeShapes& before) {
    shapes[0] = shapes::JoinShapes(before.shapes[0], shapes[0]);
    if (!handles.empty()) {
      handles[0] = before.handles.empty()
                       ? std::vector<HandleShape>()
                       : shapes::JoinHandles(before.handles[0], handles[0]);
      if (handles[0].empty()) handles.clear();
    }
    return !(shapes[0] == before.shapes[0]) || handles != before.handles;
  }
};

// The state that a refiner shares with the refiners of called functions.
struct ShapeRefiner::Shared {
  ConstantEvaluator evaluate;
  absl::flat_hash_map<std::string, std::shared_ptr<const Graph>> bodies;
  int64_t body_nodes_left = kMaxBodyNodes;
};

// One call of a shape function, with the values that it asked for.
class ShapeRefiner::Inference {
 public:
  Inference(const Node& node, ValueFinder* values)
      : node_(node), values_(values) {}

  const Tensor* Constant(int i) {
    const Tensor* t = values_->Find(node_.inputs[static_cast<size_t>(i)]);
    if (t != nullptr) {
      std::string text = t->SummarizeValue(kShownElements);
      if (absl::StartsWith(text, "[") && absl::EndsWith(text, "]")) {
        text = text.substr(1, text.size() - 2);
      }
      Note(&tensors_, i, absl::StrCat("<", text, ">"));
    }
    return t;
  }

  bool Partial(int i, PartialShape* out) {
    const IntValue* v = values_->FindInts(node_.inputs[static_cast<size_t>(i)]);
    if (v == nullptr || v->is_scalar) return false;
    PartialShape s = PartialShape::UnknownOfRank(static_cast<int>(v->size()));
    for (int k = 0; k < s.rank(); ++k) {
      const int64_t d = v->v[static_cast<size_t>(k)];
      if (d != IntValue::kUnknown) s.set_dim(k, d);
    }
    Note(&partial_, i, s.DebugString());
    *out = std::move(s);
    return true;
  }

  Status WithNode(const Status& status, const Graph& graph,
                  const std::vector<ShapeContext::Input>& inputs) const {
    std::string shapes;
    for (const ShapeContext::Input& in : inputs)
      shapes = Joined(shapes, in.shape.DebugString());
    std::string text =
        absl::StrCat(" for '", SummarizeNode(ExportNode(graph, node_)),
                     "' with input shapes: ", shapes);
    if (!tensors_.empty())
      absl::StrAppend(&text, " and with computed input tensors: ", tensors_);
    if (!partial_.empty()) {
      absl::StrAppend(
          &text,
          " and with input tensors computed as partial shapes: ", partial_);
    }
    return Annotate(status, absl::StrCat(text, "."));
  }

 private:
  static void Note(std::string* list, int i, absl::string_view value) {
    const std::string item = absl::StrCat("input[", i, "] = ", value);
    if (list->find(item) == list->npos) *list = Joined(*list, item);
  }
  const Node& node_;
  ValueFinder* values_;
  std::string tensors_;
  std::string partial_;
};

ShapeRefiner::ShapeRefiner(const Graph* graph, ConstantEvaluator evaluate)
    : ShapeRefiner(
          graph, std::make_shared<Shared>(Shared{std::move(evaluate), {}}), 0) {
}

ShapeRefiner::ShapeRefiner(const Graph* graph, std::shared_ptr<Shared> shared,
                           int depth)
    : graph_(graph), shared_(std::move(shared)), depth_(depth) {
  values_ = std::make_unique<ValueFinder>(
      graph, &shared_->evaluate,
      [this](OutputRef o) -> const PartialShape& { return shape(o); },
      [this](NodeId id) {
        return static_cast<size_t>(id) < nodes_.size() && nodes_[id] &&
               nodes_[id]->may_have_value;
      });
}

ShapeRefiner::~ShapeRefiner() = default;

ShapeRefiner::NodeShapes& ShapeRefiner::Slot(NodeId id) {
  if (static_cast<size_t>(id) >= nodes_.size()) {
    nodes_.resize(
        std::max<size_t>(static_cast<size_t>(id) + 1, graph_->num_ids()));
  }
  if (!nodes_[id]) nodes_[id] = std::make_unique<NodeShapes>();
  return *nodes_[id];
}

const PartialShape& ShapeRefiner::shape(OutputRef o) const {
  if (o.node < 0 || static_cast<size_t>(o.node) >= nodes_.size() ||
      !nodes_[o.node]) {
    return unknown_;
  }
  const auto& shapes = nodes_[o.node]->shapes;
  return o.port >= 0 && static_cast<size_t>(o.port) < shapes.size()
             ? shapes[o.port]
             : unknown_;
}

const std::vector<HandleShape>& ShapeRefiner::handles(OutputRef o) const {
  if (o.node < 0 || static_cast<size_t>(o.node) >= nodes_.size() ||
      !nodes_[o.node]) {
    return no_handles_;
  }
  const auto& handles = nodes_[o.node]->handles;
  return o.port >= 0 && static_cast<size_t>(o.port) < handles.size()
             ? handles[o.port]
             : no_handles_;
}

std::vector<ShapeContext::Input> ShapeRefiner::InputsOf(
    const Node& node, BackEdge back_edge) const {
  std::vector<ShapeContext::Input> inputs(node.inputs.size());
  const ShapeContext::Input* first = nullptr;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const OutputRef in = node.inputs[i];
    if (in.node == kNoNode || static_cast<size_t>(in.node) >= nodes_.size() ||
        !nodes_[in.node]) {
      continue;
    }
    inputs[i] = {shape(in), handles(in)};
    if (first == nullptr) first = &inputs[i];
  }
  if (back_edge == BackEdge::kUnknown || first == nullptr ||
      node.op->role != OpRole::kMerge) {
    return inputs;
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const NodeId src = node.inputs[i].node;
    if (src != kNoNode &&
        (static_cast<size_t>(src) >= nodes_.size() || !nodes_[src])) {
      inputs[i] = *first;
    }
  }
  return inputs;
}

bool ShapeRefiner::MayHaveValue(const Node& node) const {
  const auto may = [this](const OutputRef& in) {
    return in.node != kNoNode && static_cast<size_t>(in.node) < nodes_.size() &&
           nodes_[in.node] && nodes_[in.node]->may_have_value;
  };
  switch (values_->NeedsOf(node)) {
    case ValueFinder::Needs::kNothing:
      return true;
    case ValueFinder::Needs::kSomeInput:
      return std::any_of(node.inputs.begin(), node.inputs.end(), may);
    case ValueFinder::Needs::kAllInputs:
      return std::all_of(node.inputs.begin(), node.inputs.end(), may);
    case ValueFinder::Needs::kNever:
      break;
  }
  return false;
}

Status ShapeRefiner::Infer(const Node& node, BackEdge back_edge,
                           bool* changed) {
  std::vector<ShapeContext::Input> inputs = InputsOf(node, back_edge);
  NodeShapes result;
  result.shapes.resize(static_cast<size_t>(node.num_outputs()));
  if (args_ != nullptr && node.op->role == OpRole::kArg) {
    const auto index = GetAttr<int64_t>(node.attrs, "index");
    if (index.ok() && *index < static_cast<int64_t>(args_->size())) {
      const ShapeContext::Input& arg = (*args_)[static_cast<size_t>(*index)];
      result.shapes[0] = arg.shape;
      if (!arg.handles.empty()) result.handles = {arg.handles};
    }
  } else if ((node.op->shape == nullptr || node.op->role == OpRole::kCall) &&
             InferCall(node, inputs, &result)) {
    // The shapes come from the function's body.
  } else if (node.op->shape != nullptr) {
    Inference inference(node, values_.get());
    const auto constant = [&](int i) { return inference.Constant(i); };
    const auto partial = [&](int i, PartialShape* out) {
      return inference.Partial(i, out);
    };
    ShapeContext context(node.name, *node.op, node.attrs, inputs,
                         node.num_outputs(), constant, partial);
    context.set_producer(graph_->versions().producer);
    const Status status = node.op->shape(context);
    if (!status.ok()) return inference.WithNode(status, *graph_, inputs);
    for (int i = 0; i < node.num_outputs(); ++i) {
      result.shapes[static_cast<size_t>(i)] = context.output(i);
      if (context.output_handles(i).empty()) continue;
      result.handles.resize(static_cast<size_t>(node.num_outputs()));
      result.handles[static_cast<size_t>(i)] = context.output_handles(i);
    }
  }
  result.may_have_value = MayHaveValue(node);
  NodeShapes& slot = Slot(node.id);
  *changed = slot.shapes != result.shapes || slot.handles != result.handles;
  if (*changed || slot.may_have_value != result.may_have_value)
    slot = std::move(result);
  return OkStatus();
}

Status ShapeRefiner::AddNode(const Node& node) {
  if (depth_ == 0) shared_->body_nodes_left = kMaxBodyNodes;
  bool changed = false;
  return Infer(node, BackEdge::kLikeEntry, &changed);
}

Status ShapeRefiner::AddNewNodes() {
  if (depth_ == 0) shared_->body_nodes_left = kMaxBodyNodes;
  NodeId begin = 0;
  const auto is_new = [this](NodeId id) {
    return graph_->node(id) != nullptr &&
           (static_cast<size_t>(id) >= nodes_.size() || !nodes_[id]);
  };
  while (begin < graph_->num_ids() && !is_new(begin)) ++begin;
  MR_ASSIGN_OR_RETURN(std::vector<NodeId> order,
                      TopologicalOrder(*graph_, begin));
  order.erase(std::remove_if(order.begin(), order.end(),
                             [&](NodeId id) { return !is_new(id); }),
              order.end());
  const auto forget = [&] {
    for (NodeId id : order) {
      if (static_cast<size_t>(id) < nodes_.size()) nodes_[id].reset();
    }
    values_->Clear();
  };
  const bool has_loops =
      std::any_of(order.begin(), order.end(), [this](NodeId id) {
        return graph_->node(id)->op->role == OpRole::kNextIteration;
      });
  Status status = RunPasses(order, BackEdge::kLikeEntry);
  if (!status.ok() && has_loops) {
    forget();
    status = RunPasses(order, BackEdge::kUnknown);
  }
  if (!status.ok()) {
    forget();
    // Other functions may have these names, if the graph loses the new ones.
    if (depth_ == 0) shared_->bodies.clear();
  }
  return status;
}

// Runs a first pass over all nodes, then passes over the nodes that changed
// because a loop closed.
Status ShapeRefiner::RunPasses(const std::vector<NodeId>& order,
                               BackEdge back_edge) {
  std::vector<NodeId> merges;
  bool changed = false;
  for (NodeId id : order) {
    const Node& node = *graph_->node(id);
    if (back_edge == BackEdge::kLikeEntry && node.op->role == OpRole::kMerge &&
        std::any_of(node.inputs.begin(), node.inputs.end(),
                    [&](const OutputRef& in) {
                      return in.node != kNoNode &&
                             IsBackEdge(*graph_->node(in.node), node);
                    })) {
      merges.push_back(id);
    }
    MR_RETURN_IF_ERROR(Infer(node, back_edge, &changed));
  }
  if (merges.empty()) return OkStatus();
  std::vector<bool> dirty(static_cast<size_t>(graph_->num_ids()));
  for (NodeId id : merges) dirty[id] = true;
  std::sort(merges.begin(), merges.end());
  for (int pass = 0; pass < kMaxPasses; ++pass) {
    values_->Clear();
    for (NodeId id : order) {
      if (!dirty[id]) continue;
      dirty[id] = false;
      const Node& node = *graph_->node(id);
      // Sizes at a Merge, and those behind handles, only ever become unknown,
      // so the loop terminates.
      const bool is_merge =
          std::binary_search(merges.begin(), merges.end(), id);
      const NodeShapes before = is_merge ? *nodes_[id] : NodeShapes();
      MR_RETURN_IF_ERROR(Infer(node, BackEdge::kLikeEntry, &changed));
      if (is_merge) changed = nodes_[id]->Relax(before);
      // Where a shape changed, values that depend on it may have changed, too.
      if (!changed && !nodes_[id]->may_have_value) continue;
      for (const OutEdge& e : node.out_edges) {
        if (e.dst_port != kControlPort) dirty[e.dst] = true;
      }
    }
    if (std::none_of(merges.begin(), merges.end(),
                     [&](NodeId id) { return dirty[id]; })) {
      return OkStatus();
    }
  }
  return Internal("the shapes of loops do not settle");
}

// Infers the body of the function that `node` calls, with the shapes of its
// inputs. Returns false if the call cannot be followed.
bool ShapeRefiner::InferCall(const Node& node,
                             const std::vector<ShapeContext::Input>& inputs,
                             NodeShapes* out) {
  NameAttrList function{node.op->name, node.attrs};
  if (node.op->role == OpRole::kCall) {
    const auto f = GetAttr<AttrValue::Func>(node.attrs, "f");
    if (!f.ok() || *f == nullptr) return false;
    function = **f;
  }
  if (depth_ >= kMaxCallDepth ||
      graph_->library().Find(function.name) == nullptr)
    return false;
  std::shared_ptr<const Graph>& body =
      shared_->bodies[SerializeAttrValue(function)];
  if (!body) {
    auto instantiated =
        InstantiateFunction(graph_->ops(), graph_->library(), function);
    // An empty graph stands for an invalid body: the run will report the error.
    body = std::make_shared<const Graph>(
        instantiated.ok() ? *std::move(instantiated) : Graph(&graph_->ops()));
  }
  const std::shared_ptr<const Graph> graph = body;
  shared_->body_nodes_left -= graph->num_nodes() + 1;
  if (graph->num_nodes() == 0 || shared_->body_nodes_left < 0) return false;
  ShapeRefiner inner(graph.get(), shared_, depth_ + 1);
  inner.args_ = &inputs;
  if (!inner.AddNewNodes().ok()) return false;
  for (NodeId id = 0; id < graph->num_ids(); ++id) {
    const Node& ret = *graph->node(id);
    if (ret.op->role != OpRole::kRetval) continue;
    const auto index = GetAttr<int64_t>(ret.attrs, "index");
    if (!index.ok() || *index >= node.num_outputs()) return false;
    const size_t port = static_cast<size_t>(*index);
    out->shapes[port] = inner.shape(ret.inputs[0]);
    if (inner.handles(ret.inputs[0]).empty()) continue;
    out->handles.resize(static_cast<size_t>(node.num_outputs()));
    out->handles[port] = inner.handles(ret.inputs[0]);
  }
  return true;
}

Status ShapeRefiner::MergeShape(OutputRef output,
                                const PartialShape& narrower) {
  MR_ASSIGN_OR_RETURN(const PartialShape merged,
                      ShapeContext::MergeShapes(shape(output), narrower));
  return ReplaceShape(output, merged);
}

Status ShapeRefiner::ReplaceShape(OutputRef output, const PartialShape& shape) {
  const Node* node = output.node >= 0 && output.node < graph_->num_ids()
                         ? graph_->node(output.node)
                         : nullptr;
  if (node == nullptr || output.port < 0 ||
      output.port >= node->num_outputs()) {
    return InvalidArgument("There is no such output");
  }
  NodeShapes& slot = Slot(output.node);
  slot.shapes.resize(static_cast<size_t>(node->num_outputs()));
  slot.shapes[static_cast<size_t>(output.port)] = shape;
  values_->Clear();
  return OkStatus();
}

const Tensor* ShapeRefiner::ConstantValue(OutputRef output) {
  return values_->Find(output);
}

}  // namespace millrace
