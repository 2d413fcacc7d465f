#include "millrace/train/rnn/basic_lstm_cell.h"

#include "millrace/client/ops.h"

namespace millrace::train {

Output BasicLstmCell::Activate(const Scope& scope, const Output& x) const {
  return options_.activation ? options_.activation(scope, x)
                             : ops::Tanh(scope, x);
}

bool BasicLstmCell::Build(const VariableScope& block, int64_t inputs,
                          DataType dtype) {
  kernel_ = block.GetValue("kernel", TensorShape({inputs + units_, 4 * units_}),
                           {.dtype = dtype});
  bias_ = block.GetValue("bias", TensorShape({4 * units_}),
                         {.dtype = dtype, .initializer = Zeros()});
  return kernel_ && bias_;
}

bool BasicLstmCell::CreateVariables(const VariableScope& variables,
                                    int64_t inputs, DataType dtype) {
  return kernel_ || Build(variables.Sub(options_.name), inputs, dtype);
}

RnnCell::Step BasicLstmCell::Call(const VariableScope& variables,
                                  const Output& x,
                                  const std::vector<Output>& state) {
  const VariableScope block = variables.Sub(options_.name);
  const Scope& s = block.scope();
  if (!CheckCall(s, x, state)) return {};
  if (!kernel_ && !Build(block, x.shape().dim(1), x.dtype())) return {};
  const Output& c = state[0];
  const std::vector<Output> gates =
      ops::Split(s, 1, Affine(s, x, state[1], kernel_, bias_), 4);
  if (gates.size() != 4) return {};
  const Output forget =
      ops::Sigmoid(s, ops::AddV2(s, gates[2], options_.forget_bias));
  const Output input =
      ops::Mul(s, ops::Sigmoid(s, gates[0]), Activate(s, gates[1]));
  const Output new_c = ops::AddV2(s, ops::Mul(s, c, forget), input);
  const Output new_h =
      ops::Mul(s, Activate(s, new_c), ops::Sigmoid(s, gates[3]));
  return {new_h, {new_c, new_h}};
}

}  // namespace millrace::train
