#include "millrace/client/client_graph.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "millrace/client/control_flow_context.h"
#include "millrace/client/shape_constants.h"
#include "millrace/graph/builtin_ops.h"
#include "millrace/graph/import.h"
#include "millrace/graph/tensor_name.h"

namespace millrace {
namespace {

constexpr char kColocation[] = "_class";

// Adds groups to those in the attributes; the result is sorted and has no
// duplicates.
void MergeColocation(const std::vector<std::string>& groups, AttrMap* attrs) {
  if (groups.empty()) return;
  AttrValue::StringList all = groups;
  if (auto given = GetAttr<AttrValue::StringList>(*attrs, kColocation);
      given.ok()) {
    all.insert(all.end(), given->begin(), given->end());
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  attrs->Set(kColocation, std::move(all));
}

std::string ContextScope(const ClientGraph::NodeSpec& spec) {
  if (!spec.context_scope.empty()) return spec.context_scope;
  if (spec.op != builtin::kConst) return absl::StrCat(spec.name, "/");
  const size_t slash = spec.name.rfind('/');
  return slash == std::string::npos ? "" : spec.name.substr(0, slash + 1);
}

}  // namespace

ClientGraph::ClientGraph(const OpRegistry& ops)
    : ops_(ops), graph_(&ops), refiner_(&graph_, MakeShapeEvaluator(ops)) {}

ClientGraph::~ClientGraph() = default;

std::string ClientGraph::UniqueName(absl::string_view name) {
  MutexLock lock(mu_);
  return names_.Take(name);
}

std::string ClientGraph::FreeName(absl::string_view name) const {
  MutexLock lock(mu_);
  return names_.Free(name);
}

StatusOr<Operation> ClientGraph::AddNode(const NodeSpec& spec) {
  StatusOr<Operation> op = AddNodeOutside(spec);
  if (!op.ok()) return op;
  std::shared_ptr<ControlFlowContext> context;
  bool any = false;
  {
    MutexLock lock(mu_);
    context = context_;
    any = !contexts_.empty();
  }
  if (context == nullptr) {
    for (size_t i = 0; any && i < spec.inputs.size(); ++i)
      MR_RETURN_IF_ERROR(CheckInputContext(*op, spec.inputs[i].op()));
    return op;
  }
  MR_RETURN_IF_ERROR(
      context->AddOp(*op, {.scope = ContextScope(spec),
                           .devices = spec.devices,
                           .device = spec.device,
                           .colocation = spec.colocation,
                           .control_inputs = spec.control_inputs}));
  return op;
}

StatusOr<Operation> ClientGraph::AddNodeOutside(const NodeSpec& spec) {
  MutexLock lock(mu_);
  if (finalized_)
    return FailedPrecondition("Graph is finalized and cannot be modified.");
  Node* node = nullptr;
  MR_RETURN_IF_ERROR(AddNodeLocked(spec, &node));
  Status status = Place(spec, node);
  if (status.ok()) status = refiner_.AddNode(*node);
  if (!status.ok()) {
    graph_.RemoveNode(node->id);
    return status;
  }
  if (node->op->role == OpRole::kCall && node->op->name != spec.op)
    called_by_name_.insert(node->id);
  names_.Mark(node->name);
  return Operation(this, node);
}

Status ClientGraph::AddNodeLocked(const NodeSpec& spec, Node** node) {
  std::vector<OutputRef> inputs;
  inputs.reserve(spec.inputs.size());
  for (const Output& input : spec.inputs) {
    if (input.graph() != this) {
      return InvalidArgument("Tensor ", input.name(),
                             " is not an element of this graph.");
    }
    inputs.push_back(input.ref());
  }
  std::vector<NodeId> control_inputs;
  for (const Operation& op : spec.control_inputs) {
    if (op.graph() != this) {
      return InvalidArgument("Operation ", op.name(),
                             " is not an element of this graph.");
    }
    const NodeId id = op.node()->id;
    const bool is_input =
        std::any_of(inputs.begin(), inputs.end(),
                    [&](const OutputRef& input) { return input.node == id; });
    if (!is_input) control_inputs.push_back(id);
  }
  if (default_control_ && control_inputs.empty() &&
      std::none_of(inputs.begin(), inputs.end(), [&](const OutputRef& input) {
        return input.node >= default_control_since_;
      })) {
    control_inputs.push_back(default_control_.node()->id);
  }
  AttrMap attrs = spec.attrs;
  MergeColocation(spec.colocation, &attrs);
  if (!spec.container.empty()) {
    MR_ASSIGN_OR_RETURN(const OpDef* op, graph_.LookupOp(spec.op));
    const AttrValue* given = attrs.Find("container");
    const bool is_set = given && given->get<std::string>() &&
                        !given->get<std::string>()->empty();
    if (op->Is(kStateful) && op->FindAttr("container") && !is_set) {
      attrs.Set("container", spec.container);
    }
  }
  if (!spec.may_lack_inputs) {
    MR_ASSIGN_OR_RETURN(
        *node, graph_.AddNode(spec.name, spec.op, inputs, std::move(attrs), "",
                              control_inputs));
    return OkStatus();
  }
  MR_ASSIGN_OR_RETURN(
      *node, graph_.AddNodeUnconnected(spec.name, spec.op, std::move(attrs)));
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Status status =
        graph_.SetInput(*node, static_cast<int32_t>(i), inputs[i]);
    if (!status.ok()) {
      graph_.RemoveNode((*node)->id);
      return status;
    }
  }
  for (NodeId id : control_inputs) graph_.AddControlEdge(id, (*node)->id);
  return OkStatus();
}

Status ClientGraph::Place(const NodeSpec& spec, Node* node) {
  MR_ASSIGN_OR_RETURN(node->requested_device,
                      DeviceInBlocks(*node, spec.devices));
  if (!spec.device.empty()) node->requested_device = spec.device;
  return OkStatus();
}

Status ClientGraph::SetInput(const Operation& dst, int port,
                             const Output& src) {
  if (!dst || !src)
    return FailedPrecondition("SetInput: a null operation or output");
  MutexLock lock(mu_);
  return graph_.SetInput(graph_.node(dst.node()->id), port, src.ref());
}

void ClientGraph::AddControlInput(const Operation& dst, const Operation& src) {
  if (!dst || !src) return;
  MutexLock lock(mu_);
  graph_.AddControlEdge(src.node()->id, dst.node()->id);
}

void ClientGraph::RemoveControlInput(const Operation& dst,
                                     const Operation& src) {
  if (!dst || !src) return;
  MutexLock lock(mu_);
  graph_.RemoveControlEdge(src.node()->id, dst.node()->id);
}

void ClientGraph::SetDevice(const Operation& op, std::string device) {
  if (!op) return;
  MutexLock lock(mu_);
  graph_.node(op.node()->id)->requested_device = std::move(device);
}

Status ClientGraph::SetAttr(const Operation& op, absl::string_view name,
                            AttrValue value) {
  if (!op) return FailedPrecondition("SetAttr: a null operation");
  MutexLock lock(mu_);
  Node* node = graph_.node(op.node()->id);
  if (const AttrDef* def = node->op->FindAttr(name)) {
    MR_RETURN_IF_ERROR(CheckAttr(*def, value));
  }
  node->attrs.Set(name, std::move(value));
  return OkStatus();
}

void ClientGraph::ClearAttr(const Operation& op, absl::string_view name) {
  if (!op) return;
  MutexLock lock(mu_);
  Node* node = graph_.node(op.node()->id);
  if (node->op->FindAttr(name) == nullptr) node->attrs.Erase(name);
}

void ClientGraph::RemoveNodes(absl::Span<const NodeId> ids) {
  MutexLock lock(mu_);
  graph_.RemoveNodes(ids);
}

Status ClientGraph::AddFunction(FunctionDef function) {
  MutexLock lock(mu_);
  ++num_functions_;
  return graph_.library().Add(std::move(function));
}

Status ClientGraph::AddFunctions(const FunctionLibraryDef& library) {
  MutexLock lock(mu_);
  ++num_functions_;
  return graph_.library().AddLibrary(library);
}

std::shared_ptr<ControlFlowContext> ClientGraph::control_flow_context() const {
  MutexLock lock(mu_);
  return context_;
}

void ClientGraph::SetControlFlowContext(
    std::shared_ptr<ControlFlowContext> context) {
  MutexLock lock(mu_);
  context_ = std::move(context);
}

std::shared_ptr<ControlFlowContext> ClientGraph::ContextOf(
    const Operation& op) const {
  if (!op) return nullptr;
  MutexLock lock(mu_);
  const auto found = contexts_.find(op.node()->id);
  return found == contexts_.end() ? nullptr : found->second;
}

void ClientGraph::SetContextOf(const Operation& op,
                               std::shared_ptr<ControlFlowContext> context) {
  if (!op) return;
  MutexLock lock(mu_);
  contexts_[op.node()->id] = std::move(context);
}

bool ClientGraph::allows_foreign_inputs() const {
  MutexLock lock(mu_);
  return allows_foreign_inputs_;
}

void ClientGraph::AllowForeignInputs(bool allow) {
  MutexLock lock(mu_);
  allows_foreign_inputs_ = allow;
}

Operation ClientGraph::SetDefaultControlInput(const Operation& op) {
  MutexLock lock(mu_);
  default_control_since_ = graph_.num_ids();
  return std::exchange(default_control_, op);
}

void ClientGraph::PreventFetching(const Operation& op) {
  MutexLock lock(mu_);
  unfetchable_.insert(op.node()->id);
}

void ClientGraph::PreventFeeding(const Output& output) {
  MutexLock lock(mu_);
  unfeedable_.insert(output.ref());
}

bool ClientGraph::IsFetchable(const Operation& op) const {
  MutexLock lock(mu_);
  return !unfetchable_.contains(op.node()->id);
}

bool ClientGraph::IsFeedable(const Output& output) const {
  MutexLock lock(mu_);
  return !unfeedable_.contains(output.ref());
}

void ClientGraph::KeepInside(const Operation& op) {
  MutexLock lock(mu_);
  const NodeId id = op.node()->id;
  unfetchable_.insert(id);
  for (int32_t port = 0; port < op.num_outputs(); ++port)
    unfeedable_.insert({id, port});
}

StatusOr<const OpDef*> ClientGraph::FindOp(absl::string_view op) {
  MutexLock lock(mu_);
  return graph_.LookupOp(op);
}

Operation ClientGraph::Find(absl::string_view name) const {
  MutexLock lock(mu_);
  const Node* node = graph_.Find(name);
  return node ? Operation(const_cast<ClientGraph*>(this), node) : Operation();
}

StatusOr<Output> ClientGraph::FindOutput(absl::string_view name) const {
  MR_ASSIGN_OR_RETURN(const TensorName tensor, ParseTensorName(name));
  const Operation op = Find(tensor.node);
  if (!op) {
    return NotFound(
        "The name '", name,
        "' refers to a Tensor which does not exist. The operation, '",
        tensor.node, "', does not exist in the graph.");
  }
  if (!op.output(tensor.port)) {
    return NotFound(
        "The name '", name,
        "' refers to a Tensor which does not exist. The operation, '",
        tensor.node, "', exists but only has ", op.num_outputs(), " outputs.");
  }
  return op.output(tensor.port);
}

PartialShape ClientGraph::Shape(const Output& output) const {
  MutexLock lock(mu_);
  return refiner_.shape(output.ref());
}

Status ClientGraph::MergeShape(const Output& output,
                               const PartialShape& shape) {
  MutexLock lock(mu_);
  return refiner_.MergeShape(output.ref(), shape);
}

Status ClientGraph::ReplaceShape(const Output& output,
                                 const PartialShape& shape) {
  MutexLock lock(mu_);
  return refiner_.ReplaceShape(output.ref(), shape);
}

std::optional<Tensor> ClientGraph::Value(const Output& output) {
  MutexLock lock(mu_);
  const Tensor* value = refiner_.ConstantValue(output.ref());
  return value ? std::optional<Tensor>(*value) : std::nullopt;
}

std::vector<HandleShape> ClientGraph::Handles(const Output& output) const {
  MutexLock lock(mu_);
  return refiner_.handles(output.ref());
}

DataType ClientGraph::VariableType(const Output& handle) const {
  if (handle.dtype() != DataType::kResource) return DataType::kInvalid;
  const std::vector<HandleShape> handles = Handles(handle);
  return handles.size() == 1 ? handles[0].dtype : DataType::kInvalid;
}

void ClientGraph::Read(absl::FunctionRef<void(const Graph&)> f) const {
  MutexLock lock(mu_);
  f(graph_);
}

Status ClientGraph::status() const {
  MutexLock lock(mu_);
  return status_;
}

void ClientGraph::Fail(const Status& status, absl::string_view node) {
  MutexLock lock(mu_);
  if (status.ok() || !status_.ok()) return;
  const std::string mark = absl::StrCat("{{node ", node, "}}");
  status_ = node.empty() || absl::StrContains(status.message(), mark)
                ? status
                : Annotate(status, absl::StrCat("\n\t [[", mark, "]]"));
}

void ClientGraph::ClearStatus() {
  MutexLock lock(mu_);
  status_ = OkStatus();
}

void ClientGraph::Finalize() {
  MutexLock lock(mu_);
  finalized_ = true;
}

GraphMark ClientGraph::End() const {
  MutexLock lock(mu_);
  return {graph_.num_ids(), num_functions_};
}

GraphDef ClientGraph::Export(const GraphMark& from, const GraphMark& to) const {
  MutexLock lock(mu_);
  GraphDef def;
  def.versions = graph_.versions();
  for (NodeId id = from.nodes; id < to.nodes; ++id) {
    const Node* node = graph_.node(id);
    if (node == nullptr) continue;
    def.nodes.push_back(ExportNode(graph_, *node));
    if (called_by_name_.contains(id)) NameCall(&def.nodes.back());
  }
  // Functions that the receiver has already are equal to its own.
  if (from.functions != to.functions) def.library = graph_.library().ToDef();
  return def;
}

bool ClientGraph::IsCalledByName(const Operation& op) const {
  MutexLock lock(mu_);
  return called_by_name_.contains(op.node()->id);
}

std::string ClientGraph::TypeOf(const Operation& op) const {
  if (op.node()->op->role != OpRole::kCall || !IsCalledByName(op))
    return op.type();
  const auto function = op.Attr<AttrValue::Func>("f");
  return function.ok() && *function ? (*function)->name : op.type();
}

int64_t ClientGraph::num_nodes() const {
  MutexLock lock(mu_);
  return graph_.num_nodes();
}

void ClientGraph::AddToCollection(absl::string_view name, std::any value) {
  MutexLock lock(mu_);
  collections_[name].push_back(std::move(value));
}

std::vector<std::any> ClientGraph::CollectionValues(
    absl::string_view name) const {
  MutexLock lock(mu_);
  const auto found = collections_.find(name);
  return found == collections_.end() ? std::vector<std::any>() : found->second;
}

std::vector<std::string> ClientGraph::CollectionNames() const {
  MutexLock lock(mu_);
  std::vector<std::string> names;
  for (const auto& [name, values] : collections_) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

void ClientGraph::SetRandomSeed(int64_t seed) {
  MutexLock lock(mu_);
  seed_ = seed;
}

std::optional<int64_t> ClientGraph::random_seed() const {
  MutexLock lock(mu_);
  return seed_;
}

void NameCall(NodeDef* node) {
  const auto function = GetAttr<AttrValue::Func>(node->attrs, "f");
  if (!function.ok() || *function == nullptr) return;
  AttrMap attrs = (*function)->attrs;
  for (const auto& [name, value] : node->attrs) {
    if (absl::StartsWith(name, "_")) attrs.Set(name, value);
  }
  node->op = (*function)->name;
  node->attrs = std::move(attrs);
}

}  // namespace millrace
