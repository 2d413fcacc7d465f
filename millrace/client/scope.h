// Scope: determines the names, devices and control dependencies of new ops.
//
//   Scope root = Scope::NewRoot();
//   Scope hidden = root.SubScope("hidden").WithDevice("/job:ps/task:0");
//   Output w = ops::Placeholder(hidden.WithOpName("w"), DataType::kFloat);
//                                              // "hidden/w"
// A Scope is a small immutable value; functions that "change" it return a new
// one. Wrappers of ops (ops.h) never fail: the graph keeps the first error,
// everything built from the failed op is null, and the session's Run reports
// the error.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "millrace/client/client_graph.h"

namespace millrace {

// An operation, or the operation of an output, on which others can wait.
class ControlInput {
 public:
  ControlInput(const Operation& op) : op_(op) {}            // NOLINT
  ControlInput(const Output& output) : op_(output.op()) {}  // NOLINT
  template <class T>
  requires(!std::is_same_v<T, ControlInput> && !std::is_same_v<T, Output> &&
           std::is_convertible_v<const T&, Output>)
      ControlInput(const T& source)  // NOLINT
      : op_(static_cast<Output>(source).op()) {}
  const Operation& op() const { return op_; }

 private:
  Operation op_;
};

// Thread-safe, like its graph. Keeps the graph alive.
class Scope {
 public:
  // Returns the root scope of a new graph, of this program's ops, or of others
  // (which must outlive the graph).
  static Scope NewRoot();
  static Scope NewRoot(const OpRegistry& ops);
  // Creates the root scope of an existing graph.
  explicit Scope(Ref<ClientGraph> graph);

  ClientGraph& graph() const { return *graph_; }
  const Ref<ClientGraph>& graph_ref() const { return graph_; }

  // Returns the graph's first error. An op that fails records it with Fail.
  Status status() const { return graph_->status(); }
  bool ok() const { return status().ok(); }
  void Fail(const Status& status, absl::string_view node = "") const {
    graph_->Fail(status, node);
  }

  // Names. SubScope("a") in "b/" opens the name block "b/a/", a second time
  // "b/a_1/"; "x/" (with the slash) enters the block "x/" again; "" returns to
  // the root. A malformed name is an error.
  Scope SubScope(absl::string_view name) const;
  const std::string& name() const { return prefix_; }  // "" or "a/b/"
  // Names the ops built here, instead of by their type ("x", then "x_1"); "x/"
  // stands for exactly "x", from the root.
  Scope WithOpName(absl::string_view name) const;
  // Takes the name for the next op and returns it: a name given by WithOpName,
  // otherwise one made from `op`. "" after the error of a malformed one.
  std::string TakeOpName(absl::string_view op) const;
  // Does the same for a function that builds several ops: returns the block of
  // its ops. Its last op may get the block's own name through
  // `WithOpName(block.name())`.
  Scope BlockFor(absl::string_view function) const;

  // Devices nest: an inner block sets the parts that it names and leaves the
  // rest to the outer blocks. WithoutDevices hides the outer blocks.
  Scope WithDevice(absl::string_view spec) const;
  Scope WithDevice(DeviceFunction function) const;
  Scope WithoutDevices() const;

  // Ops built here run after these, and after those of the outer scopes.
  Scope WithControlDependencies(std::vector<ControlInput> inputs) const;
  Scope WithoutControlDependencies() const;

  // Ops built here are placed on the device of `op`; outer device blocks are
  // ignored.
  Scope ColocateWith(const Operation& op) const;
  Scope ColocateWith(const Output& output) const {
    return ColocateWith(output.op());
  }
  Scope WithoutColocation() const;

  // Sets the container of stateful ops built here.
  Scope WithContainer(absl::string_view container) const;
  // Sets an attribute that ops built here get in addition to their own; the
  // name begins with '_'.
  Scope WithAttr(absl::string_view name, AttrValue value) const;

  // Returns the attributes seed and seed2 of a random op: from the graph's seed
  // and the op's, as tf.get_seed does. Two zeros stand for a random seed.
  std::pair<int64_t, int64_t> Seeds(
      std::optional<int64_t> op_seed = std::nullopt) const;

  // Returns what AddNode needs, except name, op, inputs and attributes of the
  // op. The result refers to this scope.
  ClientGraph::NodeSpec NewNode() const;

 private:
  Ref<ClientGraph> graph_;
  std::string prefix_;
  std::string op_name_;
  std::shared_ptr<const DeviceBlock> devices_;
  std::vector<Operation> control_inputs_;
  std::vector<std::string> colocation_;
  std::string colocation_device_;
  std::string container_;
  AttrMap attrs_;
};

}  // namespace millrace
