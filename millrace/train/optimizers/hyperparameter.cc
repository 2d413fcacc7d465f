#include "millrace/train/optimizers/hyperparameter.h"

#include "millrace/client/ops.h"

namespace millrace::train {

void Hyperparameter::StartBlock(const Scope& block) {
  block_ = block;
  made_.clear();
}

Output Hyperparameter::For(const ops::Variable& variable) {
  const DataType type = variable.dtype();
  const Scope named = block_->WithOpName(name_);
  if (!value_.is_literal()) {
    const Output& value = value_.output();
    if (value.dtype() == type) return value;
    Output& cast = made_[{"", type}];
    if (!cast) cast = ops::Cast(named.ColocateWith(value), value, type);
    return cast;
  }
  const std::string& device = variable.op().device();
  Output& constant = made_[{device, type}];
  if (!constant) {
    const Scope anywhere = named.WithoutDevices();
    constant =
        ops::Const(device.empty() ? anywhere : anywhere.WithDevice(device),
                   value_.literal(), type);
  }
  return constant;
}

}  // namespace millrace::train
