#include "millrace/train/rnn/dropout_wrapper.h"

#include "millrace/client/ops.h"
#include "millrace/train/layers/dropout.h"

namespace millrace::train {
namespace {

// Make the choices differ where one seed is given for several.
constexpr int64_t kInputSalt = 1;
constexpr int64_t kOutputSalt = 2;
constexpr int64_t kStateSalt = 3;
constexpr int64_t kNextStateSalt = 1 << 20;

}  // namespace

Output DropoutWrapper::Drop(const Scope& scope, const Output& x,
                            const Input& keep_prob, int64_t salt) const {
  if (!x) return x;
  std::optional<int64_t> seed;
  if (options_.seed) seed = *options_.seed * 8 + salt;
  if (!keep_prob.is_literal()) {
    return Dropout(scope, x, ops::Sub(scope, 1.0, keep_prob.output()),
                   {.seed = seed});
  }
  const StatusOr<double> kept = keep_prob.literal().Number();
  if (!kept.ok()) {
    scope.Fail(Prefix("a probability to keep: ", kept.status()),
               "DropoutWrapper");
    return {};
  }
  return Dropout(scope, x, 1 - *kept, {.seed = seed});
}

RnnCell::Step DropoutWrapper::Call(const VariableScope& variables,
                                   const Output& x,
                                   const std::vector<Output>& state) {
  const Scope& s = variables.scope();
  Step step = cell_->Call(
      variables, Drop(s, x, options_.input_keep_prob, kInputSalt), state);
  const std::vector<bool> is_memory = cell_->state_is_memory();
  for (size_t i = 0; i < step.state.size(); ++i) {
    if (i < is_memory.size() && is_memory[i]) continue;
    step.state[i] = Drop(s, step.state[i], options_.state_keep_prob,
                         kStateSalt + static_cast<int64_t>(i) * kNextStateSalt);
  }
  step.output = Drop(s, step.output, options_.output_keep_prob, kOutputSalt);
  return step;
}

}  // namespace millrace::train
