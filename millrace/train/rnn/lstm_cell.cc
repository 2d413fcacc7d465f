#include "millrace/train/rnn/lstm_cell.h"

#include "millrace/client/ops.h"

namespace millrace::train {
namespace {

Output Cut(const Scope& scope, const Output& x,
           const std::optional<double>& limit) {
  if (!limit) return x;
  return ops::ClipByValue(scope, x, -*limit, *limit);
}

}  // namespace

bool LstmCell::Build(const VariableScope& block, int64_t inputs,
                     DataType dtype) {
  const auto weight = [&](const VariableScope& where, const char* name,
                          const TensorShape& shape) {
    return where.GetValue(
        name, shape, {.dtype = dtype, .initializer = options_.initializer});
  };
  kernel_ = weight(block, "kernel",
                   TensorShape({inputs + output_size(), 4 * units_}));
  bias_ = block.GetValue("bias", TensorShape({4 * units_}),
                         {.dtype = dtype, .initializer = Zeros()});
  if (options_.use_peepholes) {
    w_f_diag_ = weight(block, "w_f_diag", TensorShape({units_}));
    w_i_diag_ = weight(block, "w_i_diag", TensorShape({units_}));
    w_o_diag_ = weight(block, "w_o_diag", TensorShape({units_}));
    if (!w_f_diag_ || !w_i_diag_ || !w_o_diag_) return false;
  }
  if (options_.projection) {
    projection_ = weight(block.Sub("projection"), "kernel",
                         TensorShape({units_, *options_.projection}));
    if (!projection_) return false;
  }
  return kernel_ && bias_;
}

Output LstmCell::Activate(const Scope& scope, const Output& x) const {
  return options_.activation ? options_.activation(scope, x)
                             : ops::Tanh(scope, x);
}

Output LstmCell::Gate(const Scope& scope, const Output& sum,
                      const Output& diagonal, const Output& c) const {
  if (!diagonal) return ops::Sigmoid(scope, sum);
  return ops::Sigmoid(scope,
                      ops::AddV2(scope, sum, ops::Mul(scope, diagonal, c)));
}

bool LstmCell::CreateVariables(const VariableScope& variables, int64_t inputs,
                               DataType dtype) {
  return kernel_ || Build(variables.Sub(options_.name), inputs, dtype);
}

RnnCell::Step LstmCell::Call(const VariableScope& variables, const Output& x,
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
      Gate(s, ops::AddV2(s, gates[2], options_.forget_bias), w_f_diag_, c);
  const Output input = Gate(s, gates[0], w_i_diag_, c);
  const Output new_c =
      Cut(s,
          ops::AddV2(s, ops::Mul(s, forget, c),
                     ops::Mul(s, input, Activate(s, gates[1]))),
          options_.cell_clip);
  const Output output = Gate(s, gates[3], w_o_diag_, new_c);
  Output new_h = ops::Mul(s, output, Activate(s, new_c));
  if (projection_) {
    new_h =
        Cut(s, ops::MatMul(s, new_h, projection_), options_.projection_clip);
  }
  return {new_h, {new_c, new_h}};
}

}  // namespace millrace::train
