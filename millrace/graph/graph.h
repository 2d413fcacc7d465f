// Graph: nodes with checked attributes and typed edges, owned by index.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "millrace/graph/fused_nodes.h"
#include "millrace/graph/graph_def.h"
#include "millrace/graph/op_registry.h"

namespace millrace {

using NodeId = int32_t;
inline constexpr NodeId kNoNode = -1;

// Output `port` of a node.
struct OutputRef {
  NodeId node = kNoNode;
  int32_t port = 0;
  friend bool operator==(const OutputRef&, const OutputRef&) = default;
  template <class H>
  friend H AbslHashValue(H h, const OutputRef& o) {
    return H::combine(std::move(h), o.node, o.port);
  }
};

// A data edge from this node's output `port` to input `dst_port` of `dst`, or
// a control edge (both ports kControlPort).
inline constexpr int32_t kControlPort = -1;
struct OutEdge {
  int32_t port;
  NodeId dst;
  int32_t dst_port;
};

struct Node {
  NodeId id = kNoNode;
  std::string name;
  const OpDef* op = nullptr;
  AttrMap attrs;                 // complete: defaults filled in
  std::string requested_device;  // as the graph says
  std::string assigned_device;   // full name, once placed
  // What few nodes have many of lies in the node itself.
  DataTypeVector input_types;  // references as reference types
  DataTypeVector output_types;
  absl::InlinedVector<OutputRef, 2> inputs;       // data inputs by position
  absl::InlinedVector<NodeId, 4> control_inputs;  // no doubles
  absl::InlinedVector<OutEdge, 1> out_edges;      // in no particular order
  std::shared_ptr<const FusedNodes> fused;  // null: the node is itself alone

  int num_inputs() const { return static_cast<int>(inputs.size()); }
  int num_outputs() const { return static_cast<int>(output_types.size()); }
  bool IsOp(absl::string_view type) const { return op->name == type; }
};

// Functions by name. Copies share what they hold until one of them grows.
class FunctionLibrary {
 public:
  FunctionLibrary();
  FunctionLibrary(const FunctionLibrary&) = default;
  FunctionLibrary& operator=(const FunctionLibrary&) = default;
  ~FunctionLibrary();

  // INVALID_ARGUMENT if a function of that name and another body exists.
  Status Add(FunctionDef function);
  // INVALID_ARGUMENT if the function has another gradient.
  Status AddGradient(GradientDef gradient);
  // All of it, or nothing.
  Status AddLibrary(const FunctionLibraryDef& def);
  const FunctionDef* Find(absl::string_view name) const;
  std::shared_ptr<const FunctionDef> FindShared(absl::string_view name) const;
  const std::string* FindGradient(absl::string_view function) const;
  FunctionLibraryDef ToDef() const;
  bool empty() const;

 private:
  struct Contents;
  Contents& Mutable();
  std::shared_ptr<const Contents> contents_;
};

// One thread at a time. Node ids are dense; a removed node leaves a null.
class Graph {
 public:
  explicit Graph(const OpRegistry* ops);
  Graph(Graph&&) = default;
  Graph& operator=(Graph&&) = default;

  const OpRegistry& ops() const { return *ops_; }
  FunctionLibrary& library() { return library_; }
  const FunctionLibrary& library() const { return library_; }
  VersionDef& versions() { return versions_; }
  const VersionDef& versions() const { return versions_; }

  // Upper bound of ids; some may be removed.
  int num_ids() const { return static_cast<int>(nodes_.size()); }
  int num_nodes() const { return num_nodes_; }
  // Null if removed.
  Node* node(NodeId id) { return nodes_[id].get(); }
  const Node* node(NodeId id) const { return nodes_[id].get(); }
  Node* Find(absl::string_view name);
  const Node* Find(absl::string_view name) const;

  // Adds a node whose inputs exist. Checks name (non-empty, new, well formed
  // is not required: names may be any bytes), op (of the registry or a
  // function), attributes and input types. INVALID_ARGUMENT says which node.
  StatusOr<Node*> AddNode(absl::string_view name, absl::string_view op,
                          absl::Span<const OutputRef> inputs, AttrMap attrs,
                          absl::string_view device = "",
                          absl::Span<const NodeId> control_inputs = {});
  // Adds a node with inputs still missing (ids kNoNode); set them by SetInput.
  StatusOr<Node*> AddNodeUnconnected(absl::string_view name,
                                     absl::string_view op, AttrMap attrs,
                                     absl::string_view device = "");
  // Connects or reconnects a data input; checks the type.
  Status SetInput(Node* dst, int32_t dst_port, OutputRef src);
  // Nothing happens if the edge exists.
  void AddControlEdge(NodeId src, NodeId dst);
  void RemoveControlEdge(NodeId src, NodeId dst);
  // Removes nodes and their edges; consumers lose the input. Many at once take
  // time in proportion to the edges that they touch.
  void RemoveNode(NodeId id);
  void RemoveNodes(absl::Span<const NodeId> ids);
  // A name that is not taken: `base`, or base_1, base_2, ...
  std::string UniqueName(absl::string_view base) const;
  // The schema of an op of the registry or of a function. NOT_FOUND "Op type
  // not registered ...".
  StatusOr<const OpDef*> LookupOp(absl::string_view op);
  // A copy, for passes that change it.
  Graph Clone() const;

 private:
  friend class GraphImporter;

  // A node with checked attributes and types, not yet part of the graph.
  static StatusOr<std::unique_ptr<Node>> MakeNode(absl::string_view name,
                                                  const OpDef& op,
                                                  AttrMap attrs,
                                                  absl::string_view device);
  // INVALID_ARGUMENT if the name is taken, or there are too many outputs: their
  // number is an attribute's.
  static constexpr int64_t kMaxOutputs = 1 << 24;
  StatusOr<Node*> Insert(std::unique_ptr<Node> node);

  const OpRegistry* ops_;
  FunctionLibrary library_;
  VersionDef versions_;
  std::vector<std::unique_ptr<Node>> nodes_;
  int num_nodes_ = 0;
  int64_t num_outputs_ = 0;
  // Keys are the nodes' own names.
  absl::flat_hash_map<absl::string_view, NodeId> by_name_;
  // Functions whose signatures are schemas of nodes; they stay while the graph
  // does.
  std::vector<std::shared_ptr<const FunctionDef>> called_functions_;
  absl::flat_hash_map<absl::string_view, const FunctionDef*> called_by_name_;
  mutable absl::flat_hash_map<std::string, int> name_suffixes_;  // next to try
};

// An edge that closes a loop: out of a NextIteration into a Merge.
bool IsBackEdge(const Node& src, const Node& dst);

// Nodes in an order in which every node follows its inputs; back edges of
// loops do not count. The same graph always gives the same order. Nodes of ids
// below `begin` are left out and taken as done. INVALID_ARGUMENT that names a
// node of a cycle. No recursion.
StatusOr<std::vector<NodeId>> TopologicalOrder(const Graph& graph,
                                               NodeId begin = 0);

}  // namespace millrace
