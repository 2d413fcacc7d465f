// Tests loops against the same cells unrolled, and against numbers written out.
#include "millrace/train/rnn/dynamic_rnn.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>

#include "millrace/client/gradients.h"
#include "millrace/client/ops.h"
#include "millrace/client/session.h"
#include "millrace/train/layers/regularizers.h"
#include "millrace/train/optimizers/gradient_descent.h"
#include "millrace/train/rnn/basic_lstm_cell.h"
#include "millrace/train/rnn/basic_rnn_cell.h"
#include "millrace/train/rnn/device_wrapper.h"
#include "millrace/train/rnn/dropout_wrapper.h"
#include "millrace/train/rnn/gru_cell.h"
#include "millrace/train/rnn/lstm_cell.h"
#include "millrace/train/rnn/multi_rnn_cell.h"
#include "millrace/train/rnn/static_rnn.h"
#include "millrace/train/testing/cpus_suite.h"

namespace millrace::train {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pointwise;

constexpr int64_t kLoopBatch = 3;
constexpr int64_t kLoopSteps = 4;
constexpr int64_t kLoopDepth = 2;

using CellMaker = std::function<std::unique_ptr<RnnCell>()>;

std::unique_ptr<RnnCell> Stacked() {
  std::vector<std::unique_ptr<RnnCell>> cells;
  cells.push_back(std::make_unique<BasicLstmCell>(3));
  cells.push_back(std::make_unique<DropoutWrapper>(
      std::make_unique<GruCell>(2),
      DropoutWrapperOptions{.output_keep_prob = 1.0}));
  return std::make_unique<MultiRnnCell>(std::move(cells));
}

std::vector<CellMaker> AllCells() {
  return {
      [] { return std::make_unique<BasicRnnCell>(3); },
      [] { return std::make_unique<BasicLstmCell>(3); },
      [] { return std::make_unique<GruCell>(3); },
      [] {
        return std::make_unique<LstmCell>(
            3, LstmCellOptions{.use_peepholes = true, .projection = 2});
      },
      Stacked,
  };
}

// [batch, time, n], different numbers everywhere.
Tensor LoopInputs() {
  Tensor x = Tensor::New(DataType::kFloat,
                         TensorShape({kLoopBatch, kLoopSteps, kLoopDepth}));
  auto out = x.mutable_flat<float>();
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<float>((static_cast<int>(i) * 7) % 11 - 5) / 4;
  return x;
}

std::vector<float> FloatsOf(const Tensor& tensor) {
  const auto flat = tensor.flat<float>();
  return {flat.begin(), flat.end()};
}

// The outputs [batch, time, units] and the state of an unrolled network.
DynamicRnnResult Unrolled(const VariableScope& variables, RnnCell& cell,
                          const Output& x, const Output& lengths) {
  const Scope& s = variables.scope();
  const StaticRnnResult rnn =
      StaticRnn(variables, cell, ops::Unpack(s, x, kLoopSteps, {.axis = 1}),
                {.sequence_length = lengths});
  return {ops::Pack(s, rnn.outputs, {.axis = 1}), rnn.state};
}

// A scalar to which every output and every state contributes differently.
Output LossOf(const Scope& s, const DynamicRnnResult& rnn) {
  const auto part = [&](const Output& x, float scale) {
    const Output squares = ops::Square(s, ops::AddV2(s, x, scale));
    return ops::Sum(s, ops::Reshape(s, squares, {-1}), {0});
  };
  Output loss = part(rnn.outputs, 0.5f);
  for (size_t i = 0; i < rnn.state.size(); ++i) {
    loss =
        ops::AddV2(s, loss, part(rnn.state[i], static_cast<float>(i) * 0.25f));
  }
  return loss;
}

enum class Lengths { kAll, kSome, kLong };

void ExpectLikeUnrolled(const CellMaker& make, bool time_major, Lengths which,
                        bool resources) {
  const Scope s = Scope::NewRoot();
  const VariableScope v =
      VariableScope(s)
          .WithInitializer(RandomUniform({.min = -1, .max = 1, .seed = 5}))
          .WithResources(resources);
  const std::unique_ptr<RnnCell> cell = make();
  const Output x = ops::Const(s, LoopInputs());
  Output lengths;
  if (which == Lengths::kSome) lengths = ops::Const(s, {2, 0, 3});
  if (which == Lengths::kLong) {
    lengths = ops::Const(s, Tensor::Vector<int64_t>({9, 1, 4}));
  }
  DynamicRnnResult loop =
      DynamicRnn(v, *cell, time_major ? ops::Transpose(s, x, {1, 0, 2}) : x,
                 {.sequence_length = lengths, .time_major = time_major});
  ASSERT_TRUE(s.ok()) << s.status();
  if (time_major) loop.outputs = ops::Transpose(s, loop.outputs, {1, 0, 2});
  EXPECT_EQ(loop.outputs.shape(),
            PartialShape({kLoopBatch, kLoopSteps, cell->output_size()}));
  const DynamicRnnResult plain = Unrolled(v, *cell, x, lengths);
  ASSERT_TRUE(s.ok()) << s.status();
  ASSERT_EQ(loop.state.size(), plain.state.size());
  std::vector<Output> sources = {x};
  for (const ops::Variable& w : ops::TrainableVariables(s)) {
    sources.push_back(w.handle());
  }
  std::vector<Output> fetches;
  for (const auto& rnn : {DynamicRnnResult(loop), plain}) {
    fetches.push_back(rnn.outputs);
    fetches.insert(fetches.end(), rnn.state.begin(), rnn.state.end());
    for (const Gradient& gradient :
         ops::Gradients(s, {LossOf(s, rnn)}, sources)) {
      ASSERT_TRUE(gradient) << s.status();
      fetches.push_back(ops::ToTensor(s, gradient));
    }
  }
  ASSERT_TRUE(s.ok()) << s.status();
  Session session(s);
  ASSERT_TRUE(session.RunTargets({ops::GlobalVariablesInitializer(s)}).ok());
  const auto values = session.Run(fetches);
  ASSERT_TRUE(values.ok()) << values.status();
  const size_t half = values->size() / 2;
  for (size_t i = 0; i < half; ++i) {
    EXPECT_EQ((*values)[i].shape(), (*values)[half + i].shape()) << i;
    EXPECT_THAT(
        FloatsOf((*values)[i]),
        Pointwise(testing::FloatNear(1e-5f), FloatsOf((*values)[half + i])))
        << fetches[i].name();
  }
}

TEST(DynamicRnn, GivesWhatTheUnrolledNetworkGives) {
  for (const CellMaker& make : AllCells()) {
    for (const Lengths which : {Lengths::kAll, Lengths::kSome, Lengths::kLong})
      ExpectLikeUnrolled(make, /*time_major=*/false, which, false);
    ExpectLikeUnrolled(make, /*time_major=*/true, Lengths::kSome, true);
  }
}

// h = 2 x + 3 h.
constexpr char kLineKernel[] = "rnn/basic_rnn_cell/kernel";
std::unique_ptr<RnnCell> LineCell() {
  return std::make_unique<BasicRnnCell>(
      1, BasicRnnCellOptions{
             .activation = [](const Scope&, const Output& x) { return x; }});
}
VariableScope LineVariables(const Scope& s) {
  return VariableScope(s).WithInitializer(
      [](const Scope& block, const InitialValue&) {
        return ops::Const(block, {{2.0f}, {3.0f}});
      });
}

TEST(DynamicRnn, NumbersWrittenOut) {
  const Scope s = Scope::NewRoot();
  const auto cell = LineCell();
  const Output x = ops::Placeholder(s, DataType::kFloat,
                                    {.shape = PartialShape({-1, -1, 1})});
  const Output lengths = ops::Placeholder(s, DataType::kInt32);
  const DynamicRnnResult rnn =
      DynamicRnn(LineVariables(s), *cell, x, {.sequence_length = lengths});
  ASSERT_TRUE(s.ok()) << s.status();
  EXPECT_EQ(rnn.outputs.shape(), PartialShape({-1, -1, 1}));
  const ops::Variable kernel = ops::TrainableVariables(s)[0];
  EXPECT_EQ(kernel.op_name(), kLineKernel);
  const auto slope = ops::Gradients(s, {rnn.outputs}, {kernel.handle(), x});
  ASSERT_TRUE(s.ok()) << s.status();
  Session session(s);
  ASSERT_TRUE(session.RunTargets({ops::GlobalVariablesInitializer(s)}).ok());
  const std::vector<Output> fetches = {rnn.outputs, rnn.state[0],
                                       slope[0].tensor, slope[1].tensor};
  const auto run = [&](const Tensor& inputs, const Tensor& length) {
    auto values = session.Run({{x, inputs}, {lengths, length}}, fetches);
    EXPECT_TRUE(values.ok()) << values.status();
    std::vector<std::vector<float>> floats;
    if (!values.ok()) return std::vector<std::vector<float>>(fetches.size());
    for (const Tensor& value : *values) floats.push_back(FloatsOf(value));
    return floats;
  };
  // Two examples of three steps, of which the second one has one.
  const auto two =
      run(Tensor::Of<float>(TensorShape({2, 3, 1}), {1, 2, 3, 5, 6, 7}),
          Tensor::Vector<int32_t>({3, 1}));
  EXPECT_THAT(two[0], ElementsAre(2, 10, 36, 10, 0, 0));
  EXPECT_THAT(two[1], ElementsAre(36, 10));
  // By the weight of x: 1, 2 + 3 * 1, 3 + 3 * 5, and 5. By that of h: 0, 2,
  // 10 + 3 * 2, and 0.
  EXPECT_THAT(two[2], ElementsAre(1 + 5 + 18 + 5, 2 + 16));
  // By each x: what it adds to the outputs from its time on.
  EXPECT_THAT(two[3], ElementsAre(2 + 6 + 18, 2 + 6, 2, 2, 0, 0));
  // Other numbers of examples and steps, and sequences without any.
  const auto one = run(Tensor::Of<float>(TensorShape({1, 2, 1}), {1, -1}),
                       Tensor::Vector<int32_t>({2}));
  EXPECT_THAT(one[0], ElementsAre(2, 4));
  EXPECT_THAT(one[1], ElementsAre(4));
  const auto none = run(Tensor::Of<float>(TensorShape({2, 2, 1}), {1, 2, 3, 4}),
                        Tensor::Vector<int32_t>({0, 0}));
  EXPECT_THAT(none[0], ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(none[1], ElementsAre(0, 0));
  EXPECT_THAT(none[2], ElementsAre(0, 0));
}

TEST(DynamicRnn, BeginsWithAState) {
  const Scope s = Scope::NewRoot();
  const auto cell = LineCell();
  const Output x =
      ops::Const(s, Tensor::Of<float>(TensorShape({2, 2, 1}), {1, 0, 0, 0}));
  const Output begin = ops::Const(s, {{1.0f}, {-1.0f}});
  const DynamicRnnResult rnn =
      DynamicRnn(LineVariables(s), *cell, x, {.initial_state = {begin}});
  ASSERT_TRUE(s.ok()) << s.status();
  const auto slope = ops::Gradients(s, {rnn.state[0]}, {begin});
  Session session(s);
  ASSERT_TRUE(session.RunTargets({ops::GlobalVariablesInitializer(s)}).ok());
  const auto values = session.Run({rnn.outputs, rnn.state[0], slope[0].tensor});
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_THAT(FloatsOf((*values)[0]), ElementsAre(5, 15, -3, -9));
  EXPECT_THAT(FloatsOf((*values)[1]), ElementsAre(15, -9));
  EXPECT_THAT(FloatsOf((*values)[2]), ElementsAre(9, 9));
}

TEST(DynamicRnn, BothDirections) {
  for (const bool time_major : {false, true}) {
    for (const bool cut : {false, true}) {
      const Scope s = Scope::NewRoot();
      const auto forward = LineCell();
      const auto backward = LineCell();
      Output x = ops::Const(
          s, Tensor::Of<float>(TensorShape({2, 3, 1}), {1, 2, 3, 4, 5, 6}));
      if (time_major) x = ops::Transpose(s, x, {1, 0, 2});
      Output lengths;
      if (cut) lengths = ops::Const(s, {3, 2});
      const auto rnn = BidirectionalDynamicRnn(
          LineVariables(s), *forward, *backward, x,
          {.sequence_length = lengths, .time_major = time_major});
      ASSERT_TRUE(s.ok()) << s.status();
      std::vector<std::string> names;
      for (const ops::Variable& w : ops::TrainableVariables(s))
        names.push_back(w.op_name());
      EXPECT_THAT(names,
                  ElementsAre("bidirectional_rnn/fw/basic_rnn_cell/kernel",
                              "bidirectional_rnn/fw/basic_rnn_cell/bias",
                              "bidirectional_rnn/bw/basic_rnn_cell/kernel",
                              "bidirectional_rnn/bw/basic_rnn_cell/bias"));
      const auto by_example = [&](const Output& y) {
        return time_major ? ops::Transpose(s, y, {1, 0, 2}) : y;
      };
      Session session(s);
      const std::vector<Output> fetches = {
          by_example(rnn.forward.outputs), by_example(rnn.backward.outputs),
          rnn.forward.state[0], rnn.backward.state[0]};
      ASSERT_TRUE(
          session.RunTargets({ops::GlobalVariablesInitializer(s)}).ok());
      const auto values = session.Run(fetches);
      ASSERT_TRUE(values.ok()) << values.status();
      const auto& v = *values;
      // Backwards over 1 2 3: 6, 4 + 18 = 22, 2 + 66 = 68.
      if (cut) {
        EXPECT_THAT(FloatsOf(v[0]), ElementsAre(2, 10, 36, 8, 34, 0));
        EXPECT_THAT(FloatsOf(v[1]), ElementsAre(68, 22, 6, 38, 10, 0));
        EXPECT_THAT(FloatsOf(v[2]), ElementsAre(36, 34));
        EXPECT_THAT(FloatsOf(v[3]), ElementsAre(68, 38));
      } else {
        EXPECT_THAT(FloatsOf(v[0]), ElementsAre(2, 10, 36, 8, 34, 114));
        EXPECT_THAT(FloatsOf(v[1]), ElementsAre(68, 22, 6, 146, 46, 12));
        EXPECT_THAT(FloatsOf(v[2]), ElementsAre(36, 114));
        EXPECT_THAT(FloatsOf(v[3]), ElementsAre(68, 146));
      }
    }
  }
}

// What belongs to a variable is outside of the loop: its regularizer, the
// joining of its parts. Another network may use the cell afterwards.
TEST(DynamicRnn, VariablesAreOutside) {
  const Scope s = Scope::NewRoot();
  const VariableScope v = VariableScope(s)
                              .WithInitializer(Ones())
                              .WithRegularizer(L2Regularizer(1))
                              .WithPartitioner(FixedSizePartitioner(2));
  BasicLstmCell cell(2);
  const Output x = ops::Const(s, LoopInputs());
  const DynamicRnnResult loop = DynamicRnn(v, cell, x);
  ASSERT_TRUE(s.ok()) << s.status();
  const DynamicRnnResult plain = Unrolled(v, cell, x, {});
  ASSERT_TRUE(s.ok()) << s.status();
  const Output cost = RegularizationLoss(s);
  const Output loss = ops::AddV2(s, LossOf(s, loop), cost);
  GradientDescentOptimizer rule(0.01f);
  const Operation train_op = rule.Minimize(s, loss);
  ASSERT_TRUE(s.ok()) << s.status();
  Session session(s);
  ASSERT_TRUE(session.RunTargets({ops::GlobalVariablesInitializer(s)}).ok());
  const auto before = session.Run({loss, cost, loop.outputs, plain.outputs});
  ASSERT_TRUE(before.ok()) << before.status();
  EXPECT_EQ((*before)[1].scalar<float>(), 4 * 8 / 2);  // and biases of 0
  EXPECT_THAT(FloatsOf((*before)[2]),
              Pointwise(testing::FloatNear(1e-6f), FloatsOf((*before)[3])));
  ASSERT_TRUE(session.RunTargets({train_op}).ok());
  const auto after = session.Run({loss});
  ASSERT_TRUE(after.ok()) << after.status();
  EXPECT_LT((*after)[0].scalar<float>(), (*before)[0].scalar<float>());
}

// The layers of a stack may be on devices of their own.
TEST(DynamicRnn, OverDevices) {
  const Scope s = Scope::NewRoot();
  std::vector<std::unique_ptr<RnnCell>> layers;
  for (const std::string& device : Cpus(2)) {
    layers.push_back(std::make_unique<DeviceWrapper>(
        std::make_unique<BasicLstmCell>(3), device));
  }
  MultiRnnCell cell(std::move(layers));
  const VariableScope v = VariableScope(s).WithInitializer(
      RandomUniform({.min = -1, .max = 1, .seed = 5}));
  const Output x = ops::Const(s, LoopInputs());
  const Output lengths = ops::Const(s, {4, 1, 3});
  const DynamicRnnResult loop =
      DynamicRnn(v, cell, x, {.sequence_length = lengths});
  const DynamicRnnResult plain = Unrolled(v, cell, x, lengths);
  ASSERT_TRUE(s.ok()) << s.status();
  std::vector<Output> handles;
  std::vector<std::string> devices;
  for (const ops::Variable& w : ops::TrainableVariables(s)) {
    handles.push_back(w.handle());
    devices.push_back(w.op().device());
  }
  EXPECT_THAT(devices,
              ElementsAre(Cpus(2)[0], Cpus(2)[0], Cpus(2)[1], Cpus(2)[1]));
  std::vector<Output> fetches = {loop.outputs, plain.outputs};
  const auto of_loop = ops::Gradients(s, {LossOf(s, loop)}, handles);
  const auto of_plain = ops::Gradients(s, {LossOf(s, plain)}, handles);
  for (size_t i = 0; i < handles.size(); ++i) {
    fetches.push_back(of_loop[i].tensor);
    fetches.push_back(of_plain[i].tensor);
  }
  const std::vector<Tensor> values = ValuesOnCpus(s, 2).Of(fetches);
  for (size_t i = 0; i < values.size(); i += 2) {
    EXPECT_LT(Difference(values[i], values[i + 1]), 1e-5) << fetches[i].name();
  }
}

TEST(DynamicRnn, DropoutIsNewInEachStep) {
  const Scope s = Scope::NewRoot();
  DropoutWrapper cell(std::make_unique<BasicRnnCell>(40),
                      {.output_keep_prob = 0.5, .seed = 3});
  const Output x = ops::Const(s, LoopInputs());
  const DynamicRnnResult rnn = DynamicRnn(
      VariableScope(s).WithInitializer(RandomUniform({.seed = 1})), cell, x);
  ASSERT_TRUE(s.ok()) << s.status();
  Session session(s);
  ASSERT_TRUE(session.RunTargets({ops::GlobalVariablesInitializer(s)}).ok());
  const auto values = session.Run({rnn.outputs, rnn.state[0]});
  ASSERT_TRUE(values.ok()) << values.status();
  const std::vector<float> y = FloatsOf((*values)[0]);
  std::vector<std::vector<bool>> dropped(kLoopSteps);
  for (size_t i = 0; i < y.size(); ++i)
    dropped[i / 40 % kLoopSteps].push_back(y[i] == 0);
  for (const std::vector<bool>& step : dropped) {
    const auto zeros = std::count(step.begin(), step.end(), true);
    EXPECT_GT(zeros, 120 / 4);
    EXPECT_LT(zeros, 120 * 3 / 4);
  }
  EXPECT_NE(dropped[0], dropped[1]);
  EXPECT_NE(dropped[1], dropped[2]);
  const std::vector<float> state = FloatsOf((*values)[1]);
  EXPECT_EQ(std::count(state.begin(), state.end(), 0.0f), 0);
}

TEST(DynamicRnn, Errors) {
  const auto message =
      [](const PartialShape& shape,
         const std::function<void(const Scope&, DynamicRnnOptions*)>& set) {
        const Scope s = Scope::NewRoot();
        BasicRnnCell cell(3);
        DynamicRnnOptions options;
        if (set) set(s, &options);
        const DynamicRnnResult rnn = DynamicRnn(
            VariableScope(s), cell,
            ops::Placeholder(s, DataType::kFloat, {.shape = shape}), options);
        EXPECT_FALSE(rnn.outputs);
        EXPECT_EQ(rnn.state.size(), 1u);
        EXPECT_FALSE(rnn.state[0]);
        EXPECT_EQ(s.status().code(), StatusCode::kInvalidArgument);
        return std::string(s.status().message());
      };
  const PartialShape good({2, 4, 5});
  EXPECT_THAT(message(PartialShape({2, 4}), {}),
              HasSubstr("to be [batch, time, n] with a known n, saw shape"));
  EXPECT_THAT(message(PartialShape({2, 4, -1}), {}),
              HasSubstr("with a known n, saw shape"));
  EXPECT_THAT(message(good,
                      [](const Scope& s, DynamicRnnOptions* options) {
                        options->sequence_length = ops::Const(s, {1, 2, 3});
                      }),
              HasSubstr("sequence_length must be a vector of length batch"));
  EXPECT_THAT(message(good,
                      [](const Scope& s, DynamicRnnOptions* options) {
                        const Output state = ops::Const(s, {{1.0f}});
                        options->initial_state = {state, state};
                      }),
              HasSubstr("has 1 tensors, initial_state has 2"));
  EXPECT_THAT(
      message(good,
              [](const Scope& s, DynamicRnnOptions* options) {
                options->initial_state = {ops::Const(s, {{1.0f}})};
              }),
      HasSubstr("initial_state 0 is float [1,1], expected float [2,3]"));
}

}  // namespace
}  // namespace millrace::train
