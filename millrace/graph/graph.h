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
  // Short lists are stored in the node itself.
  DataTypeVector input_types;  // references as reference types
  DataTypeVector output_types;
  absl::InlinedVector<OutputRef, 2> inputs;       // data inputs by position
  absl::InlinedVector<NodeId, 4> control_inputs;  // without duplicates
  absl::InlinedVector<OutEdge, 1> out_edges;      // in no particular order
  std::shared_ptr<const FusedNodes> fused;        // null: not a fused node

  int num_inputs() const { return static_cast<int>(inputs.size()); }
  int num_outputs() const { return static_cast<int>(output_types.size()); }
  bool IsOp(absl::string_view type) const { return op->name == type; }
};

// Functions by name. Copies share their contents until one of them grows.
class FunctionLibrary {
 public:
  FunctionLibrary();
  FunctionLibrary(const FunctionLibrary&) = default;
  FunctionLibrary& operator=(const FunctionLibrary&) = default;
  ~FunctionLibrary();

  // Returns INVALID_ARGUMENT if there is a function with the same name and
  // another body.
  Status Add(FunctionDef function);
  // Returns INVALID_ARGUMENT if the function has another gradient.
  Status AddGradient(GradientDef gradient);
  // Adds all of it, or nothing.
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

// A graph, which one thread at a time may use. Node ids are dense; a removed
// node leaves a null.
//
// A node may be added under the name of a function of the library as its op.
// It then becomes a node of the op that calls functions, with the same outputs
// by number, if the registry has that op. References among its inputs are read.
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

  // Returns an upper bound of the ids; some nodes may be removed.
  int num_ids() const { return static_cast<int>(nodes_.size()); }
  int num_nodes() const { return num_nodes_; }
  // Returns null for a removed node.
  Node* node(NodeId id) { return nodes_[id].get(); }
  const Node* node(NodeId id) const { return nodes_[id].get(); }
  Node* Find(absl::string_view name);
  const Node* Find(absl::string_view name) const;

  // Adds a node whose inputs exist. Checks the name (it must be new and not
  // empty, and may have any bytes), the op (of the registry or a function), the
  // attributes and the input types. Returns INVALID_ARGUMENT that names the
  // node.
  StatusOr<Node*> AddNode(absl::string_view name, absl::string_view op,
                          absl::Span<const OutputRef> inputs, AttrMap attrs,
                          absl::string_view device = "",
                          absl::Span<const NodeId> control_inputs = {});
  // Adds a node whose inputs are still missing (ids kNoNode); SetInput sets
  // them.
  StatusOr<Node*> AddNodeUnconnected(absl::string_view name,
                                     absl::string_view op, AttrMap attrs,
                                     absl::string_view device = "");
  // Connects or reconnects a data input; checks the type.
  Status SetInput(Node* dst, int32_t dst_port, OutputRef src);
  // Does nothing if the edge exists.
  void AddControlEdge(NodeId src, NodeId dst);
  void RemoveControlEdge(NodeId src, NodeId dst);
  // Removes nodes and their edges; consumers lose the input. The time is
  // proportional to the edges that are touched.
  void RemoveNode(NodeId id);
  void RemoveNodes(absl::Span<const NodeId> ids);
  // Returns an unused name: `base`, or base_1, base_2, ...
  std::string UniqueName(absl::string_view base) const;
  // Returns the schema of an op of the registry or of a function; NOT_FOUND "Op
  // type not registered ...".
  StatusOr<const OpDef*> LookupOp(absl::string_view op);
  // Returns a copy, for passes that change it.
  Graph Clone() const;

 private:
  friend class GraphImporter;

  // Returns a node with checked attributes and types that is not yet part of
  // the graph.
  StatusOr<std::unique_ptr<Node>> MakeNode(absl::string_view name,
                                           const OpDef& op, AttrMap attrs,
                                           absl::string_view device) const;
  // Makes a node whose op is a function a node of the op that calls functions.
  Status MakeCall(Node* node) const;
  // Returns INVALID_ARGUMENT if the name is taken, or if there are too many
  // outputs, whose number may depend on an attribute.
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
  // Functions whose signatures are schemas of nodes; they live as long as the
  // graph.
  std::vector<std::shared_ptr<const FunctionDef>> called_functions_;
  absl::flat_hash_map<absl::string_view, const FunctionDef*> called_by_name_;
  mutable absl::flat_hash_map<std::string, int> name_suffixes_;  // next to try
};

// Returns whether an edge closes a loop: it leads from a NextIteration to a
// Merge.
bool IsBackEdge(const Node& src, const Node& dst);

// Returns the nodes in topological order; back edges of loops are ignored. The
// same graph always gives the same order. Nodes with ids below `begin` are left
// out and count as visited. Returns INVALID_ARGUMENT that names a node of a
// cycle. Does not recurse.
StatusOr<std::vector<NodeId>> TopologicalOrder(const Graph& graph,
                                               NodeId begin = 0);

}  // namespace millrace
