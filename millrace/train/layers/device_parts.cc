#include "millrace/train/layers/device_parts.h"

#include "absl/strings/str_cat.h"

namespace millrace::train {

bool CheckCut(const VariableScope& block, const char* layer, const char* what,
              int64_t size, const std::vector<std::string>& devices) {
  const auto count = static_cast<int64_t>(devices.size());
  if (count > 0 && size >= count) return true;
  block.scope().Fail(
      count == 0
          ? InvalidArgument(layer, ": expected at least one device, got none")
          : InvalidArgument(layer, ": each device needs a part, but ", size,
                            " ", what, " cannot be cut for ", count,
                            " devices; at most ", size, " can be used"),
      block.name());
  return false;
}

ops::PartitionedVariable VariableInParts(
    const VariableScope& block, absl::string_view name,
    const TensorShape& shape, int axis, const std::vector<std::string>& devices,
    GetVariableOptions options) {
  options.partitioner = FixedSizePartitioner(
      static_cast<int64_t>(devices.size()), {.axis = axis});
  options.part_devices = devices;
  const ops::PartitionedVariable variable =
      block.GetPartitioned(name, shape, options);
  if (!variable) return variable;
  const size_t parts = variable.parts().size();
  if (parts == devices.size() && (parts == 1 || variable.axis() == axis)) {
    return variable;
  }
  block.scope().Fail(
      InvalidArgument("Trying to share variable ", variable.name(),
                      ", but it is needed in ", devices.size(),
                      " parts along axis ", axis, " and found in ", parts,
                      " parts along axis ", variable.axis(), "."),
      variable.name());
  return {};
}

Scope ScopeOfPart(const Scope& scope, const std::vector<std::string>& devices,
                  size_t i) {
  return scope.SubScope(absl::StrCat("part_", i)).WithDevice(devices[i]);
}

}  // namespace millrace::train
