#include "millrace/ops/control_flow/function_gradient.grad.h"

#include <algorithm>
#include <utility>

#include "millrace/graph/function/function_body.h"
#include "millrace/graph/import.h"
#include "millrace/ops/control_flow/function_writer.grad.h"

namespace millrace::ops {
namespace {

// Keys in the collections of a graph that holds a function's body: the
// functions whose gradients are being built, from the outermost on, what is
// known of this one, and the prefix of new functions' names.
constexpr char kUnderway[] = "functions whose gradients are built";
constexpr char kSurroundings[] = "surroundings of the function";
constexpr char kPrefix[] = "prefix of functions";

bool IsDifferentiableType(DataType type) {
  return IsFloating(type) || IsComplex(type) || type == DataType::kVariant;
}

// Sets the attributes that tell the body what is known of a handle, which
// TensorFlow keeps in attributes of arguments.
void SetHandles(const std::vector<HandleShape>& handles, AttrMap* attrs) {
  if (handles.empty()) return;
  AttrValue::TypeList types;
  AttrValue::ShapeList shapes;
  for (const HandleShape& handle : handles) {
    types.push_back(handle.dtype);
    shapes.push_back(handle.shape);
  }
  attrs->Set("_handle_dtypes", std::move(types));
  attrs->Set("_handle_shapes", std::move(shapes));
}

}  // namespace

bool CarriesGradient(DataType type) {
  return IsDifferentiableType(type) || type == DataType::kResource;
}

CallSurroundings SurroundingsOf(const ClientGraph& graph) {
  auto all = graph.Collection<CallSurroundings>(kSurroundings);
  return all.empty() ? CallSurroundings() : std::move(all.front());
}

std::string NameOfNewFunction(ClientGraph& graph, absl::string_view base) {
  const auto prefix = graph.Collection<std::string>(kPrefix);
  return absl::StrCat(prefix.empty() ? "" : prefix.front(),
                      graph.UniqueName(base));
}

FunctionGradient::FunctionGradient(const GradContext& g, GradientOfCall call)
    : g_(g), call_(std::move(call)) {}

Status FunctionGradient::Build() {
  MR_RETURN_IF_ERROR(FindFunction());
  MR_RETURN_IF_ERROR(ImportBody());
  return Differentiate();
}

Status FunctionGradient::FindFunction() {
  const std::string& name = call_.function.name;
  underway_ = g_.scope().graph().Collection<std::string>(kUnderway);
  if (std::find(underway_.begin(), underway_.end(), name) != underway_.end()) {
    return Unimplemented("No gradient of function '", name,
                         "', which calls itself");
  }
  underway_.push_back(name);
  name_ =
      NameOfNewFunction(g_.scope().graph(), absl::StrCat("__gradient_", name));
  return OkStatus();
}

// Returns the surroundings of the body, derived from those of the caller.
CallSurroundings FunctionGradient::Surroundings() const {
  ClientGraph& outer = g_.scope().graph();
  const CallSurroundings around = SurroundingsOf(outer);
  CallSurroundings inside;
  inside.changes = around.changes;
  outer.Read([&](const Graph& graph) {
    for (const Output& input : call_.inputs)
      inside.args.push_back(OriginAround(graph, input.ref(), around));
  });
  return inside;
}

// Imports the body as a graph of its own.
Status FunctionGradient::ImportBody() {
  ClientGraph& outer = g_.scope().graph();
  StatusOr<Graph> body = Internal("");
  FunctionLibraryDef library;
  outer.Read([&](const Graph& graph) {
    library = graph.library().ToDef();
    body = InstantiateFunction(graph.ops(), graph.library(), call_.function);
  });
  MR_RETURN_IF_ERROR(body.status());
  body_ = *std::move(body);
  effects_.emplace(&*body_, Surroundings());
  for (NodeId id = 0; id < body_->num_ids(); ++id) {
    if (const Node* node = body_->node(id)) effects_->Runs(*node);
  }
  inner_ = std::make_unique<Scope>(Scope::NewRoot(outer.ops()));
  ClientGraph& graph = inner_->graph();
  for (const std::string& name : underway_)
    graph.AddToCollection(kUnderway, name);
  graph.AddToCollection(kSurroundings, effects_->surroundings());
  graph.AddToCollection(kPrefix, absl::StrCat(name_, "_"));
  graph.AddToCollection(kSourceOfCall, g_.source());
  MR_RETURN_IF_ERROR(graph.AddFunctions(library));
  GraphDef def = ExportGraphDef(*body_);
  def.library = {};
  for (NodeDef& node : def.nodes) {
    if (node.op != "_Arg") continue;
    MR_ASSIGN_OR_RETURN(const int64_t index,
                        GetAttr<int64_t>(node.attrs, "index"));
    if (index >= static_cast<int64_t>(call_.inputs.size())) continue;
    const Output& input = call_.inputs[static_cast<size_t>(index)];
    if (call_.is_loop && input.dtype() != DataType::kResource) continue;
    SetHandles(outer.Handles(input), &node.attrs);
  }
  MR_RETURN_IF_ERROR(graph.Import(def));
  return FindArgs(def);
}

Status FunctionGradient::FindArgs(const GraphDef& def) {
  args_.resize(call_.inputs.size());
  results_.resize(call_.dy_types.size());
  const auto other_number = [this] {
    return InvalidArgument("function '", call_.function.name,
                           "' has another number of arguments or results than "
                           "its call '",
                           g_.op().name(), "'");
  };
  for (const NodeDef& node : def.nodes) {
    const bool is_arg = node.op == "_Arg";
    if (!is_arg && node.op != "_Retval") continue;
    const Operation op = inner_->graph().Find(node.name);
    MR_ASSIGN_OR_RETURN(const int64_t index, op.Attr<int64_t>("index"));
    auto& list = is_arg ? args_ : results_;
    if (index < 0 || index >= static_cast<int64_t>(list.size()))
      return other_number();
    list[static_cast<size_t>(index)] = is_arg ? op.output(0) : op.input(0);
  }
  for (const auto* list : {&args_, &results_}) {
    for (const Output& output : *list) {
      if (!output) return other_number();
    }
  }
  return OkStatus();
}

// Adds an _Arg for the gradient of each result that has one, and
// differentiates.
Status FunctionGradient::Differentiate() {
  std::vector<Output> ys;
  GradientsOptions options;
  for (size_t i = 0; i < results_.size(); ++i) {
    const DataType type = call_.dy_types[i];
    if (type == DataType::kInvalid || !CarriesGradient(results_[i].dtype()))
      continue;
    args_.push_back(
        FunctionArg(*inner_, type, static_cast<int64_t>(args_.size())));
    ys.push_back(results_[i]);
    options.grad_ys.emplace_back(args_.back());
  }
  std::vector<Output> xs;
  std::vector<size_t> inputs;
  for (size_t i = 0; i < call_.inputs.size(); ++i) {
    if (!call_.wanted[i] || !CarriesGradient(args_[i].dtype())) continue;
    xs.push_back(args_[i]);
    inputs.push_back(i);
  }
  MR_RETURN_IF_ERROR(inner_->status());
  const std::vector<Gradient> dxs = Gradients(*inner_, ys, xs, options);
  MR_RETURN_IF_ERROR(inner_->status());
  dxs_.resize(call_.inputs.size());
  for (size_t k = 0; k < dxs.size(); ++k) dxs_[inputs[k]] = dxs[k];
  return OkStatus();
}

StatusOr<NameAttrList> FunctionGradient::Write(
    const std::vector<Output>& results) {
  const auto check = [this](const Node& node) -> Status {
    // Nodes of the gradient run only once.
    const Node* forward = body_->Find(node.name);
    if (forward == nullptr) return OkStatus();
    const Status again = effects_->MayRunAgain(*forward);
    if (again.ok()) return again;
    return Unimplemented(
        "No gradient of function '", call_.function.name, "': it needs what '",
        node.name, "' (op type: ", node.op->name,
        ") gave, which would run once more: ", again.message());
  };
  MR_ASSIGN_OR_RETURN(FunctionDef function,
                      WriteFunction(*inner_, name_, args_, results, check));
  is_stateful_ = function.signature.Is(kStateful);
  uses_.assign(args_.size(), false);
  for (size_t i = 0; i < args_.size(); ++i) {
    const std::string& name = function.signature.inputs[i].name;
    const auto uses = [&name](const std::string& input) {
      return input == name;
    };
    for (const NodeDef& node : function.nodes) {
      uses_[i] =
          uses_[i] || std::any_of(node.inputs.begin(), node.inputs.end(), uses);
    }
    for (const auto& [result, from] : function.ret)
      uses_[i] = uses_[i] || uses(from);
  }
  return AddFunctionTo(g_.scope().graph(), *inner_, std::move(function));
}

}  // namespace millrace::ops
