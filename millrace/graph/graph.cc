#include "millrace/graph/graph.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "millrace/graph/attr/attr_text.h"
#include "millrace/graph/builtin_ops.h"

namespace millrace {
namespace {

// Passes rely on a constant's value having the type of its attribute.
Status CheckConstant(const OpDef& op, const AttrMap& attrs) {
  if (op.role != OpRole::kConstant) return OkStatus();
  const AttrValue* const value = attrs.Find("value");
  const AttrValue* const type = attrs.Find("dtype");
  if (value == nullptr || type == nullptr) return OkStatus();
  const Tensor* const tensor = value->get<Tensor>();
  const DataType* const dtype = type->get<DataType>();
  if (tensor == nullptr || dtype == nullptr || tensor->dtype() == *dtype) {
    return OkStatus();
  }
  return InvalidArgument("Type mismatch between value (",
                         DataTypeName(tensor->dtype()), ") and dtype (",
                         DataTypeName(*dtype), ")");
}

template <class List, class Value>
void EraseFirst(List& list, const Value& value) {
  auto it = std::find(list.begin(), list.end(), value);
  if (it != list.end()) list.erase(it);
}

bool SameEdge(const OutEdge& a, const OutEdge& b) {
  return a.port == b.port && a.dst == b.dst && a.dst_port == b.dst_port;
}

// The order of edges has no meaning, so the last one fills the gap.
void EraseEdge(Node& src, const OutEdge& edge) {
  for (OutEdge& e : src.out_edges) {
    if (SameEdge(e, edge)) {
      e = src.out_edges.back();
      src.out_edges.pop_back();
      return;
    }
  }
}

bool HasControlEdge(const Node& src, const Node& dst) {
  if (dst.control_inputs.size() <= src.out_edges.size()) {
    return std::find(dst.control_inputs.begin(), dst.control_inputs.end(),
                     src.id) != dst.control_inputs.end();
  }
  const OutEdge edge{kControlPort, dst.id, kControlPort};
  return std::any_of(src.out_edges.begin(), src.out_edges.end(),
                     [&](const OutEdge& e) { return SameEdge(e, edge); });
}

Status AtNode(const Status& status, absl::string_view name) {
  return Annotate(status, absl::StrCat("; NodeDef: ", NodeMark(name)));
}

}  // namespace

Graph::Graph(const OpRegistry* ops) : ops_(ops) {
  versions_.producer = kGraphDefVersion;
}

Node* Graph::Find(absl::string_view name) {
  auto it = by_name_.find(name);
  return it == by_name_.end() ? nullptr : nodes_[it->second].get();
}

const Node* Graph::Find(absl::string_view name) const {
  auto it = by_name_.find(name);
  return it == by_name_.end() ? nullptr : nodes_[it->second].get();
}

StatusOr<const OpDef*> Graph::LookupOp(absl::string_view op) {
  if (const OpDef* found = ops_->Find(op)) return found;
  const FunctionDef* function = library_.Find(op);
  if (function == nullptr) return ops_->Lookup(op);
  const FunctionDef*& called =
      called_by_name_[absl::string_view(function->signature.name)];
  if (called != function) {
    called = function;
    called_functions_.push_back(library_.FindShared(op));
  }
  return &function->signature;
}

Status Graph::MakeCall(Node* node) const {
  const OpDef* const call = ops_->Find(
      node->op->Is(kStateful) ? builtin::kStatefulCall : builtin::kCall);
  if (call == nullptr) return OkStatus();
  NameAttrList function{node->op->name, {}};
  AttrMap attrs;
  for (const auto& [name, value] : node->attrs) {
    AttrMap& of = absl::StartsWith(name, "_") ? attrs : function.attrs;
    of.Set(name, value);
  }
  for (DataType& type : node->input_types) type = RemoveRef(type);
  for (DataType& type : node->output_types) type = RemoveRef(type);
  attrs.Set("Tin", AttrValue::TypeList(node->input_types.begin(),
                                       node->input_types.end()));
  attrs.Set("Tout", AttrValue::TypeList(node->output_types.begin(),
                                        node->output_types.end()));
  attrs.Set("f", std::move(function));
  MR_RETURN_IF_ERROR(CompleteAttrs(*call, &attrs));
  node->op = call;
  node->attrs = std::move(attrs);
  return OkStatus();
}

StatusOr<std::unique_ptr<Node>> Graph::MakeNode(
    absl::string_view name, const OpDef& op, AttrMap attrs,
    absl::string_view device) const {
  auto node = std::make_unique<Node>();
  node->op = &op;
  Status status = CompleteAttrs(*node->op, &attrs);
  if (status.ok()) status = CheckConstant(op, attrs);
  if (!status.ok()) return AtNode(status, name);
  auto inputs = ArgTypes(node->op->inputs, attrs);
  if (!inputs.ok()) return AtNode(inputs.status(), name);
  auto outputs = ArgTypes(node->op->outputs, attrs);
  if (!outputs.ok()) return AtNode(outputs.status(), name);
  node->name = std::string(name);
  node->attrs = std::move(attrs);
  node->requested_device = std::string(device);
  node->input_types = *std::move(inputs);
  node->output_types = *std::move(outputs);
  node->inputs.resize(node->input_types.size());
  if (!called_by_name_.empty() && ops_->Find(op.name) == nullptr) {
    status = MakeCall(node.get());
    if (!status.ok()) return AtNode(status, name);
  }
  return node;
}

StatusOr<Node*> Graph::Insert(std::unique_ptr<Node> node) {
  if (num_outputs_ + node->num_outputs() > kMaxOutputs) {
    return InvalidArgument("Node '", node->name, "' has ", node->num_outputs(),
                           " outputs: more than ", kMaxOutputs, " in all");
  }
  node->id = static_cast<NodeId>(nodes_.size());
  if (!by_name_.try_emplace(absl::string_view(node->name), node->id).second) {
    return InvalidArgument("Node '", node->name, "' is not unique");
  }
  ++num_nodes_;
  num_outputs_ += node->num_outputs();
  nodes_.push_back(std::move(node));
  return nodes_.back().get();
}

StatusOr<Node*> Graph::AddNodeUnconnected(absl::string_view name,
                                          absl::string_view op, AttrMap attrs,
                                          absl::string_view device) {
  if (name.empty())
    return InvalidArgument("Node of op '", op, "' without a name");
  MR_ASSIGN_OR_RETURN(const OpDef* schema, LookupOp(op));
  MR_ASSIGN_OR_RETURN(auto node,
                      MakeNode(name, *schema, std::move(attrs), device));
  return Insert(std::move(node));
}

StatusOr<Node*> Graph::AddNode(absl::string_view name, absl::string_view op,
                               absl::Span<const OutputRef> inputs,
                               AttrMap attrs, absl::string_view device,
                               absl::Span<const NodeId> control_inputs) {
  MR_ASSIGN_OR_RETURN(Node * node,
                      AddNodeUnconnected(name, op, std::move(attrs), device));
  Status status;
  if (inputs.size() != node->input_types.size()) {
    status =
        AtNode(InvalidArgument("NodeDef expected inputs '",
                               TypeNames(node->input_types), "' do not match ",
                               inputs.size(), " inputs specified; ",
                               SummarizeOp(*node->op)),
               name);
  }
  for (size_t i = 0; status.ok() && i < inputs.size(); ++i) {
    status = SetInput(node, static_cast<int32_t>(i), inputs[i]);
  }
  for (NodeId src : control_inputs) {
    if (src < 0 || src >= num_ids() || !nodes_[src]) {
      status.Update(
          InvalidArgument("Node '", name, "': Unknown control input node"));
    }
  }
  if (!status.ok()) {
    RemoveNode(node->id);
    nodes_.pop_back();
    return status;
  }
  for (NodeId src : control_inputs) AddControlEdge(src, node->id);
  return node;
}

Status Graph::SetInput(Node* dst, int32_t dst_port, OutputRef src) {
  if (dst_port < 0 || dst_port >= dst->num_inputs()) {
    return InvalidArgument("Node '", dst->name, "' has no input ", dst_port,
                           "; it has ", dst->num_inputs());
  }
  if (src.node < 0 || src.node >= num_ids() || !nodes_[src.node]) {
    return InvalidArgument("Node '", dst->name,
                           "': Unknown input node for input ", dst_port);
  }
  Node& from = *nodes_[src.node];
  if (src.port < 0 || src.port >= from.num_outputs()) {
    return InvalidArgument("Node '", dst->name,
                           "': Connecting to invalid output ", src.port,
                           " of source node ", from.name, " which has ",
                           from.num_outputs(), " outputs.");
  }
  if (!CanFeed(from.output_types[src.port], dst->input_types[dst_port])) {
    return InvalidArgument(
        "Input ", dst_port, " of node ", dst->name, " was passed ",
        DataTypeName(from.output_types[src.port]), " from ", from.name, ":",
        src.port, " incompatible with expected ",
        DataTypeName(dst->input_types[dst_port]), ".");
  }
  OutputRef& input = dst->inputs[dst_port];
  if (input.node != kNoNode)
    EraseEdge(*nodes_[input.node], {input.port, dst->id, dst_port});
  input = src;
  from.out_edges.push_back({src.port, dst->id, dst_port});
  return OkStatus();
}

void Graph::AddControlEdge(NodeId src, NodeId dst) {
  if (HasControlEdge(*nodes_[src], *nodes_[dst])) return;
  nodes_[dst]->control_inputs.push_back(src);
  nodes_[src]->out_edges.push_back({kControlPort, dst, kControlPort});
}

void Graph::RemoveControlEdge(NodeId src, NodeId dst) {
  if (!HasControlEdge(*nodes_[src], *nodes_[dst])) return;
  EraseFirst(nodes_[dst]->control_inputs, src);
  EraseEdge(*nodes_[src], {kControlPort, dst, kControlPort});
}

void Graph::RemoveNode(NodeId id) { RemoveNodes({&id, 1}); }

void Graph::RemoveNodes(absl::Span<const NodeId> ids) {
  // A source or target of many removed nodes is traversed once, not once per
  // node.
  std::vector<NodeId> sources;
  std::vector<NodeId> control_targets;
  std::vector<std::unique_ptr<Node>> removed;
  for (NodeId id : ids) {
    if (!nodes_[id]) continue;
    by_name_.erase(nodes_[id]->name);
    removed.push_back(std::move(nodes_[id]));
  }
  num_nodes_ -= static_cast<int>(removed.size());
  for (const auto& node : removed) num_outputs_ -= node->num_outputs();
  for (const auto& node : removed) {
    for (const OutputRef& in : node->inputs) {
      if (in.node != kNoNode) sources.push_back(in.node);
    }
    sources.insert(sources.end(), node->control_inputs.begin(),
                   node->control_inputs.end());
    for (const OutEdge& e : node->out_edges) {
      if (!nodes_[e.dst]) continue;
      if (e.dst_port == kControlPort) {
        control_targets.push_back(e.dst);
      } else {
        nodes_[e.dst]->inputs[e.dst_port] = OutputRef();
      }
    }
  }
  auto each_once = [this](std::vector<NodeId>& list, auto change) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    for (NodeId id : list) {
      if (nodes_[id]) change(*nodes_[id]);
    }
  };
  each_once(sources, [this](Node& n) {
    n.out_edges.erase(
        std::remove_if(n.out_edges.begin(), n.out_edges.end(),
                       [this](const OutEdge& e) { return !nodes_[e.dst]; }),
        n.out_edges.end());
  });
  each_once(control_targets, [this](Node& n) {
    n.control_inputs.erase(
        std::remove_if(n.control_inputs.begin(), n.control_inputs.end(),
                       [this](NodeId src) { return !nodes_[src]; }),
        n.control_inputs.end());
  });
}

std::string Graph::UniqueName(absl::string_view base) const {
  if (!by_name_.contains(base)) return std::string(base);
  int& next = name_suffixes_[base];
  std::string name;
  do {
    name = absl::StrCat(base, "_", ++next);
  } while (by_name_.contains(name));
  --next;  // this one is still free
  return name;
}

Graph Graph::Clone() const {
  Graph copy(ops_);
  copy.library_ = library_;
  copy.versions_ = versions_;
  copy.called_functions_ = called_functions_;
  copy.called_by_name_ = called_by_name_;
  copy.num_nodes_ = num_nodes_;
  copy.num_outputs_ = num_outputs_;
  copy.nodes_.reserve(nodes_.size());
  copy.by_name_.reserve(by_name_.size());
  for (const auto& node : nodes_) {
    copy.nodes_.push_back(node ? std::make_unique<Node>(*node) : nullptr);
    if (node) copy.by_name_.emplace(copy.nodes_.back()->name, node->id);
  }
  return copy;
}

}  // namespace millrace
