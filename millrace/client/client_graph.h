// ClientGraph: a graph while a program builds it: its nodes, names, shapes,
// collections, and first error.
#pragma once

#include <any>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "millrace/base/memory/ref.h"
#include "millrace/base/threads/thread.h"
#include "millrace/client/device_block.h"
#include "millrace/client/output.h"
#include "millrace/client/unique_names.h"
#include "millrace/graph/shape_refiner.h"

namespace millrace {

class ControlFlowContext;

// A position in the history of a graph that only grows.
struct GraphMark {
  NodeId nodes = 0;
  int64_t functions = 0;
  friend bool operator==(const GraphMark&, const GraphMark&) = default;
};

// Thread-safe: every function holds the graph's lock while it runs. A node is
// never removed or changed once another thread can see it, except while a loop
// is built, and by AddControlInput.
class ClientGraph final : public RefCounted {
 public:
  // `ops` must outlive the graph.
  explicit ClientGraph(const OpRegistry& ops);

  const OpRegistry& ops() const { return ops_; }

  // Returns a unique name, as tf.Graph.unique_name does: names differ in more
  // than case, and `name` is marked as taken, so "x" returns "x", then "x_1".
  std::string UniqueName(absl::string_view name);
  // Returns what UniqueName would, without marking it as taken.
  std::string FreeName(absl::string_view name) const;

  // Describes a node to add. Names are used unchanged.
  struct NodeSpec {
    std::string name;
    std::string op;
    absl::Span<const Output> inputs;
    AttrMap attrs;
    std::vector<Operation>
        control_inputs;  // those that are also inputs are left out
    std::vector<std::string> colocation;   // "loc:@name"
    const DeviceBlock* devices = nullptr;  // innermost; may be null
    std::string device;                    // overrides the blocks unless empty
    std::string container;         // for stateful ops with such an attribute
    bool may_lack_inputs = false;  // SetInput sets the last ones
    // Prefix of the names of nodes that a context adds for this one; empty: its
    // name and "/", for a constant the block of its name.
    std::string context_scope;
  };
  // Adds the node and infers its shapes; adds nothing on an error. Then the
  // current control-flow context takes it in, which may add further nodes and
  // changes its inputs; an error of that leaves the node in the graph.
  StatusOr<Operation> AddNode(const NodeSpec& spec);
  // Does the same outside of all contexts.
  StatusOr<Operation> AddNodeOutside(const NodeSpec& spec);
  // For code that builds loops: connects an input that AddNode left open, or
  // replaces one.
  Status SetInput(const Operation& dst, int port, const Output& src);
  // These two change the order of nodes; a session that has `dst` already does
  // not see it.
  void AddControlInput(const Operation& dst, const Operation& src);
  void RemoveControlInput(const Operation& dst, const Operation& src);
  // Change what a node says of itself; a session that has the node already does
  // not see it. SetAttr checks the value against the schema; ClearAttr does
  // nothing for an attribute that the schema has.
  void SetDevice(const Operation& op, std::string device);
  Status SetAttr(const Operation& op, absl::string_view name, AttrValue value);
  void ClearAttr(const Operation& op, absl::string_view name);
  // Removes nodes that are not referenced.
  void RemoveNodes(absl::Span<const NodeId> ids);

  // Returns INVALID_ARGUMENT if there is a different function of that name.
  Status AddFunction(FunctionDef function);
  Status AddFunctions(const FunctionLibraryDef& library);

  // The context (control_flow_context.h) in which nodes are added; null: none.
  std::shared_ptr<ControlFlowContext> control_flow_context() const;
  void SetControlFlowContext(std::shared_ptr<ControlFlowContext> context);
  // The context of a node; null: none.
  std::shared_ptr<ControlFlowContext> ContextOf(const Operation& op) const;
  void SetContextOf(const Operation& op,
                    std::shared_ptr<ControlFlowContext> context);
  // Whether a node may have inputs that are inside of loops that it is not in,
  // which whoever adds it replaces later.
  bool allows_foreign_inputs() const;
  void AllowForeignInputs(bool allow);
  // Makes nodes that have neither control inputs, nor inputs from nodes added
  // since, wait for `op`, or for none if it is null. Returns the op until then.
  Operation SetDefaultControlInput(const Operation& op);

  // These say what a session may fetch and feed: by default everything.
  void PreventFetching(const Operation& op);
  void PreventFeeding(const Output& output);
  bool IsFetchable(const Operation& op) const;
  bool IsFeedable(const Output& output) const;
  // Prevents both, for what runs in iterations.
  void KeepInside(const Operation& op);

  // Whether a node calls a function under the function's own name as its op.
  // The graph has it as a node of the op that calls functions; Export gives it
  // back as it was added.
  bool IsCalledByName(const Operation& op) const;
  // Returns the type of an op: the function's name if it is called by that.
  std::string TypeOf(const Operation& op) const;

  // Returns the schema of an op or of a function of the graph.
  StatusOr<const OpDef*> FindOp(absl::string_view op);
  // Returns null if there is none of that name.
  Operation Find(absl::string_view name) const;
  // Finds an output by "name:port" or "name".
  StatusOr<Output> FindOutput(absl::string_view name) const;

  PartialShape Shape(const Output& output) const;
  Status MergeShape(const Output& output, const PartialShape& shape);
  // Sets the shape, whatever is known: for a variable of a loop that may change
  // it.
  Status ReplaceShape(const Output& output, const PartialShape& shape);
  std::optional<Tensor> Value(const Output& output);
  // Returns what is known of the value behind a handle, or of a list's
  // elements; empty if nothing is.
  std::vector<HandleShape> Handles(const Output& output) const;
  // Returns the type of the variable behind `handle`; kInvalid if it is not
  // known.
  DataType VariableType(const Output& handle) const;

  // Calls `f` under the lock; `f` must use only the graph.
  void Read(absl::FunctionRef<void(const Graph&)> f) const;

  // Returns the first error, OK if there was none. The error is sticky, since
  // the graph is incomplete.
  Status status() const;
  // Records an error unless there is one. `node` names the op that failed.
  void Fail(const Status& status, absl::string_view node);
  // For programs that continue in spite of an error.
  void ClearStatus();

  // Makes AddNode fail with FAILED_PRECONDITION from now on.
  void Finalize();

  // Export returns the nodes from one mark up to another (by default all), with
  // the functions added in between, for ExtendSession. End returns a mark for
  // what is added later.
  GraphMark End() const;
  GraphDef Export(const GraphMark& from = {}) const {
    return Export(from, End());
  }
  GraphDef Export(const GraphMark& from, const GraphMark& to) const;
  // Adds all nodes and functions of `def`, with `prefix` ("" or "a/") before
  // each name, and infers their shapes; adds nothing if one of them does not
  // fit. Inputs that `input_map` names (as in the def, "x" or "x:1") are
  // replaced.
  Status Import(
      const GraphDef& def, absl::string_view prefix = "",
      const std::vector<std::pair<std::string, Output>>& input_map = {});

  // Collections: lists of values of any type, by name. An element may occur
  // more than once.
  void AddToCollection(absl::string_view name, std::any value);
  // Returns the elements of type T, in order.
  template <class T>
  std::vector<T> Collection(absl::string_view name) const {
    std::vector<T> list;
    for (const std::any& value : CollectionValues(name)) {
      if (const T* v = std::any_cast<T>(&value)) list.push_back(*v);
    }
    return list;
  }
  std::vector<std::any> CollectionValues(absl::string_view name) const;
  std::vector<std::string> CollectionNames() const;

  // Sets the seed of random ops that have none of their own; see Scope::Seeds.
  void SetRandomSeed(int64_t seed);
  std::optional<int64_t> random_seed() const;
  int64_t num_nodes() const;

 private:
  ~ClientGraph() override;
  Status AddNodeLocked(const NodeSpec& spec, Node** node);
  Status Place(const NodeSpec& spec, Node* node);

  const OpRegistry& ops_;
  mutable Mutex mu_;  // guards all below
  Graph graph_;
  ShapeRefiner refiner_;
  UniqueNames names_;
  Status status_;
  bool finalized_ = false;
  int64_t num_functions_ = 0;
  std::optional<int64_t> seed_;
  std::shared_ptr<ControlFlowContext> context_;
  absl::flat_hash_map<NodeId, std::shared_ptr<ControlFlowContext>> contexts_;
  bool allows_foreign_inputs_ = false;
  Operation default_control_;
  NodeId default_control_since_ = 0;
  absl::flat_hash_set<NodeId> called_by_name_;
  absl::flat_hash_set<NodeId> unfetchable_;
  absl::flat_hash_set<OutputRef> unfeedable_;
  absl::flat_hash_map<std::string, std::vector<std::any>> collections_;
};

// Makes the node of a call of a function one whose op is the function.
void NameCall(NodeDef* node);

}  // namespace millrace
