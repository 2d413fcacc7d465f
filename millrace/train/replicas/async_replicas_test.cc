#include "millrace/train/replicas/async_replicas.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "millrace/client/ops.h"
#include "millrace/client/queues.h"
#include "millrace/client/session.h"
#include "millrace/client/variables/embedding.h"
#include "millrace/train/global_step.h"
#include "millrace/train/optimizers/adam.h"
#include "millrace/train/optimizers/gradient_descent.h"
#include "millrace/train/optimizers/momentum.h"

namespace millrace::train {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr double kHalf = 0.5;

// A model whose step stops after it has begun, and goes on when it is told. Its
// loss is factor * (w + the sum of row 1 of a table, looked up twice): the
// gradient of w is the factor, and that of row 1 twice the factor.
class StoppingModel {
 public:
  StoppingModel(Optimizer* rule, const AsyncReplicasOptions& options,
                bool use_resource, DataType type = DataType::kFloat)
      : async_(rule, options) {
    const ops::VariableOptions kind = {.use_resource = use_resource};
    step_ = CreateGlobalStep(s_, kind);
    w_ = ops::Variable(s_.WithOpName("w"), ops::Const(s_, 1, type), kind);
    table_ = ops::Variable(s_.WithOpName("table"),
                           ops::Const(s_, {{1}, {1}}, type), kind);
    const Output rows = ops::EmbeddingLookup(s_, {table_}, {1, 1});
    const FIFOQueue begun(s_, {DataType::kBool}), go(s_, {type});
    const Operation tells =
        begun.Enqueue(s_.WithControlDependencies({w_.value(), rows}), {true});
    const Output factor = go.Dequeue(s_.WithControlDependencies({tells}))[0];
    factor.SetShape(PartialShape({}));
    const Output loss =
        ops::Mul(s_, factor, ops::AddV2(s_, w_, ops::Sum(s_, rows, {0, 1})));
    train_op_ = async_.Minimize(s_, loss, {.global_step = step_});
    begun_ = begun.Dequeue(s_)[0];
    factor_ = ops::Placeholder(s_, type, {.shape = PartialShape({})});
    go_ = go.Enqueue(s_, {factor_});
    others_ =
        ops::Placeholder(s_, DataType::kInt64, {.shape = PartialShape({})});
    updated_ = step_.AssignAdd(s_, others_);
    init_ = ops::GlobalVariablesInitializer(s_);
    EXPECT_TRUE(s_.ok()) << s_.status();
    session_ = std::make_unique<Session>(s_);
    EXPECT_TRUE(session_->RunTargets({init_}).ok());
  }

  struct Ran {
    int64_t staleness = -1;
    bool applied = false;
    int64_t step = -1;
    friend bool operator==(const Ran&, const Ran&) = default;
  };
  // Runs a step with gradients of `factor`, during which others update `others`
  // times.
  Ran StepBeside(int64_t others, int factor = 2) {
    Ran ran;
    Thread step("step", [&] {
      const auto values = session_->Run(
          {train_op_.output(0), async_.ops().staleness, async_.ops().applied});
      ASSERT_TRUE(values.ok()) << values.status();
      ran = {.staleness = (*values)[1].scalar<int64_t>(),
             .applied = (*values)[2].scalar<bool>(),
             .step = (*values)[0].scalar<int64_t>()};
    });
    EXPECT_TRUE(session_->Run({begun_}).ok());
    EXPECT_TRUE(session_->Run({{others_, others}}, {updated_}).ok());
    EXPECT_TRUE(session_->RunTargets({{factor_, factor}}, {go_}).ok());
    step.Join();
    return ran;
  }

  template <class T>
  std::vector<T> ValuesOf(const ops::Variable& variable) {
    const auto values = session_->Run({variable.value()});
    EXPECT_TRUE(values.ok()) << values.status();
    if (!values.ok()) return {};
    const absl::Span<const T> flat = (*values)[0].flat<T>();
    return {flat.begin(), flat.end()};
  }
  std::vector<float> w() { return ValuesOf<float>(w_); }
  std::vector<float> table() { return ValuesOf<float>(table_); }
  std::vector<int64_t> step() { return ValuesOf<int64_t>(step_); }
  ReplicaRecords records() {
    const auto read = ReadReplicaRecords(*session_, async_.ops());
    EXPECT_TRUE(read.ok()) << read.status();
    return read.ok() ? *read : ReplicaRecords();
  }
  Session& session() { return *session_; }
  const Scope& scope() const { return s_; }
  const AsyncReplicas& async() const { return async_; }
  const ops::Variable& w_variable() const { return w_; }
  const ops::Variable& table_variable() const { return table_; }

 private:
  const Scope s_ = Scope::NewRoot();
  AsyncReplicas async_;
  ops::Variable step_, w_, table_;
  Operation train_op_, go_, init_;
  Output begun_, factor_, others_, updated_;
  std::unique_ptr<Session> session_;
};

// Both kinds of variables.
class AsyncReplicasTest : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Kinds, AsyncReplicasTest, testing::Bool());

using Ran = StoppingModel::Ran;

TEST_P(AsyncReplicasTest, MeasuredGradientsAreAppliedAsTheyAre) {
  for (const Updates updates : {Updates::kAtOnce, Updates::kOneByOne}) {
    GradientDescentOptimizer rule(kHalf);
    StoppingModel model(&rule, {.updates = updates}, GetParam());
    EXPECT_EQ(model.StepBeside(0), (Ran{0, true, 1}));
    // 1 - 0.5 * 2, and for the row 1 - 0.5 * (2 + 2).
    EXPECT_THAT(model.w(), ElementsAre(0));
    EXPECT_THAT(model.table(), ElementsAre(1, -1));
    EXPECT_EQ(model.StepBeside(3), (Ran{3, true, 5}));
    EXPECT_THAT(model.w(), ElementsAre(-1));
    EXPECT_THAT(model.table(), ElementsAre(1, -3));
  }
}

TEST_P(AsyncReplicasTest, StaleGradientsAreDropped) {
  for (const Updates updates : {Updates::kAtOnce, Updates::kOneByOne}) {
    GradientDescentOptimizer rule(kHalf);
    StoppingModel model(&rule,
                        {.policy = StalenessPolicy::kDrop,
                         .max_staleness = 2,
                         .updates = updates},
                        GetParam());
    EXPECT_EQ(model.StepBeside(2), (Ran{2, true, 3}));
    EXPECT_THAT(model.w(), ElementsAre(0));
    EXPECT_THAT(model.table(), ElementsAre(1, -1));
    // The global step is that of the others: 3 + 3.
    EXPECT_EQ(model.StepBeside(3), (Ran{3, false, 6}));
    EXPECT_THAT(model.w(), ElementsAre(0));
    EXPECT_THAT(model.table(), ElementsAre(1, -1));
    EXPECT_THAT(model.step(), ElementsAre(6));
    EXPECT_EQ(model.StepBeside(0), (Ran{0, true, 7}));
    EXPECT_THAT(model.w(), ElementsAre(-1));
  }
}

TEST_P(AsyncReplicasTest, StaleGradientsAreScaled) {
  for (const Updates updates : {Updates::kAtOnce, Updates::kOneByOne}) {
    GradientDescentOptimizer rule(kHalf);
    StoppingModel model(&rule,
                        {.policy = StalenessPolicy::kScale, .updates = updates},
                        GetParam());
    EXPECT_EQ(model.StepBeside(0), (Ran{0, true, 1}));
    EXPECT_THAT(model.w(), ElementsAre(0));
    EXPECT_THAT(model.table(), ElementsAre(1, -1));
    // A quarter: -0.5 * 2 / 4 and -0.5 * 4 / 4.
    EXPECT_EQ(model.StepBeside(3), (Ran{3, true, 5}));
    EXPECT_THAT(model.w(), ElementsAre(-0.25f));
    EXPECT_THAT(model.table(), ElementsAre(1, -1.5f));
  }
}

TEST_P(AsyncReplicasTest, TheScaleHasTheTypeOfTheVariable) {
  GradientDescentOptimizer rule(kHalf);
  StoppingModel model(&rule, {.policy = StalenessPolicy::kScale}, GetParam(),
                      DataType::kDouble);
  model.StepBeside(2, 6);
  // 1 - 0.5 * 6 / 3: a third in float is off by 1e-8.
  const std::vector<double> w = model.ValuesOf<double>(model.w_variable());
  ASSERT_EQ(w.size(), 1u);
  EXPECT_NEAR(w[0], 0, 1e-15);
}

TEST_P(AsyncReplicasTest, GradientsMayGoInFewerBytes) {
  for (const StalenessPolicy policy :
       {StalenessPolicy::kMeasure, StalenessPolicy::kScale}) {
    GradientDescentOptimizer rule(kHalf);
    StoppingModel model(
        &rule,
        {.policy = policy, .wire = {.form = GradientWire::Form::kBfloat16}},
        GetParam());
    // 257 has nine significant bits, of which bfloat16 keeps eight: 256.
    model.StepBeside(0, 257);
    EXPECT_THAT(model.w(), ElementsAre(1 - 0.5f * 256));
    EXPECT_THAT(model.table(), ElementsAre(1, 1 - 0.5f * 512));
  }
}

// Rules have state that changes in each step, whatever the gradients are.
TEST_P(AsyncReplicasTest, ADroppedGradientLeavesTheOptimizerAlone) {
  MomentumOptimizer momentum(kHalf, 0.5);
  AdamOptimizer adam(kHalf);
  for (Optimizer* const rule :
       std::initializer_list<Optimizer*>{&momentum, &adam}) {
    StoppingModel model(rule,
                        {.policy = StalenessPolicy::kDrop, .max_staleness = 0},
                        GetParam());
    model.StepBeside(0);
    std::vector<std::vector<float>> before, after;
    for (const ops::Variable& variable : rule->variables())
      before.push_back(model.ValuesOf<float>(variable));
    const std::vector<float> w = model.w();
    EXPECT_EQ(model.StepBeside(1), (Ran{1, false, 2})) << rule->name();
    for (const ops::Variable& variable : rule->variables())
      after.push_back(model.ValuesOf<float>(variable));
    EXPECT_EQ(after, before) << rule->name();
    EXPECT_EQ(model.w(), w);
    // All of them change otherwise.
    model.StepBeside(0);
    size_t i = 0;
    for (const ops::Variable& variable : rule->variables())
      EXPECT_NE(model.ValuesOf<float>(variable), before[i++])
          << variable.name();
  }
}

TEST_P(AsyncReplicasTest, EachGradientIsCounted) {
  GradientDescentOptimizer rule(kHalf);
  StoppingModel model(&rule,
                      {.replicas = 3,
                       .replica = 1,
                       .policy = StalenessPolicy::kDrop,
                       .max_staleness = 4},
                      GetParam());
  for (const int64_t others : {0, 1, 1, 4, 5}) model.StepBeside(others);
  const ReplicaRecords records = model.records();
  EXPECT_EQ(records.global_step, 11 + 4);
  ASSERT_EQ(records.replicas.size(), 3u);
  const ReplicaRecord& own = records.replicas[1];
  EXPECT_EQ(own.gradients(), 5);
  EXPECT_EQ(own.clock, 5);
  EXPECT_EQ(own.staleness_sum, 11);
  EXPECT_EQ(own.dropped, 1);
  EXPECT_EQ(own.max_staleness, 5);
  EXPECT_THAT(own.at_least, ElementsAre(5, 4, 2, 2, 2, 0, 0, 0));
  EXPECT_EQ(records.replicas[0], ReplicaRecord());
  EXPECT_EQ(records.replicas[2], ReplicaRecord());
}

// A restored checkpoint sets the global step back.
TEST_P(AsyncReplicasTest, AnEarlierGlobalStepCountsAsFresh) {
  GradientDescentOptimizer rule(kHalf);
  StoppingModel model(&rule, {.policy = StalenessPolicy::kScale}, GetParam());
  EXPECT_EQ(model.StepBeside(-3), (Ran{0, true, -2}));
  EXPECT_THAT(model.w(), ElementsAre(0));
}

TEST_P(AsyncReplicasTest, ParametersAreReadAfterTheGlobalStep) {
  GradientDescentOptimizer rule(kHalf);
  StoppingModel model(&rule, {}, GetParam());
  const auto waits = [&](const Operation& read) {
    std::vector<std::string> names;
    for (const Operation& control : read.control_inputs())
      names.push_back(control.name());
    return names;
  };
  const Operation w = model.w_variable().value().op();
  EXPECT_THAT(waits(w), Contains(HasSubstr("async_replicas/begun")));
  // What initializers read has a value before the global step may have one.
  const Operation again = model.w_variable().Read(model.scope()).op();
  EXPECT_THAT(waits(again), ElementsAre());
}

TEST(AsyncReplicas, AReplicaJoinsAtTheClockOfTheSlowest) {
  const Scope s = Scope::NewRoot().SubScope("records");
  std::vector<Output> joins;
  std::vector<ReplicaTable> tables;
  for (int64_t r = 0; r < 3; ++r) {
    tables.emplace_back(s, 3, r);
    joins.push_back(tables.back().Join(s));
  }
  const Output replica = ops::Placeholder(s, DataType::kInt64);
  const Output state = ops::Placeholder(s, DataType::kInt64);
  const Operation set = tables[0].SetState(s, replica, state);
  const Output none = ops::Const(s, int64_t{0});
  const std::vector<Operation> steps = {tables[0].Count(s, none, {}),
                                        tables[1].Count(s, none, {}),
                                        tables[2].Count(s, none, {})};
  ASSERT_TRUE(s.ok()) << s.status();
  Session session(s);
  const auto join = [&](size_t r) {
    const auto clock = session.Run({joins[r]});
    EXPECT_TRUE(clock.ok()) << clock.status();
    return clock.ok() ? (*clock)[0].scalar<int64_t>() : -1;
  };
  const auto step = [&](size_t r, int times) {
    for (int i = 0; i < times; ++i)
      EXPECT_TRUE(session.RunTargets({steps[r]}).ok());
  };
  EXPECT_EQ(join(0), 0);
  step(0, 5);
  EXPECT_EQ(join(1), 5);
  step(1, 2);
  EXPECT_EQ(join(2), 5);
  step(0, 1);
  step(2, 4);  // 6, 7, 9
  // It begins again, though it was ahead of both.
  EXPECT_EQ(join(2), 6);
  const auto ended = static_cast<int64_t>(ReplicaState::kEnded);
  EXPECT_TRUE(
      session.RunTargets({{replica, int64_t{0}}, {state, ended}}, {set}).ok());
  EXPECT_EQ(join(2), 7);
  EXPECT_EQ(join(1), 7);
  EXPECT_TRUE(
      session.RunTargets({{replica, int64_t{2}}, {state, ended}}, {set}).ok());
  step(1, 1);
  EXPECT_EQ(join(1), 8);  // without others it stays
}

TEST(AsyncReplicas, OptionsThatContradictEachOtherAreSaid) {
  const auto error = [](const AsyncReplicasOptions& options,
                        bool has_step = true) {
    const Scope s = Scope::NewRoot();
    const ops::Variable w(s.WithOpName("w"), Tensor::Scalar(0.0f));
    GradientDescentOptimizer rule(kHalf);
    AsyncReplicas async(&rule, options);
    const ops::Variable step = has_step ? CreateGlobalStep(s) : ops::Variable();
    EXPECT_FALSE(async.Minimize(s, ops::Identity(s, w), {.global_step = step}));
    EXPECT_EQ(s.status().code(), StatusCode::kInvalidArgument) << s.status();
    return std::string(s.status().message());
  };
  EXPECT_THAT(error({}, false), HasSubstr("Global step is required"));
  EXPECT_THAT(error({.replicas = 2, .replica = 2}),
              HasSubstr("replica is 2, replicas is 2"));
  EXPECT_THAT(error({.policy = StalenessPolicy::kDrop}),
              HasSubstr("needs max_staleness, 0 or more"));
  EXPECT_THAT(error({.max_staleness = 3}),
              HasSubstr("for StalenessPolicy::kDrop alone"));
  EXPECT_THAT(error({.policy = StalenessPolicy::kDrop, .max_staleness = -1}),
              HasSubstr("max_staleness must be 0 or more, got -1"));
  EXPECT_THAT(error({.max_ahead = -2}),
              HasSubstr("max_ahead must be 0 or more, got -2"));
  EXPECT_THAT(error({.warm_up_steps = -1}),
              HasSubstr("warm_up_steps must be 0 or more, got -1"));
}

TEST(AsyncReplicas, GradientsAreAppliedOnce) {
  const Scope s = Scope::NewRoot();
  const ops::Variable w(s.WithOpName("w"), Tensor::Scalar(0.0f));
  GradientDescentOptimizer rule(kHalf);
  AsyncReplicas async(&rule, {});
  const ops::Variable step = CreateGlobalStep(s);
  const Output loss = ops::Identity(s, w);
  EXPECT_TRUE(async.Minimize(s, loss, {.global_step = step}));
  EXPECT_FALSE(async.Minimize(s, loss, {.global_step = step}));
  EXPECT_THAT(std::string(s.status().message()),
              HasSubstr("gradients are applied once"));
}

}  // namespace
}  // namespace millrace::train
