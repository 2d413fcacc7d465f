// Gradients of calls: a call of a function that computes what the called one
// does, as far as it needs that, and goes back through it.
#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "millrace/client/grad_context.h"
#include "millrace/client/gradients.h"
#include "millrace/client/op_builder.h"
#include "millrace/graph/function_body.h"
#include "millrace/graph/import.h"

namespace millrace::ops {
namespace {

// In the collection of a graph that holds a function's body: the functions
// whose gradients are being built, from the outermost on.
constexpr char kUnderway[] = "functions whose gradients are built";

bool IsDifferentiableType(DataType type) {
  return IsFloating(type) || IsComplex(type);
}

// Ops with state that may run once more for the gradient: they only read, or
// what they make belongs to the call.
bool MayRunAgain(const OpDef& op) {
  return !op.is_stateful || op.name == "_Arg" || op.name == "VarHandleOp" ||
         op.name == "VariableV2" || op.name == "ReadVariableOp" ||
         op.name == "ResourceGather" || op.name == "ResourceGatherNd" ||
         op.name == "VariableShape" || op.name == "Placeholder" ||
         op.name == "StatefulPartitionedCall" ||
         absl::StartsWith(op.name, "TensorArray") ||
         absl::StartsWith(op.name, "Stack");
}

// Where the gradient of one input is among the outputs of the call.
struct Place {
  int port = -1;           // none
  bool is_slices = false;  // values, indices and maybe a shape
  bool has_shape = false;
};

// Lives for one call.
class GradientFunction {
 public:
  explicit GradientFunction(GradContext& g) : g_(g) {}

  Status Build() {
    MR_RETURN_IF_ERROR(FindFunction());
    MR_RETURN_IF_ERROR(ImportBody());
    MR_RETURN_IF_ERROR(Differentiate());
    MR_RETURN_IF_ERROR(Write());
    return Call();
  }

 private:
  Status FindFunction() {
    const Operation& op = g_.op();
    const auto f = op.Attr<AttrValue::Func>("f");
    called_ = f.ok() ? **f : NameAttrList{op.type(), op.node()->attrs};
    underway_ = g_.scope().graph().Collection<std::string>(kUnderway);
    if (std::find(underway_.begin(), underway_.end(), called_.name) !=
        underway_.end()) {
      return Unimplemented("No gradient of function '", called_.name,
                           "', which calls itself");
    }
    underway_.push_back(called_.name);
    return OkStatus();
  }

  // The body as a graph of its own, with an _Arg more for each gradient.
  Status ImportBody() {
    ClientGraph& outer = g_.scope().graph();
    StatusOr<Graph> body = Internal("");
    FunctionLibraryDef library;
    outer.Read([&](const Graph& graph) {
      library = graph.library().ToDef();
      body = InstantiateFunction(graph.ops(), graph.library(), called_);
    });
    MR_RETURN_IF_ERROR(body.status());
    inner_ = std::make_unique<Scope>(Scope::NewRoot(outer.ops()));
    ClientGraph& graph = inner_->graph();
    for (const std::string& name : underway_)
      graph.AddToCollection(kUnderway, name);
    MR_RETURN_IF_ERROR(graph.AddFunctions(library));
    GraphDef def = ExportGraphDef(*body);
    def.library = {};
    MR_RETURN_IF_ERROR(graph.Import(def));
    args_.resize(static_cast<size_t>(g_.num_inputs()));
    results_.resize(static_cast<size_t>(g_.num_outputs()));
    for (const NodeDef& node : def.nodes) {
      const bool is_arg = node.op == "_Arg";
      if (!is_arg && node.op != "_Retval") continue;
      const Operation op = graph.Find(node.name);
      MR_ASSIGN(const int64_t index, op.Attr<int64_t>("index"));
      auto& list = is_arg ? args_ : results_;
      if (index < 0 || index >= static_cast<int64_t>(list.size())) {
        return InvalidArgument("function '", called_.name,
                               "' has another number of arguments or results "
                               "than its call '",
                               g_.op().name(), "'");
      }
      list[static_cast<size_t>(index)] = is_arg ? op.output(0) : op.input(0);
    }
    return OkStatus();
  }

  Status Differentiate() {
    std::vector<Output> ys;
    GradientOptions options;
    for (int i = 0; i < g_.num_outputs(); ++i) {
      const Output& y = results_[static_cast<size_t>(i)];
      if (!g_.has_dy(i) || !y || !IsDifferentiableType(y.dtype())) continue;
      dys_.push_back(g_.dy(i));
      OpBuilder arg(inner_->WithOpName("dy"), "_Arg");
      arg.Attr("T", y.dtype());
      arg.Attr("index", static_cast<int64_t>(args_.size()));
      arg.Finish();
      args_.push_back(arg.Out(0));
      ys.push_back(y);
      options.grad_ys.emplace_back(args_.back());
    }
    std::vector<Output> xs;
    std::vector<int> inputs;
    for (int i = 0; i < g_.num_inputs(); ++i) {
      const Output& x = args_[static_cast<size_t>(i)];
      if (!x || (!IsDifferentiableType(x.dtype()) &&
                 x.dtype() != DataType::kResource)) {
        continue;
      }
      xs.push_back(x);
      inputs.push_back(i);
    }
    MR_ASSIGN(const std::vector<Gradient> dxs,
              Gradients(*inner_, ys, xs, options));
    places_.resize(static_cast<size_t>(g_.num_inputs()));
    for (size_t k = 0; k < dxs.size(); ++k) {
      if (!dxs[k]) continue;
      Place& place = places_[static_cast<size_t>(inputs[k])];
      place.port = static_cast<int>(outputs_.size());
      place.is_slices = dxs[k].is_slices();
      if (!place.is_slices) {
        outputs_.push_back(dxs[k].tensor);
        continue;
      }
      const IndexedSlices& rows = dxs[k].slices;
      outputs_.push_back(rows.values);
      outputs_.push_back(rows.indices);
      place.has_shape = static_cast<bool>(rows.dense_shape);
      if (place.has_shape) outputs_.push_back(rows.dense_shape);
    }
    return inner_->status();
  }

  // What the outputs need, as a function.
  Status Write() {
    Status status;
    inner_->graph().Read(
        [&](const Graph& graph) { status = WriteNodes(graph); });
    MR_RETURN_IF_ERROR(status);
    ClientGraph& outer = g_.scope().graph();
    // Gradients of what the body calls.
    FunctionLibraryDef library;
    inner_->graph().Read(
        [&](const Graph& graph) { library = graph.library().ToDef(); });
    MR_RETURN_IF_ERROR(outer.AddFunctions(library));
    outer.Read([&](const Graph& graph) {
      const std::string base = absl::StrCat("__gradient_", called_.name);
      std::string& name = function_.signature.name;
      name = base;
      for (int i = 1; graph.library().Find(name) != nullptr; ++i)
        name = absl::StrCat(base, "_", i);
    });
    function_.signature.is_stateful = is_stateful_;
    return outer.AddFunction(function_);
  }

  static std::string ArgName(int64_t index) {
    return absl::StrCat("arg_", index);
  }

  // "node:argument:index", or the name of an argument of the function.
  static StatusOr<std::string> NameOf(const Graph& graph, OutputRef output) {
    const Node& node = *graph.node(output.node);
    if (node.IsOp("_Arg")) {
      MR_ASSIGN(const int64_t index, GetAttr<int64_t>(node.attrs, "index"));
      return ArgName(index);
    }
    for (const ArgDef& arg : node.op->outputs) {
      MR_ASSIGN(const auto range,
                FindArgRange(node.op->outputs, node.attrs, arg.name));
      if (output.port >= range.begin && output.port < range.end) {
        return absl::StrCat(node.name, ":", arg.name, ":",
                            output.port - range.begin);
      }
    }
    return Internal("{{node ", node.name, "}} has no output ", output.port);
  }

  Status WriteNodes(const Graph& graph) {
    for (size_t i = 0; i < args_.size(); ++i) {
      ArgDef arg;
      arg.name = ArgName(static_cast<int64_t>(i));
      arg.type = i < static_cast<size_t>(g_.num_inputs())
                     ? g_.in(static_cast<int>(i)).dtype()
                     : args_[i].dtype();
      function_.signature.inputs.push_back(std::move(arg));
    }
    for (size_t i = 0; i < outputs_.size(); ++i) {
      ArgDef result;
      result.name = absl::StrCat("result_", i);
      result.type = outputs_[i].dtype();
      MR_ASSIGN(std::string name, NameOf(graph, outputs_[i].ref()));
      function_.ret.emplace_back(result.name, std::move(name));
      function_.signature.outputs.push_back(std::move(result));
    }
    for (NodeId id : Needed(graph)) {
      const Node& node = *graph.node(id);
      if (node.IsOp("_Arg")) continue;
      if (!MayRunAgain(*node.op)) {
        return Unimplemented("No gradient of function '", called_.name,
                             "': it needs what '", node.name,
                             "' (op type: ", node.op->name,
                             ") gave, which would run once more");
      }
      is_stateful_ = is_stateful_ || node.op->is_stateful;
      NodeDef def;
      def.name = node.name;
      def.op = node.op->name;
      def.device = node.requested_device;
      def.attrs = node.attrs;
      for (const OutputRef& in : node.inputs) {
        MR_ASSIGN(std::string name, NameOf(graph, in));
        def.inputs.push_back(std::move(name));
      }
      for (NodeId control : node.control_inputs) {
        const Node& from = *graph.node(control);
        if (!from.IsOp("_Arg"))
          def.inputs.push_back(absl::StrCat("^", from.name));
      }
      function_.nodes.push_back(std::move(def));
    }
    return OkStatus();
  }

  // What the outputs depend on, in the order of the graph.
  std::vector<NodeId> Needed(const Graph& graph) const {
    std::vector<bool> needed(static_cast<size_t>(graph.num_ids()));
    std::vector<NodeId> queue;
    const auto need = [&](NodeId id) {
      if (id == kNoNode || needed[static_cast<size_t>(id)]) return;
      needed[static_cast<size_t>(id)] = true;
      queue.push_back(id);
    };
    for (const Output& output : outputs_) need(output.ref().node);
    while (!queue.empty()) {
      const Node& node = *graph.node(queue.back());
      queue.pop_back();
      for (const OutputRef& in : node.inputs) need(in.node);
      for (NodeId control : node.control_inputs) need(control);
    }
    std::vector<NodeId> ids;
    for (NodeId id = 0; id < graph.num_ids(); ++id) {
      if (needed[static_cast<size_t>(id)]) ids.push_back(id);
    }
    return ids;
  }

  Status Call() {
    if (outputs_.empty()) return OkStatus();
    std::vector<Input> inputs;
    for (int i = 0; i < g_.num_inputs(); ++i) inputs.emplace_back(g_.in(i));
    for (const Output& dy : dys_) inputs.emplace_back(dy);
    NameAttrList f;
    f.name = function_.signature.name;
    std::vector<DataType> types;
    for (const Output& output : outputs_) types.push_back(output.dtype());
    OpBuilder call(
        g_, is_stateful_ ? "StatefulPartitionedCall" : "PartitionedCall");
    call.In(InputList(inputs)).Attr("f", f).Attr("Tout", types);
    for (const char* name : {"config", "config_proto", "executor_type"}) {
      if (const auto value = g_.op().Attr<std::string>(name); value.ok())
        call.Attr(name, *value);
    }
    call.Finish();
    const std::vector<Output> results = call.OutList(0);
    MR_RETURN_IF_ERROR(g_.scope().status());
    for (int i = 0; i < g_.num_inputs(); ++i) {
      const Place& place = places_[static_cast<size_t>(i)];
      if (place.port < 0) continue;
      const auto at = static_cast<size_t>(place.port);
      if (!place.is_slices) {
        g_.Set(i, results[at]);
      } else {
        g_.Set(i, IndexedSlices{results[at], results[at + 1],
                                place.has_shape ? results[at + 2] : Output()});
      }
    }
    return OkStatus();
  }

  GradContext& g_;
  NameAttrList called_;
  std::vector<std::string> underway_;
  std::unique_ptr<Scope> inner_;
  std::vector<Output> args_, results_;  // of the body
  std::vector<Output> dys_;             // around the call
  std::vector<Output> outputs_;         // of the gradient function
  std::vector<Place> places_;           // by input
  FunctionDef function_;
  bool is_stateful_ = false;
};

}  // namespace
}  // namespace millrace::ops

using namespace millrace;       // NOLINT: a file of declarations
using namespace millrace::ops;  // NOLINT

MR_GRADIENT(PartitionedCall)(GradContext& g) {
  g.Fail(GradientFunction(g).Build());
}
MR_GRADIENT(StatefulPartitionedCall)(GradContext& g) {
  g.Fail(GradientFunction(g).Build());
}
