#include "millrace/train/replicas/gradient_wire.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "absl/strings/match.h"
#include "millrace/base/random.h"
#include "millrace/client/ops.h"
#include "millrace/client/session.h"
#include "millrace/client/while_loop.h"
#include "millrace/train/optimizers/gradient_descent.h"
#include "millrace/train/optimizers/momentum.h"
#include "millrace/train/replica_device_setter.h"

namespace millrace::train {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using WireForm = GradientWire::Form;

constexpr int64_t kWireSize = 1000;
constexpr float kWireNan = std::numeric_limits<float>::quiet_NaN();

// What kTopK does to the gradients of one variable, one after the other.
class ChosenModel {
 public:
  ChosenModel(int64_t size, int64_t count)
      : residual_(static_cast<size_t>(size)),
        count_(static_cast<size_t>(count)) {}

  std::vector<float> Step(absl::Span<const float> gradient) {
    for (size_t i = 0; i < residual_.size(); ++i) residual_[i] += gradient[i];
    std::vector<size_t> places(residual_.size());
    std::iota(places.begin(), places.end(), size_t{0});
    std::stable_sort(places.begin(), places.end(), [&](size_t a, size_t b) {
      return std::abs(residual_[a]) > std::abs(residual_[b]);
    });
    std::vector<float> sent(residual_.size());
    for (size_t i = 0; i < count_; ++i)
      sent[places[i]] = std::exchange(residual_[places[i]], 0.0f);
    return sent;
  }

 private:
  std::vector<float> residual_;
  const size_t count_;
};

Tensor RandomGradient(Rng& rng, const TensorShape& shape) {
  Tensor gradient = Tensor::New(DataType::kFloat, shape);
  for (float& x : gradient.mutable_flat<float>())
    x = static_cast<float>(std::pow(rng.Double() - 0.5, 5));
  return gradient;
}

// Both kinds of variables.
class GradientWireTest : public testing::TestWithParam<bool> {
 protected:
  ops::Variable Zeros(const Scope& s, const char* name, DataType type,
                      const TensorShape& shape) const {
    return ops::Variable(s.WithOpName(name), Tensor::Zeros(type, shape),
                         {.use_resource = GetParam()});
  }
  Gradient Arrives(const Scope& s, const Gradient& gradient,
                   const ops::Variable& variable, const GradientWire& wire) {
    const auto arrived = OnTheWire(s, {{gradient, variable}}, wire);
    EXPECT_TRUE(s.ok()) << s.status();
    if (!s.ok()) return {};
    EXPECT_TRUE(arrived[0].variable == variable);
    return arrived[0].gradient;
  }
  // Returns `fetch` in steps in which `feed` has these values.
  std::vector<Tensor> Steps(const Scope& s, const Output& feed,
                            const std::vector<Tensor>& values,
                            const Output& fetch) {
    Session session(s);
    const Status init = session.RunTargets({ops::GlobalVariablesInitializer(s),
                                            ops::LocalVariablesInitializer(s)});
    EXPECT_TRUE(init.ok()) << init;
    std::vector<Tensor> results;
    for (const Tensor& value : values) {
      const auto got = session.Run({{feed, value}}, {fetch});
      EXPECT_TRUE(got.ok()) << got.status();
      results.push_back(got.ok() ? (*got)[0] : Tensor());
    }
    return results;
  }
  const Scope s_ = Scope::NewRoot();
};
INSTANTIATE_TEST_SUITE_P(Kinds, GradientWireTest, testing::Bool());

TEST_P(GradientWireTest, Bfloat16RoundsDenseGradientsAndTheValuesOfRows) {
  for (const DataType type : {DataType::kFloat, DataType::kDouble}) {
    const Scope s = Scope::NewRoot();
    const ops::Variable v = Zeros(s, "v", type, TensorShape({2, 2}));
    const Output fed = ops::Placeholder(s, type);
    const Output dense =
        Arrives(s, fed, v, {.form = WireForm::kBfloat16}).tensor;
    EXPECT_EQ(dense.dtype(), type);
    const IndexedSlices rows =
        Arrives(s, IndexedSlices{fed, ops::Const(s, {1, 1}), Output()}, v,
                {.form = WireForm::kBfloat16})
            .slices;
    EXPECT_EQ(rows.indices.op().type(), "Const");
    const Output both =
        ops::Cast(s, ops::AddV2(s, dense, rows.values), DataType::kFloat);
    Tensor value = Tensor::Of<float>({2, 2}, {1.001f, 1.005f, -3.0f, kWireNan});
    if (type == DataType::kDouble)
      value = Tensor::Of<double>({2, 2}, {1.001, 1.005, -3.0, kWireNan});
    const Tensor got = Steps(s, fed, {value}, both)[0];
    EXPECT_EQ(got.flat<float>()[0], 2.0f);
    EXPECT_EQ(got.flat<float>()[1], 2 * 1.0078125f);
    EXPECT_EQ(got.flat<float>()[2], -6.0f);
    EXPECT_TRUE(std::isnan(got.flat<float>()[3]));
  }
}

TEST_P(GradientWireTest, TopKSendsTheLargestAndKeepsTheRest) {
  const ops::Variable v =
      Zeros(s_, "v", DataType::kFloat, TensorShape({20, 50}));
  const Output fed =
      ops::Placeholder(s_, DataType::kFloat, {.shape = PartialShape({20, 50})});
  const Output arrived =
      Arrives(s_, fed, v, {.form = WireForm::kTopK, .fraction = 0.0121}).tensor;
  EXPECT_EQ(arrived.shape().DebugString(), "[20,50]");
  const auto locals = ops::LocalVariables(s_);
  ASSERT_EQ(locals.size(), 1u);
  EXPECT_EQ(locals[0].op_name(), "v/gradient_residual");
  EXPECT_EQ(ops::GlobalVariables(s_).size(), 1u);
  EXPECT_EQ(ops::TrainableVariables(s_).size(), 1u);

  Rng rng(3);
  std::vector<Tensor> values;
  for (int i = 0; i < 6; ++i)
    values.push_back(RandomGradient(rng, TensorShape({20, 50})));
  const std::vector<Tensor> got = Steps(s_, fed, values, arrived);
  ChosenModel model(kWireSize, 13);
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_THAT(got[i].flat<float>(),
                testing::ElementsAreArray(model.Step(values[i].flat<float>())));
  }
}

TEST_P(GradientWireTest, OptimizersTakeWhatArrives) {
  const ops::Variable v =
      Zeros(s_, "v", DataType::kFloat, TensorShape({kWireSize}));
  const Output fed = ops::Placeholder(s_, DataType::kFloat,
                                      {.shape = PartialShape({kWireSize})});
  MomentumOptimizer rule(0.5, 0.5);
  const auto sent = OnTheWire(
      s_, rule.ComputeGradients(s_, ops::Sum(s_, ops::Mul(s_, v, fed), {0})),
      {.form = WireForm::kTopK});
  const Operation train_op = rule.ApplyGradients(s_, sent);
  ASSERT_TRUE(s_.ok()) << s_.status();
  Session session(s_);
  ASSERT_TRUE(session
                  .RunTargets({ops::GlobalVariablesInitializer(s_),
                               ops::LocalVariablesInitializer(s_)})
                  .ok());
  Rng rng(4);
  ChosenModel model(kWireSize, 10);
  std::vector<float> wanted(kWireSize), momentum(kWireSize);
  for (int i = 0; i < 4; ++i) {
    const Tensor value = RandomGradient(rng, TensorShape({kWireSize}));
    ASSERT_TRUE(session.RunTargets({{fed, value}}, {train_op}).ok());
    const std::vector<float> step = model.Step(value.flat<float>());
    for (size_t j = 0; j < wanted.size(); ++j) {
      momentum[j] = 0.5f * momentum[j] + step[j];
      wanted[j] -= 0.5f * momentum[j];
    }
  }
  const auto got = session.Run({v.value()});
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_THAT((*got)[0].flat<float>(),
              testing::Pointwise(testing::FloatNear(1e-7f), wanted));
}

TEST_P(GradientWireTest, ANanArrivesAndLeavesNothing) {
  for (const DataType type : {DataType::kFloat, DataType::kDouble,
                              DataType::kHalf, DataType::kBfloat16}) {
    const Scope s = Scope::NewRoot();
    const ops::Variable v = Zeros(s, "v", type, TensorShape({kWireSize}));
    const Output fed = ops::Placeholder(s, DataType::kFloat);
    const Output arrived = Arrives(s, ops::Cast(s, fed, type), v,
                                   {.form = WireForm::kTopK, .fraction = 0.001})
                               .tensor;
    EXPECT_EQ(arrived.dtype(), type);
    Tensor spoilt = Tensor::Zeros(DataType::kFloat, {kWireSize});
    spoilt.mutable_flat<float>()[700] = -kWireNan;
    spoilt.mutable_flat<float>()[900] = 3.0f;
    const std::vector<Tensor> got =
        Steps(s, fed, {spoilt, Tensor::Zeros(DataType::kFloat, {kWireSize})},
              ops::Cast(s, arrived, DataType::kFloat));
    EXPECT_TRUE(std::isnan(got[0].flat<float>()[700]));
    EXPECT_EQ(got[0].flat<float>()[900], 0);
    EXPECT_EQ(got[1].flat<float>()[700], 0);
    EXPECT_EQ(got[1].flat<float>()[900], 3);
  }
}

TEST_P(GradientWireTest, AGradientOfNoNumbersSpoilsOneStep) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const DataType type : {DataType::kFloat, DataType::kDouble,
                              DataType::kHalf, DataType::kBfloat16}) {
    for (const float bad : {kWireNan, kInfinity, -kInfinity}) {
      const Scope s = Scope::NewRoot();
      const ops::Variable v = Zeros(s, "v", type, TensorShape({kWireSize}));
      const Output fed = ops::Placeholder(s, DataType::kFloat);
      const Output arrived =
          Arrives(s, ops::Cast(s, fed, type), v,
                  {.form = WireForm::kTopK, .fraction = 0.001})
              .tensor;
      Tensor good = Tensor::Zeros(DataType::kFloat, {kWireSize});
      good.mutable_flat<float>()[0] = 2.0f;
      Tensor spoilt = Tensor::Zeros(DataType::kFloat, {kWireSize});
      for (float& x : spoilt.mutable_flat<float>()) x = bad;
      spoilt.mutable_flat<float>()[900] = 3.0f;
      const std::vector<Tensor> got =
          Steps(s, fed, {spoilt, good, Tensor::Zeros(DataType::kFloat, {1000})},
                ops::Cast(s, arrived, DataType::kFloat));
      EXPECT_FALSE(std::isfinite(got[0].flat<float>()[0]));
      std::vector<float> wanted(kWireSize);
      wanted[900] = 3;  // that was there is kept
      EXPECT_THAT(got[1].flat<float>(), testing::ElementsAreArray(wanted));
      wanted[900] = 0;
      wanted[0] = 2;
      EXPECT_THAT(got[2].flat<float>(), testing::ElementsAreArray(wanted));
    }
  }
}

TEST_P(GradientWireTest, AResidualOfAnotherSizeBeginsAnew) {
  const ops::Variable v(s_.WithOpName("v"),
                        Tensor::Zeros(DataType::kFloat, TensorShape({3})),
                        {.use_resource = GetParam(), .validate_shape = false});
  const Output fed = ops::Placeholder(s_, DataType::kFloat);
  const Output arrived =
      Arrives(s_, fed, v, {.form = WireForm::kTopK, .fraction = 0.1}).tensor;
  const std::vector<Tensor> got = Steps(
      s_, fed,
      {Tensor::Zeros(DataType::kFloat, {0}), Tensor::Vector<float>({5, 1, 2}),
       Tensor::Vector<float>({0, 0, 0}), Tensor::Vector<float>({3, 4}),
       Tensor::Vector<float>({7}), Tensor::Vector<float>({1, 3}),
       Tensor::Zeros(DataType::kFloat, {2, 0}), Tensor::Vector<float>({0, 0})},
      arrived);
  EXPECT_EQ(got[0].shape(), TensorShape({0}));
  EXPECT_THAT(got[1].flat<float>(), ElementsAre(5, 0, 0));
  EXPECT_THAT(got[2].flat<float>(), ElementsAre(0, 0, 2));
  EXPECT_THAT(got[3].flat<float>(), ElementsAre(0, 4));
  EXPECT_THAT(got[4].flat<float>(), ElementsAre(7));
  EXPECT_THAT(got[5].flat<float>(), ElementsAre(0, 3));
  EXPECT_EQ(got[6].shape(), TensorShape({2, 0}));
  EXPECT_THAT(got[7].flat<float>(), ElementsAre(0, 0));
}

TEST_P(GradientWireTest, ShapesThatOnlyStepsKnow) {
  const ops::Variable v(s_.WithOpName("v"),
                        Tensor::Zeros(DataType::kFloat, TensorShape({300, 2})),
                        {.use_resource = GetParam(), .validate_shape = false});
  const Output fed = ops::Placeholder(s_, DataType::kFloat);
  const Output arrived =
      Arrives(s_, fed, v, {.form = WireForm::kTopK, .fraction = 0.07}).tensor;
  Rng rng(5);
  std::vector<Tensor> values;
  for (int i = 0; i < 3; ++i)
    values.push_back(RandomGradient(rng, TensorShape({300, 2})));
  const std::vector<Tensor> got = Steps(s_, fed, values, arrived);
  ChosenModel model(600, 43);  // 0.07 * 600 is above 42 in binary numbers
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_EQ(got[i].shape(), TensorShape({300, 2}));
    EXPECT_THAT(got[i].flat<float>(),
                testing::ElementsAreArray(model.Step(values[i].flat<float>())));
  }
  const Tensor none = Tensor::Zeros(DataType::kFloat, {0, 2});
  EXPECT_EQ(Steps(s_, fed, {none}, arrived)[0].shape(), none.shape());
}

TEST_P(GradientWireTest, SomeGoAsTheyAre) {
  const GradientWire wire = {.form = WireForm::kTopK};
  const ops::Variable bias = Zeros(s_, "b", DataType::kFloat, {256});
  const ops::Variable empty = Zeros(s_, "e", DataType::kFloat, {0, 3});
  const ops::Variable weights = Zeros(s_, "w", DataType::kFloat, {kWireSize});
  const Output small = ops::Placeholder(s_, DataType::kFloat);
  EXPECT_EQ(Arrives(s_, small, bias, wire), Gradient(small));
  EXPECT_EQ(
      Arrives(s_, small, empty, {.form = WireForm::kTopK, .whole_up_to = 0}),
      Gradient(small));
  EXPECT_EQ(
      Arrives(s_, small, weights, {.form = WireForm::kTopK, .fraction = 0.5}),
      Gradient(small));
  EXPECT_EQ(Arrives(s_, small, weights, {}), Gradient(small));
  const Gradient rows(IndexedSlices{small, ops::Const(s_, {1}), Output()});
  EXPECT_EQ(Arrives(s_, rows, weights, wire), rows);
  EXPECT_EQ(Arrives(s_, Gradient(), weights, wire), Gradient());
  const Output half = ops::Placeholder(s_, DataType::kHalf);
  const ops::Variable halves = Zeros(s_, "h", DataType::kHalf, {kWireSize});
  EXPECT_EQ(Arrives(s_, half, halves, {.form = WireForm::kBfloat16}),
            Gradient(half));
  EXPECT_THAT(ops::LocalVariables(s_), testing::IsEmpty());
}

TEST_P(GradientWireTest, BothEndsAreWhereTheyBelong) {
  const Scope s = s_.WithDevice(ReplicaDeviceSetter(
      {.ps_tasks = 1, .worker_device = "/job:worker/task:1"}));
  const ops::Variable v = Zeros(s, "v", DataType::kFloat, {kWireSize});
  GradientDescentOptimizer rule(1.0);
  const auto gradients =
      rule.ComputeGradients(s, ops::Sum(s, ops::Mul(s, v, v), {0}));
  for (const WireForm form : {WireForm::kBfloat16, WireForm::kTopK})
    ASSERT_TRUE(rule.ApplyGradients(s, OnTheWire(s, gradients, {.form = form})))
        << s.status();
  const std::vector<std::string> here = {"TopKV2", "GatherV2",
                                         "TensorScatterUpdate"};
  bool has_cast = false;
  for (const NodeDef& node : s.graph().Export().nodes) {
    const bool is_here =
        std::find(here.begin(), here.end(), node.op) != here.end();
    if (is_here || absl::StrContains(node.name, "gradient_residual")) {
      EXPECT_EQ(node.device, "/job:worker/task:1") << node.name;
    }
    if (node.op == "ScatterNd") {
      EXPECT_EQ(node.device, "/job:ps/task:0") << node.name;
    }
    if (node.op != "Cast") continue;
    EXPECT_EQ(node.device, has_cast ? "/job:ps/task:0" : "/job:worker/task:1");
    has_cast = true;
  }
  EXPECT_TRUE(has_cast);
}

TEST(GradientWire, TrainsInsideOfALoop) {
  const Scope s = Scope::NewRoot();
  const ops::Variable v(s.WithOpName("v"),
                        Tensor::Zeros(DataType::kFloat, {kWireSize}),
                        {.use_resource = true});
  const Tensor zeros = Tensor::Zeros(DataType::kFloat, {kWireSize});
  const auto last = ops::WhileLoop(
      s, {0},
      [](const Scope& c, const std::vector<Output>& i) {
        return ops::Less(c, i[0], 3);
      },
      [&](const Scope& b, const std::vector<Output>& i) {
        const Output gradient = ops::AddV2(
            b, zeros, ops::Cast(b, ops::AddV2(b, i[0], 1), DataType::kFloat));
        const auto sent = OnTheWire(b, {{gradient, v}},
                                    {.form = WireForm::kTopK, .fraction = 0.3});
        const Operation done =
            ops::AssignSubVariableOp(b, v.handle(), sent[0].gradient.tensor);
        return std::vector<Output>{
            ops::AddV2(b.WithControlDependencies({done}), i[0], 1)};
      });
  ASSERT_TRUE(s.ok()) << s.status();
  Session session(s);
  ASSERT_TRUE(session
                  .RunTargets({ops::GlobalVariablesInitializer(s),
                               ops::LocalVariablesInitializer(s)})
                  .ok());
  ASSERT_TRUE(session.Run(last).ok());
  const auto got = session.Run({v.Read(s)});
  ASSERT_TRUE(got.ok()) << got.status();
  // Gradients of 1, 2 and 3: what was not sent is in the next.
  const auto value = (*got)[0].flat<float>();
  EXPECT_THAT((std::vector<float>{value[0], value[299], value[300], value[599],
                                  value[600], value[899], value[900]}),
              ElementsAre(-1, -1, -3, -3, -6, -6, 0));
}

TEST(GradientWire, WhatIsWrongIsSaid) {
  for (const double fraction : {0.0, -1.0, 1.5, double{kWireNan}}) {
    const Scope s = Scope::NewRoot();
    EXPECT_THAT(OnTheWire(s, {}, {.fraction = fraction}), testing::IsEmpty());
    EXPECT_EQ(s.status().code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(s.status().message()),
                HasSubstr("a fraction above 0 and up to 1, got "));
  }
  const Scope s = Scope::NewRoot();
  OnTheWire(s, {}, {.whole_up_to = -1});
  EXPECT_THAT(std::string(s.status().message()),
              HasSubstr("got whole_up_to = -1"));
}

}  // namespace
}  // namespace millrace::train
