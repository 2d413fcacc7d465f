// ClientGraph: a graph while a program builds it – names, shapes, collections,
// and the first error.
#pragma once

#include <any>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "millrace/base/memory/ref.h"
#include "millrace/base/threads/thread.h"
#include "millrace/client/device_block.h"
#include "millrace/client/output.h"
#include "millrace/client/unique_names.h"
#include "millrace/graph/shape_refiner.h"

namespace millrace {

// A point in the life of a graph that only grows.
struct GraphMark {
  NodeId nodes = 0;
  int64_t functions = 0;
  friend bool operator==(const GraphMark&, const GraphMark&) = default;
};

// Thread-safe: every function holds the graph's lock while it runs. Nodes are
// never removed or changed once another thread can see them, but while a loop
// is built.
class ClientGraph final : public RefCounted {
 public:
  // `ops` outlives the graph.
  explicit ClientGraph(const OpRegistry& ops);

  const OpRegistry& ops() const { return ops_; }

  // As tf.Graph.unique_name: names differ in more than case; `name` is marked
  // as taken, so "x" gives "x", then "x_1".
  std::string UniqueName(absl::string_view name);

  // Everything of a node to be. Names are taken as they are.
  struct NodeSpec {
    std::string name;
    std::string op;
    absl::Span<const Output> inputs;
    AttrMap attrs;
    std::vector<Operation>
        control_inputs;  // those that are inputs, too, are left out
    std::vector<std::string> colocation;   // "loc:@name"
    const DeviceBlock* devices = nullptr;  // innermost; may be null
    std::string device;                    // wins over the blocks unless empty
    std::string container;         // for stateful ops with such an attribute
    bool may_lack_inputs = false;  // the last ones come by SetInput
  };
  // Adds the node and infers its shapes, or adds nothing.
  StatusOr<Operation> AddNode(const NodeSpec& spec);
  // For code that builds loops: connects an input that AddNode left open, or
  // another one in its place.
  Status SetInput(const Operation& dst, int port, const Output& src);
  void AddControlInput(const Operation& dst, const Operation& src);
  void RemoveControlInput(const Operation& dst, const Operation& src);
  // Removes nodes that nobody holds.
  void RemoveNodes(absl::Span<const NodeId> ids);

  // INVALID_ARGUMENT if there is another function of that name.
  Status AddFunction(FunctionDef function);
  Status AddFunctions(const FunctionLibraryDef& library);

  // The schema of an op or of a function of the graph.
  StatusOr<const OpDef*> FindOp(absl::string_view op);
  // Null if there is none of that name.
  Operation Find(absl::string_view name) const;
  // By "name:port" or "name".
  StatusOr<Output> FindOutput(absl::string_view name) const;

  PartialShape Shape(const Output& output) const;
  Status MergeShape(const Output& output, const PartialShape& shape);
  std::optional<Tensor> Value(const Output& output);
  // What is known behind a handle, or of a list's elements; empty: nothing.
  std::vector<HandleShape> Handles(const Output& output) const;
  // The type of the variable behind `handle`; kInvalid if it is not known.
  DataType VariableType(const Output& handle) const;

  // Calls `f` under the lock; it may use the graph only.
  void Read(absl::FunctionRef<void(const Graph&)> f) const;

  // The first error, OK if there was none. Keeps it: the graph is broken.
  Status status() const;
  // Records an error unless there is one. `node` names the op that failed.
  void Fail(const Status& status, absl::string_view node);
  // For programs that go on in spite of an error.
  void ClearStatus();

  // From now on AddNode fails with FAILED_PRECONDITION.
  void Finalize();

  // Nodes from a mark on, up to another (default: all), with the functions that
  // came in between, for ExtendSession. `End` is a mark for what comes after.
  GraphMark End() const;
  GraphDef Export(const GraphMark& from = {}) const {
    return Export(from, End());
  }
  GraphDef Export(const GraphMark& from, const GraphMark& to) const;
  // Adds all of `def`, each name with `prefix` ("" or "a/") before it. Inputs
  // that `input_map` names (as in the def, "x" or "x:1") are replaced.
  Status Import(
      const GraphDef& def, absl::string_view prefix = "",
      const std::vector<std::pair<std::string, Output>>& input_map = {});

  // Collections: lists of anything, by name. An element may occur once more.
  void AddToCollection(absl::string_view name, std::any value);
  // Elements of type T, in order.
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

  // The seed of random ops that have none of their own; see Scope::Seeds.
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
  absl::flat_hash_map<std::string, std::vector<std::any>> collections_;
};

}  // namespace millrace
