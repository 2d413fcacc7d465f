#include "millrace/train/rnn/dynamic_rnn.h"

#include "millrace/client/gradients/grad_shapes.h"
#include "millrace/client/ops.h"
#include "millrace/client/while_loop.h"

namespace millrace::train {
namespace {

using Outputs = std::vector<Output>;

// The result after an error of the graph.
DynamicRnnResult Nothing(const RnnCell& cell) {
  return {Output(), Outputs(cell.state_sizes().size())};
}

// Exchanges batch and time.
Output BatchAndTimeSwapped(const Scope& scope, const Output& x) {
  return ops::Transpose(scope, x, {1, 0, 2});
}

// Lives for one call: builds the loop over time-major inputs.
class RnnLoop {
 public:
  RnnLoop(const VariableScope& block, RnnCell& cell, const Output& x,
          const DynamicRnnOptions& options)
      : block_(block),
        s_(block.scope()),
        cell_(cell),
        x_(x),
        options_(options),
        known_steps_(x.shape().dim(0)),
        known_batch_(x.shape().dim(1)) {
    const Output shape = ShapeOf(s_, x);
    steps_ = Element(s_, shape, 0);
    batch_ = Element(s_, shape, 1);
  }

  Status Begin() {
    const int64_t depth = x_.shape().dim(2);
    if (!cell_.CreateVariables(block_, depth, x_.dtype())) {
      MR_RETURN_IF_ERROR(s_.status());
      return InvalidArgument(
          "the cell of a recurrent network has no variables");
    }
    MR_RETURN_IF_ERROR(BeginState());
    bound_ = steps_;
    if (options_.sequence_length) MR_RETURN_IF_ERROR(BeginLengths());
    const Output all = ops::Range(s_, 0, steps_, 1);
    const auto in = NewArray(depth);
    in_ = in.handle;
    filled_ = ops::TensorArrayScatterV3(s_, in_, all, x_, in.flow);
    const auto out = NewArray(cell_.output_size());
    out_ = out.handle;
    empty_ = out.flow;
    all_ = all;
    return s_.status();
  }

  DynamicRnnResult Run() {
    Outputs begin = {ops::Const(s_.WithOpName("time"), 0), empty_};
    begin.insert(begin.end(), state_.begin(), state_.end());
    std::vector<PartialShape> shapes = {PartialShape({}), PartialShape({})};
    for (const Output& state : state_) shapes.push_back(state.shape());
    const Outputs last = ops::WhileLoop(
        s_, begin,
        [this](const Scope& c, const Outputs& v) {
          return ops::Less(c, v[0], bound_);
        },
        [this](const Scope& b, const Outputs& v) { return Step(b, v); },
        {.parallel_iterations = options_.parallel_iterations,
         .shape_invariants = shapes});
    if (!s_.ok()) return Nothing(cell_);
    DynamicRnnResult result;
    result.outputs = ops::TensorArrayGatherV3(
        s_, out_, all_, last[1], x_.dtype(),
        {.element_shape = PartialShape({known_batch_, cell_.output_size()})});
    result.outputs.SetShape(
        PartialShape({known_steps_, known_batch_, cell_.output_size()}));
    result.state.assign(last.begin() + 2, last.end());
    return result;
  }

 private:
  // The state to begin with, its shapes as far as they are known of the inputs.
  Status BeginState() {
    const std::vector<int64_t> sizes = cell_.state_sizes();
    const Outputs given = options_.initial_state.empty()
                              ? cell_.ZeroState(s_, batch_, x_.dtype())
                              : options_.initial_state;
    if (given.size() != sizes.size()) {
      return InvalidArgument("the state of a cell has ", sizes.size(),
                             " tensors, initial_state has ", given.size());
    }
    for (size_t i = 0; i < sizes.size(); ++i) {
      const PartialShape shape({known_batch_, sizes[i]});
      if (!given[i]) {
        MR_RETURN_IF_ERROR(s_.status());
        return InvalidArgument("initial_state ", i, " is null");
      }
      if (given[i].dtype() != x_.dtype() ||
          !given[i].shape().IsCompatibleWith(shape)) {
        return InvalidArgument(
            "initial_state ", i, " is ", DataTypeName(given[i].dtype()), " ",
            given[i].shape().DebugString(), ", expected ",
            DataTypeName(x_.dtype()), " ", shape.DebugString());
      }
      const Output state = ops::Identity(s_, given[i]);
      state.SetShape(shape);
      state_.push_back(state);
    }
    return s_.status();
  }

  Status BeginLengths() {
    const Output& lengths = options_.sequence_length;
    const PartialShape vector({known_batch_});
    if (!lengths.shape().IsCompatibleWith(vector)) {
      return InvalidArgument(
          "sequence_length must be a vector of length batch, ",
          vector.DebugString(), ", is ", lengths.shape().DebugString());
    }
    length_ = ops::Cast(s_, lengths, DataType::kInt32);
    const Output shape = ops::Pack(
        s_,
        {batch_, ops::Const(s_, static_cast<int32_t>(cell_.output_size()))});
    zeros_ = ops::Fill(s_, shape, ops::Const(s_, 0.0, x_.dtype()));
    // One step at least, from which the arrays learn the shape of their
    // elements.
    const Output longest = ops::Maximum(s_, ops::Max(s_, length_, {0}), 1);
    bound_ = ops::Minimum(s_, steps_, longest);
    return s_.status();
  }

  ops::TensorArrayV3Outputs NewArray(int64_t width) const {
    return ops::TensorArrayV3(
        s_, steps_, x_.dtype(),
        {.element_shape = PartialShape({known_batch_, width}),
         .identical_element_shapes = true});
  }

  // Builds one iteration: {time, flow, state...}.
  Outputs Step(const Scope& b, const Outputs& v) const {
    const Output& time = v[0];
    const Output x = ops::TensorArrayReadV3(b, in_, time, filled_, x_.dtype());
    if (!x) return {};
    x.SetShape(PartialShape({known_batch_, x_.shape().dim(2)}));
    const Outputs state(v.begin() + 2, v.end());
    RnnCell::Step step = cell_.Call(block_.WithScope(b), x, state);
    if (!step.output || step.state.size() != state.size()) return {};
    if (length_) {
      // Rows of finished examples are unchanged. Each is chosen on the device
      // of its layer.
      const Output over = ops::LessEqual(b, length_, time);
      const auto choose = [&](const Output& old, const Output& now) {
        return ops::Select(b.WithDevice(now.op().device()), over, old, now);
      };
      step.output = choose(zeros_, step.output);
      for (size_t i = 0; i < state.size(); ++i) {
        step.state[i] = choose(state[i], step.state[i]);
      }
    }
    Outputs next = {ops::AddV2(b, time, 1),
                    ops::TensorArrayWriteV3(b, out_, time, step.output, v[1])};
    for (size_t i = 0; i < state.size(); ++i) {
      if (!step.state[i]) return {};
      step.state[i].SetShape(state[i].shape());
      next.push_back(step.state[i]);
    }
    return next;
  }

  const VariableScope& block_;
  const Scope& s_;
  RnnCell& cell_;
  const Output& x_;
  const DynamicRnnOptions& options_;
  const int64_t known_steps_;  // or kUnknownDim
  const int64_t known_batch_;
  Output steps_;
  Output batch_;
  Output bound_;  // the number of iterations
  Outputs state_;
  Output length_;  // null: all examples have all steps
  Output zeros_;   // an output behind the end
  Output all_;     // the indices of all steps
  Output in_;      // the array of inputs
  Output filled_;
  Output out_;  // the array of outputs
  Output empty_;
};

// Reverses the order of steps, of each example up to its own end.
Output ReversedInTime(const Scope& scope, const Output& x,
                      const BidirectionalDynamicRnnOptions& options) {
  const int32_t time = options.time_major ? 0 : 1;
  if (!options.sequence_length) return ops::ReverseV2(scope, x, {time});
  return ops::ReverseSequence(scope, x, options.sequence_length, time,
                              {.batch_dim = 1 - time});
}

}  // namespace

DynamicRnnResult DynamicRnn(const VariableScope& variables, RnnCell& cell,
                            const Output& inputs,
                            const DynamicRnnOptions& options) {
  const VariableScope block = variables.Sub(options.name);
  const Scope& s = block.scope();
  if (!s.ok()) return Nothing(cell);
  const auto fail = [&](const Status& status) {
    s.Fail(status, options.name);
    return Nothing(cell);
  };
  if (!inputs) {
    return fail(
        InvalidArgument("inputs of a recurrent network must not be null"));
  }
  const PartialShape shape = inputs.shape();
  if (!shape.known_rank() || shape.rank() != 3 || shape.dim(2) == kUnknownDim) {
    return fail(InvalidArgument(
        "Expected inputs of a recurrent network to be ",
        options.time_major ? "[time, batch, n]" : "[batch, time, n]",
        " with a known n, saw shape: ", shape.DebugString()));
  }
  const Output x = options.time_major ? inputs : BatchAndTimeSwapped(s, inputs);
  if (!x) return Nothing(cell);
  RnnLoop loop(block, cell, x, options);
  const Status begun = loop.Begin();
  if (!begun.ok()) return fail(begun);
  DynamicRnnResult result = loop.Run();
  if (!options.time_major && result.outputs) {
    result.outputs = BatchAndTimeSwapped(s, result.outputs);
  }
  return result;
}

BidirectionalDynamicRnnResult BidirectionalDynamicRnn(
    const VariableScope& variables, RnnCell& forward, RnnCell& backward,
    const Output& inputs, const BidirectionalDynamicRnnOptions& options) {
  const VariableScope block = variables.Sub(options.name);
  DynamicRnnOptions one = {.sequence_length = options.sequence_length,
                           .initial_state = options.initial_state_forward,
                           .time_major = options.time_major,
                           .parallel_iterations = options.parallel_iterations,
                           .name = "fw"};
  BidirectionalDynamicRnnResult result = {Nothing(forward), Nothing(backward)};
  result.forward = DynamicRnn(block, forward, inputs, one);
  if (!result.forward.outputs) return result;
  one.initial_state = options.initial_state_backward;
  one.name = "bw";
  result.backward = DynamicRnn(
      block, backward, ReversedInTime(block.scope(), inputs, options), one);
  if (result.backward.outputs) {
    result.backward.outputs =
        ReversedInTime(block.scope(), result.backward.outputs, options);
  }
  return result;
}

}  // namespace millrace::train
