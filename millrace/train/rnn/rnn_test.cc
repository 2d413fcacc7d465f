// Tests cells against the same formulas in plain numbers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>

#include "millrace/client/gradients.h"
#include "millrace/client/ops.h"
#include "millrace/client/session.h"
#include "millrace/train/rnn/basic_lstm_cell.h"
#include "millrace/train/rnn/basic_rnn_cell.h"
#include "millrace/train/rnn/dropout_wrapper.h"
#include "millrace/train/rnn/gru_cell.h"
#include "millrace/train/rnn/lstm_cell.h"
#include "millrace/train/rnn/multi_rnn_cell.h"
#include "millrace/train/rnn/static_rnn.h"

namespace millrace::train {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

using Vector = std::vector<double>;

double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// A weight [rows, columns] whose element (i, j) is sin(1 + i + 3 j) / 2: by an
// initializer, and as a function.
double Weight(int64_t i, int64_t j) {
  return 0.5 * std::sin(1.0 + static_cast<double>(i + 3 * j));
}
Output Weights(const Scope& s, const InitialValue& value) {
  const int64_t columns = value.shape.dim(value.shape.rank() - 1);
  Tensor t = Tensor::New(DataType::kFloat, value.shape);
  auto out = t.mutable_flat<float>();
  for (size_t k = 0; k < out.size(); ++k) {
    out[k] = static_cast<float>(Weight(static_cast<int64_t>(k) / columns,
                                       static_cast<int64_t>(k) % columns));
  }
  return ops::Const(s, t);
}

// [x, h] * weights + bias
Vector Affine(Vector x, const Vector& h, int64_t columns, double bias = 0) {
  x.insert(x.end(), h.begin(), h.end());
  Vector y(static_cast<size_t>(columns), bias);
  for (size_t j = 0; j < y.size(); ++j) {
    for (size_t i = 0; i < x.size(); ++i) {
      y[j] += x[i] * Weight(static_cast<int64_t>(i), static_cast<int64_t>(j));
    }
  }
  return y;
}

constexpr int64_t kUnits = 2;
constexpr int kSteps = 3;
// Of two examples at three times.
constexpr float kInputs[kSteps][2][2] = {{{0.5f, -1}, {2, 0.25f}},
                                         {{1, 1}, {-0.5f, 0.75f}},
                                         {{-2, 0.125f}, {0.25f, 0.5f}}};

class Rnn : public testing::Test {
 protected:
  std::vector<Output> Inputs() {
    std::vector<Output> inputs;
    for (const auto& at : kInputs) {
      inputs.push_back(
          ops::Const(s_, {{at[0][0], at[0][1]}, {at[1][0], at[1][1]}}));
    }
    return inputs;
  }
  std::vector<float> Run(const Output& output) {
    EXPECT_TRUE(s_.ok()) << s_.status();
    Session session(s_);
    EXPECT_TRUE(session.RunTargets({ops::GlobalVariablesInitializer(s_)}).ok());
    auto out = session.Run({output});
    EXPECT_TRUE(out.ok()) << out.status();
    if (!out.ok()) return {};
    const auto flat = (*out)[0].flat<float>();
    return {flat.begin(), flat.end()};
  }
  // `plain` takes the input and the states of one example, updates the states,
  // and returns the output.
  using Plain = std::function<Vector(const Vector& x, std::vector<Vector>* h)>;
  void Expect(RnnCell& cell, const Plain& plain) {
    const Output length = ops::Const(s_, {3, 2});
    const auto all = StaticRnn(v_, cell, Inputs());
    const auto some =
        StaticRnn(v_, cell, Inputs(), {.sequence_length = length});
    ASSERT_EQ(all.outputs.size(), 3u) << s_.status();
    ASSERT_EQ(some.state.size(), cell.state_sizes().size());
    for (int example = 0; example < 2; ++example) {
      std::vector<Vector> state;
      for (const int64_t size : cell.state_sizes()) {
        state.emplace_back(static_cast<size_t>(size), 0.0);
      }
      for (int time = 0; time < kSteps; ++time) {
        const auto& x = kInputs[time][example];
        const std::vector<Vector> before = state;
        const Vector y = plain({x[0], x[1]}, &state);
        const bool over = example == 1 && time >= 2;
        CheckRow(all.outputs[static_cast<size_t>(time)], example, y);
        CheckRow(some.outputs[static_cast<size_t>(time)], example,
                 over ? Vector(y.size(), 0.0) : y);
        if (time + 1 < kSteps) continue;
        for (size_t i = 0; i < state.size(); ++i) {
          CheckRow(all.state[i], example, state[i]);
          CheckRow(some.state[i], example, over ? before[i] : state[i]);
        }
      }
    }
  }
  void CheckRow(const Output& output, int row, const Vector& expected) {
    const std::vector<float> got = Run(output);
    ASSERT_EQ(got.size(), 2 * expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(got[static_cast<size_t>(row) * expected.size() + i],
                  expected[i], 1e-5);
    }
  }
  std::vector<std::string> Names() {
    std::vector<std::string> names;
    for (const ops::Variable& v : ops::TrainableVariables(s_)) {
      names.push_back(v.op_name());
    }
    return names;
  }
  const Scope s_ = Scope::NewRoot();
  const VariableScope v_ = VariableScope(s_).WithInitializer(Weights);
};

TEST_F(Rnn, Basic) {
  BasicRnnCell cell(kUnits);
  Expect(cell, [](const Vector& x, std::vector<Vector>* state) {
    Vector h = Affine(x, (*state)[0], kUnits);
    for (double& v : h) v = std::tanh(v);
    (*state)[0] = h;
    return h;
  });
  EXPECT_THAT(Names(), ElementsAre("rnn/basic_rnn_cell/kernel",
                                   "rnn/basic_rnn_cell/bias"));
}

// The gates i, j, f, o of an LSTM.
struct Gates {
  Vector i, j, f, o;
};
Gates GatesOf(const Vector& sums) {
  const auto part = [&](size_t k) {
    const auto n = static_cast<std::ptrdiff_t>(sums.size() / 4);
    const auto begin = sums.begin() + static_cast<std::ptrdiff_t>(k) * n;
    return Vector(begin, begin + n);
  };
  return {part(0), part(1), part(2), part(3)};
}

TEST_F(Rnn, BasicLstm) {
  BasicLstmCell cell(kUnits, {.forget_bias = 0.5});
  Expect(cell, [](const Vector& x, std::vector<Vector>* state) {
    const Gates g = GatesOf(Affine(x, (*state)[1], 4 * kUnits));
    for (size_t u = 0; u < kUnits; ++u) {
      double& c = (*state)[0][u];
      c = c * Sigmoid(g.f[u] + 0.5) + Sigmoid(g.i[u]) * std::tanh(g.j[u]);
      (*state)[1][u] = std::tanh(c) * Sigmoid(g.o[u]);
    }
    return (*state)[1];
  });
  EXPECT_THAT(Names(), ElementsAre("rnn/basic_lstm_cell/kernel",
                                   "rnn/basic_lstm_cell/bias"));
}

TEST_F(Rnn, LstmWithEverything) {
  LstmCell cell(kUnits, {.use_peepholes = true,
                         .cell_clip = 0.4,
                         .projection = 3,
                         .projection_clip = 0.1});
  Expect(cell, [](const Vector& x, std::vector<Vector>* state) {
    const Gates g = GatesOf(Affine(x, (*state)[1], 4 * kUnits));
    Vector h(kUnits);
    for (size_t u = 0; u < kUnits; ++u) {
      double& c = (*state)[0][u];
      const double w = Weight(0, static_cast<int64_t>(u));
      c = Sigmoid(g.f[u] + 1 + w * c) * c +
          Sigmoid(g.i[u] + w * c) * std::tanh(g.j[u]);
      c = std::clamp(c, -0.4, 0.4);
      h[u] = Sigmoid(g.o[u] + w * c) * std::tanh(c);
    }
    Vector projected = Affine(h, {}, 3);
    for (double& v : projected) v = std::clamp(v, -0.1, 0.1);
    (*state)[1] = projected;
    return projected;
  });
  EXPECT_THAT(
      Names(),
      ElementsAre("rnn/lstm_cell/kernel", "rnn/lstm_cell/bias",
                  "rnn/lstm_cell/w_f_diag", "rnn/lstm_cell/w_i_diag",
                  "rnn/lstm_cell/w_o_diag", "rnn/lstm_cell/projection/kernel"));
}

TEST_F(Rnn, Gru) {
  GruCell cell(kUnits);
  Expect(cell, [](const Vector& x, std::vector<Vector>* state) {
    Vector& h = (*state)[0];
    const Vector gates = Affine(x, h, 2 * kUnits, 1);
    Vector reset = h;
    for (size_t u = 0; u < kUnits; ++u) reset[u] *= Sigmoid(gates[u]);
    const Vector candidate = Affine(x, reset, kUnits);
    for (size_t u = 0; u < kUnits; ++u) {
      const double update = Sigmoid(gates[kUnits + u]);
      h[u] = update * h[u] + (1 - update) * std::tanh(candidate[u]);
    }
    return h;
  });
  EXPECT_THAT(Names(), ElementsAre("rnn/gru_cell/gates/kernel",
                                   "rnn/gru_cell/gates/bias",
                                   "rnn/gru_cell/candidate/kernel",
                                   "rnn/gru_cell/candidate/bias"));
}

std::vector<std::unique_ptr<RnnCell>> TwoCells() {
  std::vector<std::unique_ptr<RnnCell>> cells;
  cells.push_back(std::make_unique<BasicRnnCell>(3));
  cells.push_back(std::make_unique<GruCell>(kUnits));
  return cells;
}

TEST_F(Rnn, CellsOnTopOfEachOther) {
  MultiRnnCell cell(TwoCells());
  EXPECT_THAT(cell.state_sizes(), ElementsAre(3, kUnits));
  const auto result = StaticRnn(v_, cell, Inputs());
  ASSERT_EQ(result.state.size(), 2u) << s_.status();
  EXPECT_EQ(result.outputs[2].shape(), PartialShape({2, kUnits}));
  EXPECT_EQ(Run(result.outputs[2]), Run(result.state[1]));
  EXPECT_THAT(Names(),
              ElementsAre("rnn/multi_rnn_cell/cell_0/basic_rnn_cell/kernel",
                          "rnn/multi_rnn_cell/cell_0/basic_rnn_cell/bias",
                          "rnn/multi_rnn_cell/cell_1/gru_cell/gates/kernel",
                          "rnn/multi_rnn_cell/cell_1/gru_cell/gates/bias",
                          "rnn/multi_rnn_cell/cell_1/gru_cell/candidate/kernel",
                          "rnn/multi_rnn_cell/cell_1/gru_cell/candidate/bias"));
}

TEST_F(Rnn, Dropout) {
  DropoutWrapper cell(std::make_unique<BasicRnnCell>(50),
                      {.output_keep_prob = Tensor::Scalar(0.5f), .seed = 3});
  const auto result = StaticRnn(v_, cell, Inputs());
  ASSERT_EQ(result.outputs.size(), 3u) << s_.status();
  const std::vector<float> y = Run(result.outputs[0]);
  const auto zeros = std::count(y.begin(), y.end(), 0.0f);
  EXPECT_GT(zeros, 25);
  EXPECT_LT(zeros, 75);
  // The state is not dropped.
  const std::vector<float> h = Run(result.state[0]);
  EXPECT_EQ(std::count(h.begin(), h.end(), 0.0f), 0);
}

TEST_F(Rnn, DropoutLeavesMemoryAlone) {
  // Returns how many of the 100 numbers of each tensor of the state are
  // dropped.
  const auto zeros = [&](auto cell, auto upper, std::optional<int64_t> seed) {
    std::vector<std::unique_ptr<RnnCell>> cells;
    cells.push_back(std::move(cell));
    cells.push_back(std::move(upper));
    DropoutWrapper wrapper(std::make_unique<MultiRnnCell>(std::move(cells)),
                           {.state_keep_prob = 0.5, .seed = seed});
    const auto result = StaticRnn(v_.UniqueSub("case"), wrapper, Inputs());
    EXPECT_TRUE(s_.ok()) << s_.status();
    std::vector<std::vector<bool>> left_out;
    for (const Output& state : result.state) {
      left_out.emplace_back();
      for (const float x : Run(state)) left_out.back().push_back(x == 0);
    }
    return left_out;
  };
  const auto about_half = [](const std::vector<bool>& left_out) {
    const auto n = std::count(left_out.begin(), left_out.end(), true);
    return n > 25 && n < 75;
  };
  const auto lstm = zeros(std::make_unique<LstmCell>(50),
                          std::make_unique<BasicLstmCell>(50), std::nullopt);
  ASSERT_EQ(lstm.size(), 4u);
  EXPECT_EQ(std::count(lstm[0].begin(), lstm[0].end(), true), 0);
  EXPECT_TRUE(about_half(lstm[1]));
  EXPECT_EQ(std::count(lstm[2].begin(), lstm[2].end(), true), 0);
  EXPECT_TRUE(about_half(lstm[3]));
  const auto gru =
      zeros(std::make_unique<GruCell>(50), std::make_unique<GruCell>(50), 3);
  ASSERT_EQ(gru.size(), 2u);
  EXPECT_TRUE(about_half(gru[0]));
  EXPECT_TRUE(about_half(gru[1]));
  EXPECT_NE(gru[0], gru[1]);  // one seed, two choices
}

// The derivative of a whole network by finite differences.
TEST_F(Rnn, Gradients) {
  LstmCell cell(kUnits, {.use_peepholes = true});
  const auto result = StaticRnn(v_, cell, Inputs(),
                                {.sequence_length = ops::Const(s_, {3, 2})});
  ASSERT_EQ(result.outputs.size(), 3u) << s_.status();
  const Output loss = ops::Sum(
      s_, ops::Square(s_, ops::ConcatV2(s_, result.outputs, 0)), {0, 1});
  const ops::Variable kernel = ops::TrainableVariables(s_)[0];
  const auto gradient = ops::Gradients(s_, {loss}, {kernel.handle()});
  ASSERT_TRUE(s_.ok()) << s_.status();
  const Output delta =
      ops::Placeholder(s_, DataType::kFloat, {.shape = kernel.shape()});
  const Output moved = kernel.AssignAdd(s_, delta);
  Session session(s_);
  ASSERT_TRUE(session.RunTargets({ops::GlobalVariablesInitializer(s_)}).ok());
  auto slope = session.Run({gradient[0].tensor});
  ASSERT_TRUE(slope.ok()) << slope.status();
  constexpr float kDelta = 0.01f;
  const int64_t n = (*slope)[0].num_elements();
  for (int64_t i = 0; i < n; i += 5) {
    double losses[2];
    for (const int side : {0, 1}) {
      const float step = side == 0 ? kDelta : -2 * kDelta;
      Tensor d = Tensor::Zeros(DataType::kFloat, (*slope)[0].shape());
      d.mutable_flat<float>()[static_cast<size_t>(i)] = step;
      ASSERT_TRUE(session.RunTargets({{delta, d}}, {moved}).ok());
      losses[side] = (*session.Run({loss}))[0].scalar<float>();
    }
    Tensor back = Tensor::Zeros(DataType::kFloat, (*slope)[0].shape());
    back.mutable_flat<float>()[static_cast<size_t>(i)] = kDelta;
    ASSERT_TRUE(session.RunTargets({{delta, back}}, {moved}).ok());
    EXPECT_NEAR((*slope)[0].flat<float>()[static_cast<size_t>(i)],
                (losses[0] - losses[1]) / (2 * kDelta), 1e-3)
        << i;
  }
}

TEST_F(Rnn, WhatIsRefused) {
  BasicRnnCell cell(kUnits);
  EXPECT_TRUE(StaticRnn(v_, cell, {}).outputs.empty());
  EXPECT_THAT(s_.status().message(), HasSubstr("must not be empty"));
  const Scope other = Scope::NewRoot();
  BasicRnnCell another(kUnits);
  const Output x = ops::Placeholder(other, DataType::kFloat,
                                    {.shape = PartialShape({2, -1})});
  EXPECT_TRUE(StaticRnn(VariableScope(other), another, {x}).outputs.empty());
  EXPECT_THAT(other.status().message(), HasSubstr("to be known"));
}

}  // namespace
}  // namespace millrace::train
