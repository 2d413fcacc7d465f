// Kernels that convert data sets to graphs and back.
#include "millrace/ops/data/dataset_graph.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "millrace/graph/builtin_ops.h"
#include "millrace/graph/graph.h"
#include "millrace/graph/graph_proto.h"
#include "millrace/graph/op_registry.h"
#include "millrace/graph/tensor_name.h"
#include "millrace/kernel/function_runner.h"
#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {
namespace {

// Calls f(function) for each function that the attributes name.
void ForFunctions(const AttrMap& attrs,
                  absl::FunctionRef<void(const NameAttrList&)> f) {
  for (const auto& [name, value] : attrs) {
    const auto* const one = value.get<AttrValue::Func>();
    if (one != nullptr && *one != nullptr) f(**one);
    const auto* const list = value.get<AttrValue::FuncList>();
    if (list == nullptr) continue;
    for (const AttrValue::Func& each : *list) {
      if (each != nullptr) f(*each);
    }
  }
}

// Returns about how many bytes the encoded tensor has.
int64_t EncodedBytes(const Tensor& t) {
  if (t.dtype() != DataType::kString) {
    return static_cast<int64_t>(t.size_bytes());
  }
  int64_t bytes = 0;
  for (const StringElement& s : t.flat<StringElement>()) {
    bytes += static_cast<int64_t>(s.size()) + 4;
  }
  return bytes;
}

// Writes data sets as nodes of a graph.
class GraphWriter {
 public:
  explicit GraphWriter(bool allows_state) : allows_state_(allows_state) {}

  // Writes the data set and all below it, each once. Recurses over data sets,
  // whose depth is bounded.
  StatusOr<std::string> Write(const DatasetValue& dataset) {
    const auto known = names_.find(&dataset);
    if (known != names_.end()) return known->second;
    const DatasetOrigin* const origin = dataset.origin();
    if (origin == nullptr) {
      return Unimplemented("a data set of ", dataset.op(),
                           " cannot be written as a graph");
    }
    NodeDef node;
    node.op = dataset.op();
    for (const Tensor& t : origin->inputs) {
      MR_ASSIGN_OR_RETURN(std::string input, WriteInput(dataset, t));
      node.inputs.push_back(std::move(input));
    }
    for (const auto& [name, value] : origin->attrs) {
      if (!absl::StartsWith(name, "_")) node.attrs.Set(name, value);
    }
    if (origin->functions != nullptr) {
      MR_RETURN_IF_ERROR(WriteFunctions(node.attrs, *origin->functions));
    }
    MR_ASSIGN_OR_RETURN(std::string name, Add(std::move(node), 0));
    return names_[&dataset] = std::move(name);
  }

  ChargedGraph Finish(const std::string& dataset) {
    graph_.nodes.push_back({"dataset",
                            builtin::kRetval,
                            {dataset},
                            "",
                            {{"T", DataType::kVariant}, {"index", 0}}});
    graph_.versions.producer = kGraphDefVersion;
    return std::move(result_);
  }

 private:
  // Adds a node whose tensors have so many bytes.
  StatusOr<std::string> Add(NodeDef node, int64_t tensor_bytes) {
    constexpr int64_t kBytesPerNode = 512;
    int64_t bytes = kBytesPerNode + tensor_bytes;
    for (const std::string& input : node.inputs) {
      bytes += static_cast<int64_t>(sizeof(input) + input.size());
    }
    MR_RETURN_IF_ERROR(result_.charge.Add(bytes));
    node.name = absl::StrCat(node.op, "/_", graph_.nodes.size());
    graph_.nodes.push_back(std::move(node));
    return graph_.nodes.back().name;
  }

  StatusOr<std::string> WriteInput(const DatasetValue& of, const Tensor& t) {
    if (t.valid() && t.dtype() != DataType::kVariant) {
      NodeDef node;
      node.op = builtin::kConst;
      node.attrs.Set("dtype", t.dtype());
      node.attrs.Set("value", t);
      return Add(std::move(node), EncodedBytes(t));
    }
    StatusOr<DatasetRef> dataset = Internal("not a data set");
    if (t.valid()) dataset = DatasetOfTensor(t);
    if (dataset.ok()) return Write(**dataset);
    if (!t.valid() && !allows_state_) {
      return FailedPrecondition(
          "Failed to serialize the input pipeline graph: ", of.op(),
          " has a resource as an input.");
    }
    return Unimplemented("a data set of ", of.op(), " has an input of type ",
                         t.valid() ? "variant" : "resource",
                         " that a graph cannot hold");
  }

  // Writes the functions that the attributes name, and those that these call.
  Status WriteFunctions(const AttrMap& attrs, const FunctionSource& source) {
    std::vector<const FunctionDef*> queue;
    const auto add = [&](absl::string_view name) {
      const FunctionDef* const found = source.library().Find(name);
      if (found == nullptr || !written_.insert(found->signature.name).second) {
        return;
      }
      graph_.library.functions.push_back(*found);
      queue.push_back(found);
    };
    const auto add_named = [&](const NameAttrList& function) {
      add(function.name);
    };
    ForFunctions(attrs, add_named);
    while (!queue.empty()) {
      const FunctionDef& function = *queue.back();
      queue.pop_back();
      for (const NodeDef& node : function.nodes) {
        MR_RETURN_IF_ERROR(CheckState(node, source.ops()));
        add(node.op);  // a function may be called by its name
        ForFunctions(node.attrs, add_named);
      }
    }
    return OkStatus();
  }

  // Of calls only what they call counts, and checks do not, nor data sets but
  // those of random numbers.
  static bool IsPlainDataset(const OpDef& op) {
    return op.outputs.size() == 1 && op.outputs[0].type == DataType::kVariant &&
           !absl::StrContains(op.name, "Random");
  }
  Status CheckState(const NodeDef& node, const OpRegistry& ops) const {
    const OpDef* const op = ops.Find(node.op);
    if (allows_state_ || op == nullptr || !op->Is(kStateful) ||
        op->Is(kChecks) || op->Is(kBranches) || op->Is(kLoops) ||
        op->role == OpRole::kCall || IsPlainDataset(*op)) {
      return OkStatus();
    }
    return FailedPrecondition("Failed to serialize the input pipeline graph: ",
                              node.op, " is stateful.");
  }

  const bool allows_state_;
  ChargedGraph result_;
  GraphDef& graph_ = result_.def;
  absl::flat_hash_map<const DatasetValue*, std::string> names_;
  absl::flat_hash_set<std::string> written_;  // functions
};

class ToGraphKernel {
 public:
  static StatusOr<ToGraphKernel> Make(const KernelInit& init) {
    ToGraphKernel k;
    MR_ASSIGN_OR_RETURN(k.allows_state_, init.Attr<bool>("allow_stateful"));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(const DatasetRef dataset, DatasetOfInput(ctx, 0));
    MR_ASSIGN_OR_RETURN(const ChargedGraph graph,
                        GraphOfDataset(*dataset, allows_state_));
    ctx.set_output(0,
                   Tensor::Scalar<std::string>(SerializeGraphDef(graph.def)));
    return OkStatus();
  }

 private:
  bool allows_state_ = false;
};

// A graph as a function without arguments.
class BodyOfGraph {
 public:
  BodyOfGraph(const GraphDef& graph, const OpRegistry& ops,
              const FunctionLibrary& library)
      : graph_(graph), ops_(ops), library_(library) {
    for (const NodeDef& node : graph.nodes) nodes_.emplace(node.name, &node);
  }

  // Returns a function of this name that gives `fetch`, a variant.
  StatusOr<FunctionDef> Make(std::string name, absl::string_view fetch) const {
    FunctionDef function;
    function.signature.name = std::move(name);
    function.signature.outputs = {
        {.name = "handle", .type = DataType::kVariant}};
    for (const NodeDef& node : graph_.nodes) {
      if (node.op == builtin::kRetval) continue;
      NodeDef copy = node;
      copy.device.clear();  // all of it runs here
      for (std::string& input : copy.inputs) {
        if (absl::StartsWith(input, "^")) continue;
        MR_ASSIGN_OR_RETURN(input, InBody(input));
      }
      function.nodes.push_back(std::move(copy));
    }
    MR_ASSIGN_OR_RETURN(std::string result, InBody(fetch));
    function.ret = {{"handle", std::move(result)}};
    return function;
  }

 private:
  // Returns the form that "node:port" has in the body of a function.
  StatusOr<std::string> InBody(absl::string_view input) const {
    const TensorName name = SplitTensorName(input);
    const auto found = nodes_.find(name.node);
    if (found == nodes_.end()) {
      return NotFound("FetchOutputs node ", input, ": not found");
    }
    const NodeDef& node = *found->second;
    const OpDef* op = ops_.Find(node.op);
    if (op == nullptr) {
      const FunctionDef* const function = library_.Find(node.op);
      if (function == nullptr) return ops_.Lookup(node.op).status();
      op = &function->signature;
    }
    AttrMap attrs = node.attrs;
    MR_RETURN_IF_ERROR(CompleteAttrs(*op, &attrs));
    for (const ArgDef& output : op->outputs) {
      MR_ASSIGN_OR_RETURN(const ArgRange range,
                          FindArgRange(op->outputs, attrs, output.name));
      if (name.port >= range.begin && name.port < range.end) {
        return absl::StrCat(name.node, ":", output.name, ":",
                            name.port - range.begin);
      }
    }
    return InvalidArgument("Node ", name.node, " of op ", node.op,
                           " has no output ", name.port);
  }

  const GraphDef& graph_;
  const OpRegistry& ops_;
  const FunctionLibrary& library_;
  absl::flat_hash_map<absl::string_view, const NodeDef*> nodes_;
};

// Returns the function of a graph that makes a data set, and its source.
struct SourceOfGraph {
  std::shared_ptr<const FunctionSource> source;
  std::string function;
};
StatusOr<SourceOfGraph> ReadGraph(KernelContext& ctx) {
  FunctionRunner* const functions = ctx.step().functions;
  if (functions == nullptr) {
    return FailedPrecondition("the step has no functions");
  }
  if (ctx.input(0).rank() != 0) {
    return InvalidArgument("graph_def must be a scalar");
  }
  const StatusOr<GraphDef> graph =
      ParseGraphDef(ctx.input(0).scalar<StringElement>().view());
  if (!graph.ok()) return InvalidArgument("Could not parse GraphDef");
  std::string fetch;
  for (const NodeDef& node : graph->nodes) {
    if (node.op == builtin::kRetval && !node.inputs.empty()) {
      fetch = node.inputs[0];
    }
  }
  if (fetch.empty()) return NotFound("FetchOutputs node : not found");
  auto library = std::make_shared<FunctionLibrary>();
  MR_RETURN_IF_ERROR(library->AddLibrary(graph->library));
  std::string name = "dataset_of_graph";
  while (library->Find(name) != nullptr) name += "_";
  const BodyOfGraph body(*graph, functions->source()->ops(), *library);
  MR_ASSIGN_OR_RETURN(FunctionDef function, body.Make(name, fetch));
  MR_RETURN_IF_ERROR(library->Add(std::move(function)));
  return SourceOfGraph{functions->SourceOf(std::move(library)),
                       std::move(name)};
}

class FromGraphKernel {
 public:
  static StatusOr<FromGraphKernel> Make(const KernelInit&) {
    return FromGraphKernel();
  }
  void RunAsync(KernelContext& ctx, Done done) const {
    const StatusOr<SourceOfGraph> read = ReadGraph(ctx);
    if (!read.ok()) return std::move(done)(read.status());
    const std::shared_ptr<FunctionRunner> runner = read->source->NewRunner();
    const auto handle = runner->Instantiate({read->function, {}});
    if (!handle.ok()) return std::move(done)(handle.status());
    StepEnvironment environment = ctx.step();
    environment.functions = runner.get();
    runner->RunIn(
        environment, ctx.device(), *handle, {}, FunctionRunner::Views::kBind,
        [&ctx, runner, done = std::move(done)](
            Status status, std::vector<Tensor> outputs) mutable {
          if (status.ok() && (outputs.size() != 1 || !outputs[0].valid())) {
            status = Internal("the graph gives no data set");
          }
          if (status.ok()) status = DatasetOfTensor(outputs[0]).status();
          if (status.ok()) ctx.set_output(0, std::move(outputs[0]));
          std::move(done)(std::move(status));
        });
  }
};

}  // namespace

StatusOr<ChargedGraph> GraphOfDataset(const DatasetValue& dataset,
                                      bool allows_state) {
  GraphWriter writer(allows_state);
  MR_ASSIGN_OR_RETURN(const std::string name, writer.Write(dataset));
  return writer.Finish(name);
}

MR_KERNELS(DatasetToGraph, Cpu){{.make = MakeKernel<ToGraphKernel>}};
MR_KERNELS(DatasetFromGraph, Cpu){{.make = MakeKernel<FromGraphKernel>}};

}  // namespace millrace::ops
