#include "millrace/client/output.h"

#include "millrace/client/client_graph.h"
#include "millrace/graph/tensor_name.h"

namespace millrace {
namespace {

// Never destroyed: static objects of programs may still use it.
const std::string& EmptyString() {
  static const std::string& empty = *new std::string;
  return empty;
}

}  // namespace

const std::string& Operation::name() const {
  return node_ ? node_->name : EmptyString();
}

const std::string& Operation::type() const {
  return node_ ? node_->op->name : EmptyString();
}

const std::string& Operation::device() const {
  return node_ ? node_->requested_device : EmptyString();
}

Output Operation::output(int port) const {
  if (port < 0 || port >= num_outputs()) return {};
  return Output(*this, port);
}

std::vector<Output> Operation::outputs() const {
  std::vector<Output> list;
  for (int i = 0; i < num_outputs(); ++i) list.push_back(output(i));
  return list;
}

Output Operation::input(int port) const {
  if (port < 0 || port >= num_inputs()) return {};
  Output result;
  graph_->Read([&](const Graph& graph) {
    const OutputRef ref = node_->inputs[port];
    if (ref.node != kNoNode)
      result = Output({graph_, graph.node(ref.node)}, ref.port);
  });
  return result;
}

std::vector<Output> Operation::inputs() const {
  std::vector<Output> list;
  for (int i = 0; i < num_inputs(); ++i) list.push_back(input(i));
  return list;
}

std::vector<Operation> Operation::control_inputs() const {
  std::vector<Operation> list;
  if (!node_) return list;
  graph_->Read([&](const Graph& graph) {
    for (NodeId id : node_->control_inputs)
      list.emplace_back(graph_, graph.node(id));
  });
  return list;
}

std::string Output::name() const {
  return op_ ? TensorNameText(op_.name(), port_) : "";
}

DataType Output::dtype() const {
  return op_ ? RemoveRef(op_.node()->output_types[port_]) : DataType::kInvalid;
}

bool Output::is_ref() const {
  return op_ && IsRef(op_.node()->output_types[port_]);
}

PartialShape Output::shape() const {
  return op_ ? op_.graph()->Shape(*this) : PartialShape();
}

void Output::SetShape(const PartialShape& shape) const {
  if (op_) op_.graph()->Fail(op_.graph()->MergeShape(*this, shape), op_.name());
}

std::optional<Tensor> ConstantValue(const Output& output) {
  return output ? output.graph()->Value(output) : std::nullopt;
}

}  // namespace millrace
