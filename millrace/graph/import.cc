#include "millrace/graph/import.h"

#include <algorithm>

#include "absl/cleanup/cleanup.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "millrace/graph/attr/attr_text.h"
#include "millrace/graph/import_error.h"
#include "millrace/graph/tensor_name.h"

namespace millrace {
namespace {

bool IsNameStart(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '.' ||
         c == '_';
}
bool IsNodeNameChar(char c) {
  return IsNameStart(c) || c == '/' || c == '-' || c == '>' || c == '\\';
}

bool IsNodeName(absl::string_view name) {
  return !name.empty() && IsNameStart(name[0]) &&
         std::all_of(name.begin(), name.end(), IsNodeNameChar);
}

// Returns whether a value is that of an unused attribute: with it, a newer
// client's node means the same as an older client's node without it.
struct IsUnused {
  bool operator()(const std::string& v) const { return v.empty(); }
  bool operator()(int64_t v) const { return v == 0; }
  bool operator()(float v) const { return v == 0; }
  bool operator()(bool v) const { return !v; }
  bool operator()(const PartialShape& v) const { return !v.known_rank(); }
  bool operator()(AttrValue::EmptyList) const { return true; }
  template <class T>
  bool operator()(const std::vector<T>& v) const {
    return v.empty();
  }
  template <class T>
  bool operator()(const T&) const {
    return false;
  }
};

Status CheckUnknownAttrs(const OpDef& op, const NodeDef& node,
                         const VersionDef& versions, AttrMap* attrs) {
  std::vector<std::string> unused;
  for (const auto& [name, value] : *attrs) {
    if (absl::StartsWith(name, "_") || op.FindAttr(name) != nullptr) continue;
    if (!std::visit(IsUnused(), value.value())) {
      return InvalidArgument(
          "NodeDef mentions attr '", name, "' with value ", value.DebugString(),
          ", which op ", op.name, " of GraphDef version ", kGraphDefVersion,
          " (this server) does not have; the client's version is ",
          versions.producer, "; NodeDef: ", NodeMark(node.name));
    }
    unused.push_back(name);
  }
  for (const std::string& name : unused) attrs->Erase(name);
  return OkStatus();
}

Status CheckVersions(const VersionDef& v) {
  if (v.min_consumer > kGraphDefVersion) {
    return InvalidArgument("GraphDef min consumer version ", v.min_consumer,
                           " above current version ", kGraphDefVersion,
                           " of this server");
  }
  if (std::find(v.bad_consumers.begin(), v.bad_consumers.end(),
                kGraphDefVersion) != v.bad_consumers.end()) {
    return InvalidArgument("GraphDef disallows consumer version ",
                           kGraphDefVersion);
  }
  return OkStatus();
}

}  // namespace

class GraphImporter {
 public:
  GraphImporter(const ImportOptions& options, const GraphDef& def, Graph* graph)
      : options_(options),
        def_(def),
        graph_(*graph),
        begin_(graph->num_ids()) {}

  Status Run() {
    MR_RETURN_IF_ERROR(CheckVersions(def_.versions));
    if (!options_.extend && graph_.num_ids() > 0) {
      return FailedPrecondition("The graph is not empty");
    }
    const FunctionLibrary library = graph_.library_;
    const VersionDef versions = graph_.versions_;
    auto rollback = absl::MakeCleanup([&] {
      Rollback();
      graph_.library_ = library;
      graph_.versions_ = versions;
    });
    MR_RETURN_IF_ERROR(graph_.library_.AddLibrary(def_.library));
    MR_RETURN_IF_ERROR(MakeNodes());
    for (size_t i = 0; i < def_.nodes.size(); ++i)
      MR_RETURN_IF_ERROR(Connect(i));
    MR_RETURN_IF_ERROR(TopologicalOrder(graph_, begin_).status());
    MergeVersions();
    if (options_.accept) MR_RETURN_IF_ERROR(options_.accept());
    std::move(rollback).Cancel();
    return OkStatus();
  }

 private:
  Status MakeNodes() {
    const size_t n = def_.nodes.size();
    if (n > static_cast<size_t>(INT32_MAX - begin_))
      return InvalidArgument("Too many nodes: ", n);
    graph_.nodes_.reserve(begin_ + n);
    graph_.by_name_.reserve(graph_.by_name_.size() + n);
    for (const NodeDef& node_def : def_.nodes) {
      MR_ASSIGN_OR_RETURN(auto node, MakeNode(node_def));
      MR_RETURN_IF_ERROR(graph_.Insert(std::move(node)).status());
    }
    return OkStatus();
  }

  // Nodes of one op that share their attributes are checked once.
  StatusOr<std::unique_ptr<Node>> MakeNode(const NodeDef& node_def) {
    if (!IsNodeName(node_def.name)) {
      return InvalidArgument("Node '", node_def.name,
                             "': Node name contains invalid characters");
    }
    MR_ASSIGN_OR_RETURN(const OpDef* op, Lookup(node_def));
    const auto key = std::make_pair(op, node_def.attrs.identity());
    const bool shared = node_def.attrs.IsShared() || node_def.attrs.empty();
    if (shared) {
      auto like = checked_.find(key);
      if (like != checked_.end()) {
        const Node& node = *graph_.nodes_[like->second];
        const Status fits = CheckInputs(node, node_def);
        if (!fits.ok()) return FirstError(node_def, *op, fits);
        return Like(node, node_def);
      }
    }
    AttrMap attrs = node_def.attrs;
    if (options_.drop_unknown_default_attrs &&
        def_.versions.producer > kGraphDefVersion) {
      MR_RETURN_IF_ERROR(
          CheckUnknownAttrs(*op, node_def, def_.versions, &attrs));
    }
    auto node =
        graph_.MakeNode(node_def.name, *op, std::move(attrs), node_def.device);
    const Status fits =
        node.ok() ? CheckInputs(**node, node_def) : node.status();
    if (!fits.ok()) return FirstError(node_def, *op, fits);
    if (shared) checked_.emplace(key, graph_.num_ids());
    return node;
  }

  Status FirstError(const NodeDef& node_def, const OpDef& op,
                    const Status& status) const {
    return ImportError(def_, graph_).FirstOf(node_def, op, status);
  }

  static std::unique_ptr<Node> Like(const Node& like, const NodeDef& node_def) {
    auto node = std::make_unique<Node>();
    node->name = node_def.name;
    node->op = like.op;
    node->attrs = like.attrs;
    node->requested_device = node_def.device;
    node->input_types = like.input_types;
    node->output_types = like.output_types;
    node->inputs.resize(like.input_types.size());
    return node;
  }

  StatusOr<const OpDef*> Lookup(const NodeDef& node_def) {
    auto op = graph_.LookupOp(node_def.op);
    if (!op.ok()) {
      return Annotate(op.status(),
                      absl::StrCat("; NodeDef: ", NodeMark(node_def.name)));
    }
    if ((*op)->deprecated_version > 0 &&
        def_.versions.producer >= (*op)->deprecated_version) {
      return Unimplemented(
          "Op ", node_def.op, " is not available in GraphDef version ",
          def_.versions.producer, ". It has been removed in version ",
          (*op)->deprecated_version, ". ",
          absl::StripSuffix((*op)->deprecated_hint, "."), ".");
    }
    return op;
  }

  static bool IsControl(const std::string& input) {
    return absl::StartsWith(input, "^");
  }
  static size_t NumData(const NodeDef& node_def) {
    return static_cast<size_t>(std::find_if(node_def.inputs.begin(),
                                            node_def.inputs.end(), IsControl) -
                               node_def.inputs.begin());
  }

  // Checks node by node, before the next one is made: the memory for its types
  // depends on the number in an attribute, not on the size of the message.
  static Status CheckInputs(const Node& node, const NodeDef& node_def) {
    const size_t num_data = NumData(node_def);
    if (!std::all_of(
            node_def.inputs.begin() + static_cast<std::ptrdiff_t>(num_data),
            node_def.inputs.end(), IsControl)) {
      return InvalidArgument(
          "Node '", node_def.name,
          "': Control dependencies must come after regular dependencies");
    }
    const size_t wanted = node.input_types.size();
    if (num_data == wanted) return OkStatus();
    return InvalidArgument(
        num_data < wanted
            ? absl::StrCat("Incomplete graph, missing ", wanted - num_data,
                           " inputs for ", node_def.name, "; ")
            : "",
        "NodeDef expected inputs '", TypeNames(node.input_types),
        "' do not match ", num_data, " inputs specified; ",
        SummarizeOp(*node.op), "; NodeDef: ", NodeMark(node_def.name));
  }

  Status Connect(size_t i) {
    const NodeDef& node_def = def_.nodes[i];
    Node& node = *graph_.nodes_[begin_ + i];
    const size_t num_data = NumData(node_def);
    for (size_t k = 0; k < num_data; ++k) {
      const TensorName input = SplitTensorName(node_def.inputs[k]);
      MR_ASSIGN_OR_RETURN(const NodeId src,
                          FindSource(node, input.node, node_def.inputs[k]));
      Touch(src);
      MR_RETURN_IF_ERROR(
          graph_.SetInput(&node, static_cast<int32_t>(k), {src, input.port}));
    }
    return ConnectControls(
        node, absl::MakeConstSpan(node_def.inputs).subspan(num_data));
  }

  Status ConnectControls(Node& node, absl::Span<const std::string> controls) {
    constexpr size_t kMany = 16;
    absl::flat_hash_set<NodeId> seen;
    for (const std::string& text : controls) {
      MR_ASSIGN_OR_RETURN(
          const NodeId src,
          FindSource(node, absl::string_view(text).substr(1), text));
      auto& list = node.control_inputs;
      const bool doubled =
          controls.size() > kMany
              ? !seen.insert(src).second
              : std::find(list.begin(), list.end(), src) != list.end();
      if (doubled) continue;
      Touch(src);
      list.push_back(src);
      graph_.nodes_[src]->out_edges.push_back(
          {kControlPort, node.id, kControlPort});
    }
    return OkStatus();
  }

  StatusOr<NodeId> FindSource(const Node& node, absl::string_view name,
                              const std::string& input) const {
    auto it = graph_.by_name_.find(name);
    if (it == graph_.by_name_.end()) {
      return InvalidArgument("Node '", node.name, "': Unknown input node '",
                             input, "'");
    }
    return it->second;
  }

  // Records the number of edges of an old node, so that the import can be
  // undone.
  void Touch(NodeId src) {
    if (src < begin_)
      touched_.try_emplace(src, graph_.nodes_[src]->out_edges.size());
  }

  void Rollback() {
    for (const auto& [src, size] : touched_)
      graph_.nodes_[src]->out_edges.resize(size);
    for (NodeId id = begin_; id < graph_.num_ids(); ++id) {
      graph_.by_name_.erase(graph_.nodes_[id]->name);
      --graph_.num_nodes_;
      graph_.num_outputs_ -= graph_.nodes_[id]->num_outputs();
    }
    graph_.nodes_.resize(static_cast<size_t>(begin_));
  }

  // A graph of several parts has the version of its oldest producer.
  void MergeVersions() {
    VersionDef& v = graph_.versions_;
    if (begin_ == 0) {
      v = def_.versions;
      return;
    }
    v.producer = std::min(v.producer, def_.versions.producer);
    v.min_consumer = std::max(v.min_consumer, def_.versions.min_consumer);
    for (int32_t bad : def_.versions.bad_consumers) {
      if (std::find(v.bad_consumers.begin(), v.bad_consumers.end(), bad) ==
          v.bad_consumers.end()) {
        v.bad_consumers.push_back(bad);
      }
    }
  }

  const ImportOptions& options_;
  const GraphDef& def_;
  Graph& graph_;
  const NodeId begin_;
  absl::flat_hash_map<std::pair<const OpDef*, const void*>, NodeId> checked_;
  absl::flat_hash_map<NodeId, size_t> touched_;
};

Status ImportGraphDef(const ImportOptions& options, const GraphDef& def,
                      Graph* graph) {
  return GraphImporter(options, def, graph).Run();
}

}  // namespace millrace
