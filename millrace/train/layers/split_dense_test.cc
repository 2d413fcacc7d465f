#include "millrace/train/layers/split_dense.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "millrace/base/files/memory_files.h"
#include "millrace/client/gradients.h"
#include "millrace/train/layers/dense.h"
#include "millrace/train/layers/regularizers.h"
#include "millrace/train/optimizers/momentum.h"
#include "millrace/train/saver.h"
#include "millrace/train/testing/cpus_suite.h"

namespace millrace::train {
namespace {

using testing::HasSubstr;

constexpr double kDenseRounding = 1e-4;

Initializer KernelValues() {
  return SlicesOfWhole(RandomNormal({.stddev = 1, .seed = 5}));
}
Initializer BiasValues() {
  return SlicesOfWhole(RandomNormal({.stddev = 1, .seed = 6}));
}

// The gradients of the parts of a variable as those of the whole.
Output WholeOf(const Scope& s, const ops::PartitionedVariable& variable,
               const std::vector<Gradient>& gradients, size_t first) {
  std::vector<Output> parts;
  for (size_t i = 0; i < variable.parts().size(); ++i) {
    parts.push_back(gradients[first + i].tensor);
  }
  return parts.size() == 1 ? parts[0]
                           : ops::ConcatV2(s, parts, variable.axis());
}

struct DenseForm {
  DenseCut cut;
  int devices;
  bool use_resource;
  std::vector<int64_t> shape;  // of the inputs
};
class SplitDenseForms : public testing::TestWithParam<DenseForm> {};
INSTANTIATE_TEST_SUITE_P(
    All, SplitDenseForms,
    testing::Values(DenseForm{DenseCut::kUnits, 1, false, {4, 5}},
                    DenseForm{DenseCut::kUnits, 2, true, {4, 5}},
                    DenseForm{DenseCut::kUnits, 3, false, {2, 3, 5}},
                    DenseForm{DenseCut::kInputs, 1, true, {4, 5}},
                    DenseForm{DenseCut::kInputs, 2, false, {4, 5}},
                    DenseForm{DenseCut::kInputs, 3, true, {2, 3, 5}}));

TEST_P(SplitDenseForms, HaveTheValuesAndGradientsOfTheWholeLayer) {
  const DenseForm& form = GetParam();
  const Scope s = Scope::NewRoot();
  const VariableScope v = VariableScope(s).WithResources(form.use_resource);
  const Output x = Waves(s, form.shape);
  const Output y = Dense(v, x, 7,
                         {.activation = ops::Tanh,
                          .kernel_initializer = KernelValues(),
                          .bias_initializer = BiasValues()});
  const SplitTensor split = SplitDense(v, x, 7, Cpus(form.devices),
                                       {.cut = form.cut,
                                        .activation = ops::Tanh,
                                        .kernel_initializer = KernelValues(),
                                        .bias_initializer = BiasValues(),
                                        .name = "split"});
  ASSERT_TRUE(split) << s.status();
  EXPECT_EQ(ShapeOfWhole(split), y.shape());
  EXPECT_EQ(split.parts.size(), form.cut == DenseCut::kUnits
                                    ? static_cast<size_t>(form.devices)
                                    : 1);
  const Output joined = Join(s, split);
  const VariableScope again = v.WithReuse(Reuse::kYes);
  const ops::Variable kernel =
      again.Sub("dense").GetVariable("kernel", TensorShape({5, 7}));
  const ops::PartitionedVariable parts =
      again.Sub("split").GetPartitioned("kernel", TensorShape({5, 7}));
  ASSERT_TRUE(parts) << s.status();
  EXPECT_EQ(parts.parts()[0].op_name(), "split/kernel/part_0");
  EXPECT_EQ(parts.parts().back().op().device(), Cpus(form.devices).back());
  std::vector<Output> xs = {x, kernel.handle()};
  const std::vector<Gradient> expected =
      ops::Gradients(s, {UnevenSum(s, y)}, xs, {.colocate_with_ops = true});
  xs = {x};
  for (const ops::Variable& part : parts.parts()) xs.push_back(part.handle());
  const std::vector<Gradient> got = ops::Gradients(
      s, {UnevenSum(s, joined)}, xs, {.colocate_with_ops = true});
  ASSERT_TRUE(s.ok()) << s.status();
  ValuesOnCpus values(s, form.devices);
  RunMetadata metadata;
  const std::vector<Tensor> all =
      values.Of({y, joined, expected[0].tensor, got[0].tensor,
                 expected[1].tensor, WholeOf(s, parts, got, 1)});
  EXPECT_LT(Difference(all[0], all[1]), kDenseRounding);
  EXPECT_LT(Difference(all[2], all[3]), kDenseRounding);
  EXPECT_LT(Difference(all[4], all[5]), kDenseRounding);
  // Each device computes its own part, and its gradients.
  values.Of({got[0].tensor, WholeOf(s, parts, got, 1)}, &metadata);
  for (int i = 0; i < form.devices; ++i) {
    EXPECT_EQ(RunsOf(metadata, "MatMul", i), 3) << "on CPU " << i;
  }
}

TEST(SplitDense, SlicesStayWhereTheyAreBetweenTwoLayers) {
  const Scope s = Scope::NewRoot();
  const VariableScope v(s);
  const Output x = Waves(s, {3, 4});
  const SplitTensor h = SplitDense(v, x, 6, Cpus(3));
  const Output y =
      Join(s, SplitDense(v, h, 2, Cpus(3), {.cut = DenseCut::kInputs}));
  ASSERT_TRUE(y) << s.status();
  ValuesOnCpus values(s, 3);
  RunMetadata metadata;
  values.Of({y}, &metadata);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(RunsOf(metadata, "MatMul", i), 2);
    EXPECT_EQ(RunsOf(metadata, "Concat", i), 0);
    EXPECT_EQ(RunsOf(metadata, "Split", i), 0);
  }
  // Slices of other sizes are joined and cut again.
  const SplitTensor two =
      SplitDense(v, h, 2, Cpus(2), {.cut = DenseCut::kInputs});
  const SplitTensor all = SplitDense(v, h, 2, Cpus(2));
  ASSERT_TRUE(two && all) << s.status();
  ValuesOnCpus more(s, 3);
  more.Of({two.parts[0], all.parts[1]});
}

// Trains a layer and saves it; restores it into the other form.
TEST(SplitDense, CheckpointsAreThoseOfTheWholeLayer) {
  for (const bool starts_whole : {true, false}) {
    MemoryFiles files;
    std::vector<Tensor> trained;
    std::string prefix;
    for (const bool is_whole : {starts_whole, !starts_whole}) {
      const Scope s = Scope::NewRoot();
      const VariableScope v(s);
      const Output x = Waves(s, {3, 4});
      const Output y =
          is_whole ? Dense(v, x, 5) : Join(s, SplitDense(v, x, 5, Cpus(2)));
      MomentumOptimizer optimizer(0.1, 0.9);
      const Operation train_op = optimizer.Minimize(s, UnevenSum(s, y));
      Saver saver(s, {.files = &files});
      ValuesOnCpus values(s, 2, &files);
      if (prefix.empty()) {
        for (int i = 0; i < 3; ++i) values.Do(train_op);
        auto saved = saver.Save(values.session(), "/d/m");
        ASSERT_TRUE(saved.ok()) << saved.status();
        prefix = *saved;
      } else {
        const Status restored = saver.Restore(values.session(), prefix);
        ASSERT_TRUE(restored.ok()) << restored;
      }
      trained.push_back(values.Of({y})[0]);
      values.Do(train_op);  // with the momentum that was saved
      trained.push_back(values.Of({y})[0]);
    }
    EXPECT_LT(Difference(trained[0], trained[2]), kDenseRounding);
    EXPECT_LT(Difference(trained[1], trained[3]), kDenseRounding);
    EXPECT_GT(Difference(trained[0], trained[1]), kDenseRounding);
  }
}

TEST(SplitDense, PenaltiesAddUpToThoseOfTheWhole) {
  const Scope s = Scope::NewRoot();
  const VariableScope v(s);
  SplitDense(v, Waves(s, {1, 4}), 3, Cpus(2),
             {.kernel_initializer = Constant(2.0),
              .kernel_regularizer = L2Regularizer(0.5)});
  const Output loss = RegularizationLoss(s);
  ASSERT_TRUE(loss) << s.status();
  EXPECT_EQ(ValuesOnCpus(s, 2).Of({loss})[0].scalar<float>(), 12);
}

TEST(SplitDense, LayersOfOneNameShareTheirParts) {
  const Scope s = Scope::NewRoot();
  const VariableScope v(s);
  const Output x = Waves(s, {2, 4});
  SplitDense(v, x, 4, Cpus(2), {.name = "layer"});
  const size_t count = ops::TrainableVariables(s).size();
  EXPECT_TRUE(
      SplitDense(v.WithReuse(Reuse::kYes), x, 4, Cpus(2), {.name = "layer"}));
  EXPECT_EQ(ops::TrainableVariables(s).size(), count);
  EXPECT_FALSE(
      SplitDense(v.WithReuse(Reuse::kYes), x, 4, Cpus(3), {.name = "layer"}));
  EXPECT_THAT(s.status().message(),
              HasSubstr("needed in 3 parts along axis 1 and found in 2 parts"));
}

std::string DenseErrorOf(const std::vector<std::string>& devices, int64_t units,
                         DenseCut cut) {
  const Scope s = Scope::NewRoot();
  EXPECT_FALSE(SplitDense(VariableScope(s), Waves(s, {2, 3}), units, devices,
                          {.cut = cut}));
  EXPECT_EQ(s.status().code(), StatusCode::kInvalidArgument);
  return std::string(s.status().message());
}

TEST(SplitDense, WhatIsRefused) {
  EXPECT_THAT(DenseErrorOf({}, 4, DenseCut::kUnits),
              HasSubstr("expected at least one device, got none"));
  EXPECT_THAT(DenseErrorOf(Cpus(3), 2, DenseCut::kUnits),
              HasSubstr("2 units cannot be cut for 3 devices"));
  EXPECT_THAT(DenseErrorOf(Cpus(4), 8, DenseCut::kInputs),
              HasSubstr("3 inputs cannot be cut for 4 devices"));
  EXPECT_THAT(DenseErrorOf(Cpus(1), 0, DenseCut::kUnits),
              HasSubstr("units positive"));
  const Scope malformed = Scope::NewRoot();
  SplitDense(VariableScope(malformed), Waves(malformed, {2, 3}), 2,
             {"no device"});
  EXPECT_THAT(malformed.status().message(), HasSubstr("no device"));
  const Scope s = Scope::NewRoot();
  SplitDense(VariableScope(s), ops::Placeholder(s, DataType::kFloat), 3,
             Cpus(1));
  EXPECT_THAT(s.status().message(), HasSubstr("should be defined"));
}

}  // namespace
}  // namespace millrace::train
