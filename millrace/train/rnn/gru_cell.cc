#include "millrace/train/rnn/gru_cell.h"

#include "millrace/client/ops.h"

namespace millrace::train {

bool GruCell::Build(const VariableScope& block, int64_t inputs,
                    DataType dtype) {
  const auto bias_initializer = [&](const Initializer& otherwise) {
    return options_.bias_initializer ? options_.bias_initializer : otherwise;
  };
  const VariableScope gates = block.Sub("gates");
  gate_kernel_ = gates.GetValue(
      "kernel", TensorShape({inputs + units_, 2 * units_}),
      {.dtype = dtype, .initializer = options_.kernel_initializer});
  gate_bias_ =
      gates.GetValue("bias", TensorShape({2 * units_}),
                     {.dtype = dtype, .initializer = bias_initializer(Ones())});
  const VariableScope candidate = block.Sub("candidate");
  candidate_kernel_ = candidate.GetValue(
      "kernel", TensorShape({inputs + units_, units_}),
      {.dtype = dtype, .initializer = options_.kernel_initializer});
  candidate_bias_ = candidate.GetValue(
      "bias", TensorShape({units_}),
      {.dtype = dtype, .initializer = bias_initializer(Zeros())});
  return gate_kernel_ && gate_bias_ && candidate_kernel_ && candidate_bias_;
}

bool GruCell::CreateVariables(const VariableScope& variables, int64_t inputs,
                              DataType dtype) {
  return gate_kernel_ || Build(variables.Sub(options_.name), inputs, dtype);
}

RnnCell::Step GruCell::Call(const VariableScope& variables, const Output& x,
                            const std::vector<Output>& state) {
  const VariableScope block = variables.Sub(options_.name);
  const Scope& s = block.scope();
  if (!CheckCall(s, x, state)) return {};
  if (!gate_kernel_ && !Build(block, x.shape().dim(1), x.dtype())) return {};
  const Output& h = state[0];
  const std::vector<Output> gates = ops::Split(
      s, 1, ops::Sigmoid(s, Affine(s, x, h, gate_kernel_, gate_bias_)), 2);
  if (gates.size() != 2) return {};
  const Output& reset = gates[0];
  const Output& update = gates[1];
  const Output sums =
      Affine(s, x, ops::Mul(s, reset, h), candidate_kernel_, candidate_bias_);
  const Output candidate =
      options_.activation ? options_.activation(s, sums) : ops::Tanh(s, sums);
  const Output new_h =
      ops::AddV2(s, ops::Mul(s, update, h),
                 ops::Mul(s, ops::Sub(s, 1.0, update), candidate));
  return {new_h, {new_h}};
}

}  // namespace millrace::train
