#include "millrace/train/rnn/basic_rnn_cell.h"

#include "millrace/client/ops.h"

namespace millrace::train {

RnnCell::Step BasicRnnCell::Call(const VariableScope& variables,
                                 const Output& x,
                                 const std::vector<Output>& state) {
  const VariableScope block = variables.Sub(options_.name);
  const Scope& s = block.scope();
  if (!CheckCall(s, x, state)) return {};
  if (!kernel_) {
    kernel_ = block.GetValue("kernel",
                             TensorShape({x.shape().dim(1) + units_, units_}),
                             {.dtype = x.dtype()});
    bias_ = block.GetValue("bias", TensorShape({units_}),
                           {.dtype = x.dtype(), .initializer = Zeros()});
  }
  if (!kernel_ || !bias_) return {};
  const Output sums = Affine(s, x, state[0], kernel_, bias_);
  const Output h =
      options_.activation ? options_.activation(s, sums) : ops::Tanh(s, sums);
  return {h, {h}};
}

}  // namespace millrace::train
