#include "millrace/train/rnn/static_rnn.h"

#include "millrace/client/gradients/grad_shapes.h"
#include "millrace/client/ops.h"

namespace millrace::train {

StaticRnnResult StaticRnn(const VariableScope& variables, RnnCell& cell,
                          const std::vector<Output>& inputs,
                          const StaticRnnOptions& options) {
  const VariableScope block = variables.Sub(options.name);
  const Scope& s = block.scope();
  if (inputs.empty() || !inputs[0]) {
    s.Fail(InvalidArgument("inputs of a recurrent network must not be empty"),
           options.name);
    return {};
  }
  StaticRnnResult result;
  result.state = options.initial_state;
  const Output batch = Element(s, ShapeOf(s, inputs[0]), 0);
  if (result.state.empty()) {
    result.state = cell.ZeroState(s, batch, inputs[0].dtype());
  }
  Output zeros;
  Output length;
  if (options.sequence_length) {
    length = ops::Cast(s, options.sequence_length, DataType::kInt32);
    const Output shape = ops::Pack(
        s, {batch, ops::Const(s, static_cast<int32_t>(cell.output_size()))});
    zeros = ops::Fill(s, shape, ops::Const(s, 0.0, inputs[0].dtype()));
  }
  for (size_t time = 0; time < inputs.size(); ++time) {
    RnnCell::Step step = cell.Call(block, inputs[time], result.state);
    if (!step.output || step.state.size() != result.state.size()) return {};
    if (length) {
      // Rows of finished examples are unchanged. Each is chosen on the device
      // of its layer, so that states stay there.
      const Output over = ops::LessEqual(s, length, static_cast<int32_t>(time));
      const auto choose = [&](const Output& old, const Output& now) {
        return ops::Select(s.WithDevice(now.op().device()), over, old, now);
      };
      step.output = choose(zeros, step.output);
      for (size_t i = 0; i < step.state.size(); ++i) {
        step.state[i] = choose(result.state[i], step.state[i]);
      }
    }
    result.outputs.push_back(step.output);
    result.state = std::move(step.state);
  }
  return result;
}

}  // namespace millrace::train
