#include "millrace/train/optimizers/moving_average.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "millrace/base/files/memory_files.h"
#include "millrace/checkpoint/bundle/bundle_reader.h"
#include "millrace/client/ops.h"
#include "millrace/client/session.h"
#include "millrace/client/variables/partitioned_variable.h"
#include "millrace/train/saver.h"

namespace millrace::train {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Key;
using testing::UnorderedElementsAre;

float NumberIn(Session& session, const Output& output) {
  auto out = session.Run({output});
  EXPECT_TRUE(out.ok()) << out.status();
  return out.ok() ? (*out)[0].scalar<float>() : NAN;
}

class MovingAverage : public testing::TestWithParam<bool> {
 protected:
  ops::Variable Scalar(const char* name, float value) {
    return ops::Variable(s_.WithOpName(name), value,
                         {.use_resource = GetParam()});
  }
  const Scope s_ = Scope::NewRoot();
};
INSTANTIATE_TEST_SUITE_P(Kinds, MovingAverage, testing::Bool());

TEST_P(MovingAverage, OfAVariable) {
  const ops::Variable w = Scalar("w", 10);
  const Output add = w.AssignAdd(s_, 1.0f);
  ExponentialMovingAverage ema(0.75);
  const Operation update = ema.Apply(s_.WithControlDependencies({add}));
  const ops::Variable average = ema.Average(w);
  ASSERT_TRUE(average) << s_.status();
  EXPECT_EQ(average.op_name(), "w/ExponentialMovingAverage");
  EXPECT_EQ(update.name(), "ExponentialMovingAverage");
  EXPECT_FALSE(average.trainable());
  Session session(s_);
  ASSERT_TRUE(session.RunTargets({ops::GlobalVariablesInitializer(s_)}).ok());
  EXPECT_EQ(NumberIn(session, average), 10);
  ASSERT_TRUE(session.RunTargets({update}).ok());
  EXPECT_FLOAT_EQ(NumberIn(session, average), 0.75f * 10 + 0.25f * 11);
  ASSERT_TRUE(session.RunTargets({update}).ok());
  EXPECT_FLOAT_EQ(NumberIn(session, average),
                  0.75f * (0.75f * 10 + 0.25f * 11) + 0.25f * 12);
  EXPECT_THAT(ema.VariablesToRestore(s_),
              UnorderedElementsAre(Key("w/ExponentialMovingAverage")));
}

TEST_P(MovingAverage, WithTheNumberOfUpdates) {
  const ops::Variable w = Scalar("w", 0);
  const Output n = ops::Const(s_, int64_t{5});
  ExponentialMovingAverage ema(0.99, {.num_updates = n});
  const Operation update = ema.Apply(s_, {w});
  const Output set = w.Assign(s_, 3.0f);
  Session session(s_);
  ASSERT_TRUE(session.RunTargets({ops::GlobalVariablesInitializer(s_)}).ok());
  ASSERT_TRUE(session.RunTargets({set}).ok());
  ASSERT_TRUE(session.RunTargets({update}).ok());
  EXPECT_FLOAT_EQ(NumberIn(session, ema.Average(w)), 3 * (1 - 6.0f / 15));
}

TEST_P(MovingAverage, OfATensor) {
  const Output x =
      ops::Placeholder(s_.WithOpName("x"), DataType::kFloat,
                       {.shape = PartialShape(std::vector<int64_t>{})});
  ExponentialMovingAverage plain(0.5);
  const Operation update = plain.ApplyToTensors(s_, {x});
  ExponentialMovingAverage debiased(0.5,
                                    {.zero_debias = true, .name = "debiased"});
  const Operation update_debiased = debiased.ApplyToTensors(s_, {x});
  ASSERT_TRUE(s_.ok()) << s_.status();
  Session session(s_);
  ASSERT_TRUE(session.RunTargets({ops::GlobalVariablesInitializer(s_)}).ok());
  ASSERT_TRUE(session.RunTargets({{x, 8.0f}}, {update, update_debiased}).ok());
  EXPECT_FLOAT_EQ(NumberIn(session, plain.AverageOf(x)), 4);
  EXPECT_FLOAT_EQ(NumberIn(session, debiased.AverageOf(x)), 8);
  ASSERT_TRUE(session.RunTargets({{x, 2.0f}}, {update, update_debiased}).ok());
  EXPECT_FLOAT_EQ(NumberIn(session, plain.AverageOf(x)), 3);
  EXPECT_FLOAT_EQ(NumberIn(session, debiased.AverageOf(x)), 3 / 0.75f);
  EXPECT_TRUE(s_.graph().Find("x/debiased/biased"));
  EXPECT_TRUE(s_.graph().Find("x/debiased/local_step"));
}

TEST_P(MovingAverage, BesideTheVariable) {
  const ops::Variable w(s_.WithDevice("/job:ps/task:1").WithOpName("w"), 1.0f,
                        {.use_resource = GetParam()});
  ExponentialMovingAverage ema(0.5);
  ema.Apply(s_.WithDevice("/job:worker/task:0"));
  EXPECT_EQ(ema.Average(w).op().device(), "/job:ps/task:1");
  const Operation subtract =
      s_.graph().Find("ExponentialMovingAverage/AssignMovingAvg/Sub_1");
  ASSERT_TRUE(subtract);
  EXPECT_EQ(subtract.device(), "/job:ps/task:1");
}

TEST_P(MovingAverage, OfPartsIsSavedWhole) {
  MemoryFiles files;
  const auto build = [](const Scope& s, int64_t parts) {
    return ops::PartitionedVariable(
        s.WithOpName("w"), TensorShape({5}), DataType::kFloat, Zeros(),
        FixedSizePartitioner(parts), {.use_resource = GetParam()});
  };
  const ops::PartitionedVariable w = build(s_, 2);
  ExponentialMovingAverage ema(0.5);
  const Operation set = w.Assign(s_, {2.0f, 4.0f, 6.0f, 8.0f, 10.0f});
  const Operation update = ema.Apply(s_.WithControlDependencies({set}));
  Saver saver(s_, {.files = &files});
  Session session(s_, {.files = &files});
  ASSERT_TRUE(session.RunTargets({ops::GlobalVariablesInitializer(s_)}).ok());
  ASSERT_TRUE(session.RunTargets({update}).ok());
  const auto prefix = saver.Save(session, "/d/m");
  ASSERT_TRUE(prefix.ok()) << prefix.status();
  const auto reader = BundleReader::Open(&files, *prefix);
  ASSERT_TRUE(reader.ok()) << reader.status();
  const auto average = (*reader)->Lookup("w/ExponentialMovingAverage");
  ASSERT_TRUE(average.ok()) << average.status();
  EXPECT_EQ(average->shape(), TensorShape({5}));
  EXPECT_EQ(average->flat<float>()[4], 5);

  // A program that restores, with the same number of parts and another.
  for (const int64_t parts : {2, 3}) {
    const Scope test = Scope::NewRoot();
    const ops::PartitionedVariable v = build(test, parts);
    Saver averages(
        test,
        {.variables = ExponentialMovingAverage(0.5).VariablesToRestore(test),
         .files = &files});
    const Output whole = v.Value(test);
    Session tested(test, {.files = &files});
    const Status restored = averages.Restore(tested, *prefix);
    ASSERT_TRUE(restored.ok()) << restored;
    const auto out = tested.Run({whole});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_THAT((*out)[0].flat<float>(), ElementsAre(1, 2, 3, 4, 5));
  }
}

TEST(MovingAverageErrors, UnknownShapes) {
  const Scope s = Scope::NewRoot();
  ExponentialMovingAverage ema(0.5);
  ema.ApplyToTensors(s, {ops::Placeholder(s, DataType::kFloat)});
  EXPECT_THAT(s.status().message(), HasSubstr("needs a known shape"));
}

}  // namespace
}  // namespace millrace::train
