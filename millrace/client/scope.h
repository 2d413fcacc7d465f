// Scope: where new ops of a graph get their name, device and dependencies from.
//
//   Scope root = Scope::NewRoot();
//   Scope hidden = root.SubScope("hidden").WithDevice("/job:ps/task:0");
//   Output w = ops::Placeholder(hidden.WithOpName("w"), DataType::kFloat);
//                                              // "hidden/w"
// A Scope is a small immutable value; functions that "change" it give a new
// one. Wrappers of ops (ops.h) never fail: the first error stays with the
// graph, whatever is built of it is null, and the session's Run reports it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "millrace/client/client_graph.h"

namespace millrace {

// What can be waited for.
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
  // A new graph, of the ops that this program has, or of others (which outlive
  // the graph).
  static Scope NewRoot();
  static Scope NewRoot(const OpRegistry& ops);
  // The root of a graph that exists.
  explicit Scope(Ref<ClientGraph> graph);

  ClientGraph& graph() const { return *graph_; }
  const Ref<ClientGraph>& graph_ref() const { return graph_; }

  // The graph's first error. An op that fails records it by Fail.
  Status status() const { return graph_->status(); }
  bool ok() const { return status().ok(); }
  void Fail(const Status& status, absl::string_view node = "") const {
    graph_->Fail(status, node);
  }

  // Names. A name block "a" in "b/" is "b/a/", a second one "b/a_1/"; "x/"
  // (with the slash) enters the block "x/" again; "" goes back to the root. A
  // malformed name is an error.
  Scope SubScope(absl::string_view name) const;
  const std::string& name() const { return prefix_; }  // "" or "a/b/"
  // Ops built here are called so instead of by their type ("x", then "x_1");
  // "x/" asks for exactly "x", from the root.
  Scope WithOpName(absl::string_view name) const;
  // The name for the next op, which is taken by this: a name given by
  // WithOpName, else `op`. "" after the error of a malformed one.
  std::string TakeOpName(absl::string_view op) const;
  // The same for a composed function: the block of its ops. Its last op may be
  // called by the block's own name through `WithOpName(block.name())`.
  Scope BlockFor(absl::string_view function) const;

  // Devices nest: a block inside sets what it names and leaves the rest to the
  // blocks outside. WithoutDevices hides those outside.
  Scope WithDevice(absl::string_view spec) const;
  Scope WithDevice(DeviceFunction function) const;
  Scope WithoutDevices() const;

  // Ops built here run after these, and after those of the scopes outside.
  Scope WithControlDependencies(std::vector<ControlInput> inputs) const;
  Scope WithoutControlDependencies() const;

  // Ops built here go where `op` goes; device blocks outside do not count.
  Scope ColocateWith(const Operation& op) const;
  Scope ColocateWith(const Output& output) const {
    return ColocateWith(output.op());
  }
  Scope WithoutColocation() const;

  // The container of stateful ops built here.
  Scope WithContainer(absl::string_view container) const;
  // An attribute that ops built here get besides their own; the name begins
  // with '_'.
  Scope WithAttr(absl::string_view name, AttrValue value) const;

  // The attributes seed and seed2 of a random op: of the graph's seed and the
  // op's, as tf.get_seed gives them. Both 0 asks for a random seed.
  std::pair<int64_t, int64_t> Seeds(
      std::optional<int64_t> op_seed = std::nullopt) const;

  // What AddNode needs, but for name, op, inputs and attributes of the op.
  // Views this scope.
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
