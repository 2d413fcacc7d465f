#include "millrace/train/replicas/replica_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace::train {
namespace {

using testing::HasSubstr;

ReplicaRecords TwoReplicas() {
  return {.global_step = 9,
          .replicas = {{.staleness_sum = 6,
                        .dropped = 1,
                        .max_staleness = 5,
                        .at_least = {3, 1, 1, 1, 1, 0, 0, 0}},
                       {.staleness_sum = 40,
                        .max_staleness = 39,
                        .at_least = {2, 2, 1, 1, 1, 1, 1, 1}}}};
}

TEST(ReplicaTable, SumsUpWhatAllReplicasTell) {
  const StalenessSummary summary = Summarize({}, TwoReplicas());
  EXPECT_EQ(summary.gradients, 5);
  EXPECT_EQ(summary.dropped, 1);
  EXPECT_DOUBLE_EQ(summary.mean, 46.0 / 5);
  EXPECT_EQ(summary.greatest, 39);
  EXPECT_EQ(ToString(summary),
            "5 gradients, staleness 9.2 on average, at most 39 so far, 1 "
            "dropped; 0: 2, 1: 1, 4 to 7: 1, 32 and more: 1");
}

TEST(ReplicaTable, CountsSinceTheLastTime) {
  ReplicaRecords later = TwoReplicas();
  later.replicas[0].staleness_sum = 7;
  later.replicas[0].at_least[0] = 5;
  later.replicas[0].at_least[1] = 2;
  const StalenessSummary summary = Summarize(TwoReplicas(), later);
  EXPECT_EQ(summary.gradients, 2);
  EXPECT_EQ(summary.dropped, 0);
  EXPECT_DOUBLE_EQ(summary.mean, 0.5);
  EXPECT_EQ(summary.at_least[1], 1);
}

TEST(ReplicaTable, CountsAnewAfterTheTableWasLost) {
  ReplicaRecords anew = TwoReplicas();
  anew.replicas[0] = {.staleness_sum = 1, .at_least = {1, 1}};
  const StalenessSummary summary = Summarize(TwoReplicas(), anew);
  EXPECT_EQ(summary.gradients, 1);
  EXPECT_DOUBLE_EQ(summary.mean, 1);
}

TEST(ReplicaTable, NothingIsZero) {
  EXPECT_EQ(ToString(Summarize({}, {})),
            "0 gradients, staleness 0 on average, at most 0 so far, 0 dropped");
}

TEST(ReplicaTable, OtherTensorsAreNoRecords) {
  const Status status =
      ParseReplicaRecords(Tensor::Scalar(int64_t{1}),
                          Tensor::Zeros(DataType::kInt64, TensorShape({2, 3})))
          .status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("not int64 of shape [] and int64 of shape [2,3]"));
}

}  // namespace
}  // namespace millrace::train
