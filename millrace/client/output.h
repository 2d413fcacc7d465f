// Operation and Output: references to a graph's nodes in code that builds
// graphs.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "millrace/graph/graph.h"

namespace millrace {

class ClientGraph;
class Output;

// A node of a client's graph: two pointers, valid as long as the graph is. Null
// if an error kept the node from being built (see Scope::status). Thread-safe.
class Operation {
 public:
  Operation() = default;
  Operation(ClientGraph* graph, const Node* node)
      : graph_(graph), node_(node) {}

  explicit operator bool() const { return node_ != nullptr; }
  ClientGraph* graph() const { return graph_; }
  // Name, op, attributes, requested device and types never change; read
  // everything else of the node with the functions below.
  const Node* node() const { return node_; }

  const std::string& name() const;  // "" if null
  const std::string& type() const;  // the op; "" if null
  const std::string& device() const;
  template <class T>
  StatusOr<T> Attr(absl::string_view name) const {
    if (!node_) return FailedPrecondition("the operation is null");
    return GetAttr<T>(node_->attrs, name);
  }

  int num_outputs() const { return node_ ? node_->num_outputs() : 0; }
  int num_inputs() const { return node_ ? node_->num_inputs() : 0; }
  Output output(int port) const;  // null if there is none
  std::vector<Output> outputs() const;
  Output input(int port) const;
  std::vector<Output> inputs() const;
  std::vector<Operation> control_inputs() const;

  friend bool operator==(const Operation&, const Operation&) = default;
  template <class H>
  friend H AbslHashValue(H h, const Operation& o) {
    return H::combine(std::move(h), o.node_);
  }

 private:
  ClientGraph* graph_ = nullptr;
  const Node* node_ = nullptr;
};

// One output of an Operation, with the same lifetime and thread safety.
class Output {
 public:
  Output() = default;
  Output(Operation op, int port) : op_(op), port_(port) {}

  explicit operator bool() const { return static_cast<bool>(op_); }
  const Operation& op() const { return op_; }
  int port() const { return port_; }
  OutputRef ref() const { return {op_ ? op_.node()->id : kNoNode, port_}; }
  ClientGraph* graph() const { return op_.graph(); }
  std::string name() const;  // "node:0", "" if null

  // Return the type of its values, kInvalid if null, and whether the output is
  // a variable (a reference).
  DataType dtype() const;
  bool is_ref() const;
  // Returns what is known of its shape.
  PartialShape shape() const;
  // Refines what is known of its shape. A contradiction is an error of the
  // graph, INVALID_ARGUMENT.
  void SetShape(const PartialShape& shape) const;

  friend bool operator==(const Output&, const Output&) = default;
  template <class H>
  friend H AbslHashValue(H h, const Output& o) {
    return H::combine(std::move(h), o.op_, o.port_);
  }

 private:
  Operation op_;
  int port_ = 0;
};

// Returns the value of an output that is the same in every step and known while
// the graph is built: a constant, or a value computed from shapes.
std::optional<Tensor> ConstantValue(const Output& output);

}  // namespace millrace
