#include "millrace/train/rnn/basic_rnn_cell.h"

#include "millrace/client/ops.h"

namespace millrace::train {

bool BasicRnnCell::Build(const VariableScope& block, int64_t inputs,
                         DataType dtype) {
  kernel_ = block.GetValue("kernel", TensorShape({inputs + units_, units_}),
                           {.dtype = dtype});
  bias_ = block.GetValue("bias", TensorShape({units_}),
                         {.dtype = dtype, .initializer = Zeros()});
  return kernel_ && bias_;
}

bool BasicRnnCell::CreateVariables(const VariableScope& variables,
                                   int64_t inputs, DataType dtype) {
  return kernel_ || Build(variables.Sub(options_.name), inputs, dtype);
}

RnnCell::Step BasicRnnCell::Call(const VariableScope& variables,
                                 const Output& x,
                                 const std::vector<Output>& state) {
  const VariableScope block = variables.Sub(options_.name);
  const Scope& s = block.scope();
  if (!CheckCall(s, x, state)) return {};
  if (!kernel_ && !Build(block, x.shape().dim(1), x.dtype())) return {};
  const Output sums = Affine(s, x, state[0], kernel_, bias_);
  const Output h =
      options_.activation ? options_.activation(s, sums) : ops::Tanh(s, sums);
  return {h, {h}};
}

}  // namespace millrace::train
