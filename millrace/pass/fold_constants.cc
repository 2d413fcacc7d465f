#include "millrace/pass/fold_constants.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "millrace/base/clock.h"
#include "millrace/graph/builtin_ops.h"
#include "millrace/graph/shape_context.h"
#include "millrace/graph/verifier.h"
#include "millrace/kernel/kernel_context.h"
#include "millrace/pass/cpu_nodes.h"
#include "millrace/pass/pure_nodes.h"

namespace millrace {
namespace {

constexpr int64_t kMaxInputBytes = 1 << 20;
// Limits for one graph.
constexpr int64_t kMaxBytesInAll = 10 << 20;
constexpr int kMaxEvaluations = 50'000;
// The first step waits for folding; nodes that are not folded within this time
// are run.
constexpr int64_t kMaxMillis = 500;
// A node whose constant would need more control inputs than this is not folded.
constexpr size_t kMaxFoldedWaits = 8;

bool IsConstant(const Node& node) { return node.op->role == OpRole::kConstant; }

// Converts a tensor that holds a shape.
bool AsPartialShape(const Tensor& t, PartialShape* shape) {
  if (t.rank() != 1 ||
      (t.dtype() != DataType::kInt32 && t.dtype() != DataType::kInt64)) {
    return false;
  }
  StatusOr<PartialShape> made = PartialShape::Make(IntValues(t));
  if (!made.ok()) return false;
  *shape = *std::move(made);
  return true;
}

// Returns the bytes of all outputs; nullopt if the shape function does not
// determine them, or fails.
std::optional<int64_t> ResultBytes(const Node& node,
                                   const std::vector<Tensor>& values,
                                   int64_t limit) {
  if (node.op->shape == nullptr) return std::nullopt;
  std::vector<ShapeContext::Input> inputs;
  for (const Tensor& value : values) {
    inputs.push_back({PartialShape(value.shape()), {}});
  }
  const auto constant = [&](int i) { return &values[static_cast<size_t>(i)]; };
  const auto partial = [&](int i, PartialShape* out) {
    return AsPartialShape(values[static_cast<size_t>(i)], out);
  };
  ShapeContext context(node.name, *node.op, node.attrs, std::move(inputs),
                       node.num_outputs(), constant, partial);
  if (!node.op->shape(context).ok()) return std::nullopt;
  int64_t bytes = 0;
  for (int i = 0; i < node.num_outputs(); ++i) {
    const int64_t n = context.output(i).num_elements();
    const auto element =
        static_cast<int64_t>(SizeOf(node.output_types[static_cast<size_t>(i)]));
    if (n < 0 || n > limit / element) return std::nullopt;
    bytes += n * element;
  }
  return bytes > limit ? std::nullopt : std::optional<int64_t>(bytes);
}

// Lives for one call.
class ConstantFolder {
 public:
  ConstantFolder(const RunSignature& signature,
                 const ConstantEvaluator& evaluate, int64_t max_bytes,
                 Graph* graph)
      : evaluate_(evaluate),
        max_bytes_(max_bytes),
        graph_(*graph),
        pure_(*graph),
        targets_(TargetsOf(signature, *graph)) {}

  Status Run() {
    MR_ASSIGN_OR_RETURN(const std::vector<NodeId> order,
                        TopologicalOrder(graph_));
    for (const NodeId id : order) {
      const Node& node = *graph_.node(id);
      if (IsConstant(node)) {
        NoteConstant(node);
      } else {
        TryToFold(node);
      }
    }
    if (order_.empty()) return OkStatus();
    return Replace();
  }

 private:
  struct Folded {
    std::vector<Tensor> outputs;  // none: a constant of the graph
    std::vector<NodeId> waits;    // none of them folded, nor a constant
    bool too_many_waits = false;  // then none are listed
  };

  const Tensor* ValueOf(OutputRef output) const {
    const Node& node = *graph_.node(output.node);
    if (IsConstant(node)) {
      const AttrValue* value = node.attrs.Find("value");
      return value == nullptr ? nullptr : value->get<Tensor>();
    }
    const auto it = folded_.find(output.node);
    return it == folded_.end()
               ? nullptr
               : &it->second.outputs[static_cast<size_t>(output.port)];
  }

  // Adds the control inputs of `node` as a constant; returns false if there are
  // too many.
  bool AddWaitsOf(NodeId node, std::vector<NodeId>* waits) const {
    const auto it = folded_.find(node);
    if (it != folded_.end()) {
      if (it->second.too_many_waits) return false;
      waits->insert(waits->end(), it->second.waits.begin(),
                    it->second.waits.end());
    } else if (!IsConstant(*graph_.node(node))) {
      waits->push_back(node);
    }
    return true;
  }

  // Returns nullopt if there are more than kMaxFoldedWaits: chains of
  // constants would list them again and again.
  std::optional<std::vector<NodeId>> WaitsOf(const Node& node) const {
    std::vector<NodeId> waits;
    for (const OutputRef& in : node.inputs) {
      if (!AddWaitsOf(in.node, &waits)) return std::nullopt;
    }
    for (const NodeId control : node.control_inputs) {
      if (!AddWaitsOf(control, &waits)) return std::nullopt;
    }
    std::sort(waits.begin(), waits.end());
    waits.erase(std::unique(waits.begin(), waits.end()), waits.end());
    if (waits.size() > kMaxFoldedWaits) return std::nullopt;
    return waits;
  }

  // Constants without control inputs need no entry.
  void NoteConstant(const Node& node) {
    if (node.control_inputs.empty()) return;
    std::optional<std::vector<NodeId>> waits = WaitsOf(node);
    const bool too_many = !waits.has_value();
    folded_[node.id] = {{}, waits.value_or(std::vector<NodeId>()), too_many};
  }

  void TryToFold(const Node& node) {
    if (node.inputs.empty() || evaluations_left_ == 0) return;
    std::vector<Tensor> values;
    int64_t input_bytes = 0;
    for (const OutputRef& in : node.inputs) {
      const Tensor* value = in.node == kNoNode ? nullptr : ValueOf(in);
      if (value == nullptr ||
          graph_.node(in.node)->assigned_device != node.assigned_device) {
        return;
      }
      input_bytes += static_cast<int64_t>(value->size_bytes());
      if (input_bytes > kMaxInputBytes) return;
      values.push_back(*value);
    }
    if (!pure_(node) || !is_on_cpu_(node) || end_.expired()) return;
    int64_t limit = std::max(kMaxFoldedBytes, input_bytes);
    if (max_bytes_ > 0) limit = std::min(limit, max_bytes_);
    const std::optional<int64_t> bytes =
        ResultBytes(node, values, std::min(limit, bytes_left_));
    if (!bytes) return;
    std::optional<std::vector<NodeId>> waits = WaitsOf(node);
    if (!waits) return;
    --evaluations_left_;
    std::optional<std::vector<Tensor>> outputs = evaluate_(node, values);
    if (!outputs ||
        outputs->size() != static_cast<size_t>(node.num_outputs())) {
      return;
    }
    for (size_t i = 0; i < outputs->size(); ++i) {
      if ((*outputs)[i].dtype() != node.output_types[i]) return;
    }
    bytes_left_ -= *bytes;
    for (const OutputRef& in : node.inputs) {
      if (IsConstant(*graph_.node(in.node))) read_.push_back(in.node);
    }
    folded_[node.id] = {*std::move(outputs), *std::move(waits)};
    order_.push_back(node.id);
  }

  // A folded node that others need, as a constant; all other folded nodes are
  // removed.
  struct Replacement {
    std::string name, requested_device, assigned_device;
    std::vector<OutEdge> edges;
    Folded value;
  };

  Status Replace() {
    std::vector<Replacement> replacements;
    for (const NodeId id : order_) {
      const Node& node = *graph_.node(id);
      std::vector<OutEdge> edges;
      for (const OutEdge& edge : node.out_edges) {
        if (!WillGo(edge.dst)) edges.push_back(edge);
      }
      if (edges.empty() && !targets_.contains(id)) continue;
      replacements.push_back({node.name, node.requested_device,
                              node.assigned_device, std::move(edges),
                              std::move(folded_[id])});
    }
    graph_.RemoveNodes(order_);
    for (const Replacement& r : replacements) {
      MR_RETURN_IF_ERROR(AddConstants(r));
    }
    RemoveUnreadConstants();
    return OkStatus();
  }

  // Constants of the graph have entries, too, and are kept.
  bool WillGo(NodeId id) const {
    return folded_.contains(id) && !IsConstant(*graph_.node(id));
  }

  Status AddConstants(const Replacement& r) {
    std::vector<NodeId> constants(r.value.outputs.size(), kNoNode);
    const auto add = [&](size_t port, const std::string& name) -> Status {
      MR_ASSIGN_OR_RETURN(
          Node* const node,
          graph_.AddNode(name, builtin::kConst, {},
                         AttrMap({{"dtype", r.value.outputs[port].dtype()},
                                  {"value", r.value.outputs[port]}}),
                         r.requested_device, r.value.waits));
      node->assigned_device = r.assigned_device;
      constants[port] = node->id;
      return OkStatus();
    };
    MR_RETURN_IF_ERROR(add(0, r.name));
    for (const OutEdge& edge : r.edges) {
      if (edge.dst_port == kControlPort) {
        graph_.AddControlEdge(constants[0], edge.dst);
        continue;
      }
      const auto port = static_cast<size_t>(edge.port);
      if (constants[port] == kNoNode) {
        MR_RETURN_IF_ERROR(add(
            port, graph_.UniqueName(absl::StrCat(r.name, "/output_", port))));
      }
      MR_RETURN_IF_ERROR(graph_.SetInput(graph_.node(edge.dst), edge.dst_port,
                                         {constants[port], 0}));
    }
    return OkStatus();
  }

  void RemoveUnreadConstants() {
    std::sort(read_.begin(), read_.end());
    read_.erase(std::unique(read_.begin(), read_.end()), read_.end());
    std::vector<NodeId> unread;
    for (const NodeId id : read_) {
      if (graph_.node(id)->out_edges.empty() && !targets_.contains(id)) {
        unread.push_back(id);
      }
    }
    graph_.RemoveNodes(unread);
  }

  const ConstantEvaluator& evaluate_;
  const int64_t max_bytes_;
  Graph& graph_;
  PureNodes pure_;
  const absl::flat_hash_set<NodeId> targets_;
  CpuNodes is_on_cpu_;
  absl::flat_hash_map<NodeId, Folded> folded_;
  std::vector<NodeId> order_;  // of folded nodes, without constants
  std::vector<NodeId> read_;   // constants that folded nodes read
  int64_t bytes_left_ = kMaxBytesInAll;
  int evaluations_left_ = kMaxEvaluations;
  const Deadline end_ = Deadline::AfterMillis(kMaxMillis);
};

}  // namespace

Status FoldConstants(const RunSignature& signature,
                     const ConstantEvaluator& evaluate, int64_t max_bytes,
                     Graph* graph) {
  if (evaluate == nullptr) return OkStatus();
  MR_RETURN_IF_ERROR(
      ConstantFolder(signature, evaluate, max_bytes, graph).Run());
  DebugVerifyGraph(*graph, GraphStage::kPlaced, "folding of constants");
  return OkStatus();
}

}  // namespace millrace
