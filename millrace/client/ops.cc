#include "millrace/client/ops.h"

#include <map>

#include "millrace/client/op_builder.h"
#include "millrace/graph/builtin_ops.h"

namespace millrace::ops {
namespace {

Output AddConst(const Scope& scope, const StatusOr<Tensor>& value) {
  if (!value.ok()) {
    scope.Fail(value.status(), scope.TakeOpName("Const"));
    return {};
  }
  OpBuilder op(scope, builtin::kConst);
  op.Attr("value", *value).Attr("dtype", value->dtype());
  return op.Finish().output(0);
}

}  // namespace

Output Const(const Scope& scope, const Literal& value) {
  if (!value.status().ok()) return AddConst(scope, value.status());
  return AddConst(scope, value.tensor());
}

Output Const(const Scope& scope, const Literal& value, DataType type) {
  return AddConst(scope, value.As(type));
}

Operation Group(const Scope& scope, const std::vector<ControlInput>& inputs) {
  const Scope block = scope.BlockFor("group_deps");
  std::map<std::string, std::vector<ControlInput>> by_device;
  for (const ControlInput& input : inputs) {
    if (input.op()) by_device[input.op().device()].push_back(input);
  }
  const Scope last = block.WithOpName(block.name());
  if (by_device.size() <= 1) {
    const std::string device =
        by_device.empty() ? "" : by_device.begin()->first;
    const Scope there =
        device.empty() ? last : last.WithoutDevices().WithDevice(device);
    return NoOp(there.WithControlDependencies(inputs));
  }
  std::vector<ControlInput> groups;
  for (const auto& [device, members] : by_device) {
    const Scope there =
        device.empty() ? block : block.WithoutDevices().WithDevice(device);
    groups.push_back(NoOp(there.WithControlDependencies(members)));
  }
  return NoOp(last.WithControlDependencies(groups));
}

Output WithDependencies(const Scope& scope,
                        const std::vector<ControlInput>& inputs,
                        const Output& output) {
  return Identity(scope.ColocateWith(output).WithControlDependencies(inputs),
                  output);
}

std::vector<Output> Tuple(const Scope& scope,
                          const std::vector<Output>& outputs,
                          const std::vector<ControlInput>& inputs) {
  const Scope block = scope.BlockFor("tuple");
  std::vector<ControlInput> gates = inputs;
  for (const Output& output : outputs) {
    if (output) gates.push_back(output);
  }
  const Operation gate = Group(block, gates);
  std::vector<Output> result;
  for (const Output& output : outputs) {
    result.push_back(
        output ? WithDependencies(block.WithOpName("control_dependency"),
                                  {gate}, output)
               : Output());
  }
  return result;
}

}  // namespace millrace::ops
