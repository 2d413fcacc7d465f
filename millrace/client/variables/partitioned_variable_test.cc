#include "millrace/client/variables/partitioned_variable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "millrace/client/ops.h"
#include "millrace/client/session.h"

namespace millrace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<float> Values(Session& session, const Output& output) {
  auto out = session.Run({output});
  EXPECT_TRUE(out.ok()) << out.status();
  if (!out.ok()) return {};
  const auto flat = (*out)[0].flat<float>();
  return {flat.begin(), flat.end()};
}

TEST(Partitioners, FixedSize) {
  const TensorShape shape({10, 3});
  EXPECT_THAT(*FixedSizePartitioner(4)(shape, DataType::kFloat),
              ElementsAre(4, 1));
  EXPECT_THAT(*FixedSizePartitioner(7, {.axis = 1})(shape, DataType::kFloat),
              ElementsAre(1, 3));
  EXPECT_EQ(FixedSizePartitioner(2, {.axis = 2})(shape, DataType::kFloat)
                .status()
                .code(),
            StatusCode::kInvalidArgument);
  EXPECT_FALSE(FixedSizePartitioner(0)(shape, DataType::kFloat).ok());
}

TEST(Partitioners, MinMax) {
  const TensorShape shape({1024, 1024});
  EXPECT_THAT(*MinMaxVariablePartitioner({.max_partitions = 100})(
                  shape, DataType::kFloat),
              ElementsAre(16, 1));
  EXPECT_THAT(*MinMaxVariablePartitioner({.max_partitions = 5, .axis = 1})(
                  shape, DataType::kFloat),
              ElementsAre(1, 5));
  EXPECT_THAT(*MinMaxVariablePartitioner({.max_partitions = 100})(
                  TensorShape({10}), DataType::kFloat),
              ElementsAre(1));
  EXPECT_THAT(
      *MinMaxVariablePartitioner({.max_partitions = 100, .min_slice_size = 16})(
          TensorShape({3, 4}), DataType::kString),
      ElementsAre(3, 1));
}

TEST(Partitioners, VariableAxisSize) {
  // Rows of 16 bytes, three per shard.
  EXPECT_THAT(*VariableAxisSizePartitioner({.max_shard_bytes = 50})(
                  TensorShape({10, 4}), DataType::kFloat),
              ElementsAre(4, 1));
  EXPECT_THAT(
      *VariableAxisSizePartitioner({.max_shard_bytes = 50, .max_shards = 2})(
          TensorShape({10, 4}), DataType::kFloat),
      ElementsAre(2, 1));
  EXPECT_THAT(*VariableAxisSizePartitioner({.max_shard_bytes = 1})(
                  TensorShape({10, 4}), DataType::kFloat),
              ElementsAre(10, 1));
  EXPECT_THAT(*VariableAxisSizePartitioner({.axis = 1})(TensorShape({10, 4}),
                                                        DataType::kDouble),
              ElementsAre(1, 1));
  EXPECT_FALSE(VariableAxisSizePartitioner({.max_shard_bytes = 0})(
                   TensorShape({1}), DataType::kFloat)
                   .ok());
}

class Partitioned : public testing::TestWithParam<bool> {
 protected:
  const ops::VariableOptions options_ = {.use_resource = GetParam()};
  const Scope s_ = Scope::NewRoot();
};
INSTANTIATE_TEST_SUITE_P(Kinds, Partitioned, testing::Bool());

TEST_P(Partitioned, PartsAreSlices) {
  std::vector<float> values(10);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  // Each part passes its own shape and that of the whole.
  const Initializer initializer = [](const Scope& s, const InitialValue& v) {
    EXPECT_EQ(v.full_shape, TensorShape({5, 2}));
    return Ones()(s, v);
  };
  const ops::PartitionedVariable w(s_.WithOpName("w"), TensorShape({5, 2}),
                                   DataType::kFloat, initializer,
                                   FixedSizePartitioner(3), options_);
  ASSERT_TRUE(w) << s_.status();
  EXPECT_EQ(w.name(), "w");
  ASSERT_EQ(w.parts().size(), 3u);
  EXPECT_EQ(w.parts()[0].op_name(), "w/part_0");
  EXPECT_EQ(w.parts()[1].shape(), PartialShape({2, 2}));
  EXPECT_EQ(w.parts()[2].shape(), PartialShape({1, 2}));
  ASSERT_TRUE(w.parts()[2].save_slice());
  EXPECT_EQ(w.parts()[2].save_slice()->Spec(), "5 2 4,1:0,2");
  EXPECT_EQ(w.parts()[1].save_slice()->full_name, "w");
  EXPECT_EQ(ops::TrainableVariables(s_).size(), 3u);
  const Operation assign =
      w.Assign(s_, ops::Reshape(s_, ops::Const(s_, values), {5, 2}));
  const Output whole = w.Value(s_);
  EXPECT_EQ(whole.shape(), PartialShape({5, 2}));
  Session session(s_);
  ASSERT_TRUE(session.RunTargets({ops::GlobalVariablesInitializer(s_)}).ok());
  EXPECT_EQ(Values(session, whole), std::vector<float>(10, 1.0f));
  ASSERT_TRUE(session.RunTargets({assign}).ok());
  EXPECT_EQ(Values(session, whole), values);
  EXPECT_THAT(Values(session, w.parts()[1]), ElementsAre(4, 5, 6, 7));
}

TEST_P(Partitioned, AlongAnotherAxis) {
  const ops::PartitionedVariable w(s_.WithOpName("w"), TensorShape({2, 3}),
                                   DataType::kFloat,
                                   Constant({{1.0f, 2.0f}, {3.0f, 4.0f}}),
                                   FixedSizePartitioner(1), options_);
  EXPECT_FALSE(w);  // six numbers from four
  const Scope s = Scope::NewRoot();
  const ops::PartitionedVariable columns(
      s.WithOpName("w"), TensorShape({2, 3}), DataType::kFloat, Ones(),
      FixedSizePartitioner(2, {.axis = 1}), options_);
  ASSERT_TRUE(columns) << s.status();
  EXPECT_EQ(columns.axis(), 1);
  EXPECT_EQ(columns.parts()[1].shape(), PartialShape({2, 1}));
  EXPECT_EQ(columns.parts()[1].save_slice()->Spec(), "2 3 0,2:2,1");
  EXPECT_EQ(columns.Value(s).shape(), PartialShape({2, 3}));
}

TEST_P(Partitioned, PartsAreOnTheirDevices) {
  const Scope s = s_.WithDevice("/job:worker");
  const ops::PartitionedVariable w(
      s.WithOpName("w"), TensorShape({3, 2}), DataType::kFloat, Ones(),
      FixedSizePartitioner(2), options_, {"/task:0", "/task:1/device:CPU:0"});
  ASSERT_TRUE(w) << s_.status();
  EXPECT_EQ(w.parts()[0].op().device(), "/job:worker/task:0");
  EXPECT_EQ(w.parts()[1].op().device(), "/job:worker/task:1/device:CPU:0");
  const ops::PartitionedVariable other(
      s.WithOpName("other"), TensorShape({3, 2}), DataType::kFloat, Ones(),
      FixedSizePartitioner(2), options_, {"/task:0"});
  EXPECT_FALSE(other);
  EXPECT_THAT(s_.status().message(), HasSubstr("got 1 devices for 2 parts"));
}

TEST_P(Partitioned, SlicesOfTheWholeValue) {
  const Initializer random = RandomNormal({.seed = 3});
  const TensorShape shape({5, 3});
  const ops::Variable whole = ops::MakeVariable(
      s_.WithOpName("whole"), shape, DataType::kFloat, random, options_);
  const ops::Variable same =
      ops::MakeVariable(s_.WithOpName("same"), shape, DataType::kFloat,
                        SlicesOfWhole(random), options_);
  std::vector<Output> values = {whole, same};
  for (const int axis : {0, 1}) {
    const ops::PartitionedVariable parts(
        s_.WithOpName("parts"), shape, DataType::kFloat, SlicesOfWhole(random),
        FixedSizePartitioner(2, {.axis = axis}), options_);
    ASSERT_TRUE(parts) << s_.status();
    values.push_back(parts.Value(s_));
  }
  Session session(s_);
  ASSERT_TRUE(session.RunTargets({ops::GlobalVariablesInitializer(s_)}).ok());
  const std::vector<float> expected = Values(session, whole);
  for (const Output& value : values) {
    EXPECT_EQ(Values(session, value), expected);
  }
  const ops::PartitionedVariable none(s_.WithOpName("none"), shape,
                                      DataType::kFloat, SlicesOfWhole({}),
                                      FixedSizePartitioner(2), options_);
  EXPECT_FALSE(none);
  EXPECT_THAT(s_.status().message(), HasSubstr("got an empty one"));
}

TEST_P(Partitioned, WhatIsRefused) {
  const auto status = [&](const TensorShape& shape,
                          const Partitioner& partitioner) {
    const Scope s = Scope::NewRoot();
    const ops::PartitionedVariable w(s, shape, DataType::kFloat, Zeros(),
                                     partitioner, options_);
    EXPECT_FALSE(w);
    return s.status();
  };
  const auto both = [](const TensorShape&, DataType) {
    return std::vector<int64_t>{2, 2};
  };
  EXPECT_THAT(status(TensorShape({4, 4}), both).message(),
              HasSubstr("along one dimension only"));
  EXPECT_THAT(status(TensorShape({4}), both).message(),
              HasSubstr("does not match the variable's shape"));
  EXPECT_THAT(status(TensorShape({1, 4}), both).message(),
              HasSubstr("asks for 2 partitions of dimension 0"));
  EXPECT_THAT(status(TensorShape(), {}).message(), HasSubstr("got a scalar"));
}

}  // namespace
}  // namespace millrace
