#include "millrace/train/replica_device_setter.h"

#include <gtest/gtest.h>

#include "millrace/client/ops.h"
#include "millrace/client/variables/variables.h"
#include "millrace/train/input/input_producers.h"

namespace millrace::train {
namespace {

ops::Variable Floats(const Scope& s, const std::string& name, int64_t n) {
  return ops::Variable(s.WithOpName(name), [n](const Scope& block) {
    return ops::Const(block, Tensor::Zeros(DataType::kFloat, TensorShape({n})));
  });
}

TEST(ReplicaDeviceSetter, VariablesGoRoundOthersToTheWorker) {
  const Scope s = Scope::NewRoot().WithDevice(ReplicaDeviceSetter(
      {.ps_tasks = 2, .worker_device = "/job:worker/task:1"}));
  const auto a = Floats(s, "a", 1), b = Floats(s, "b", 1),
             c = Floats(s, "c", 1);
  EXPECT_EQ(a.op().device(), "/job:ps/task:0");
  EXPECT_EQ(b.op().device(), "/job:ps/task:1");
  EXPECT_EQ(c.op().device(), "/job:ps/task:0");
  EXPECT_EQ(ops::Neg(s, a).op().device(), "/job:worker/task:1");
  // A read is placed with its variable.
  EXPECT_EQ(b.value().op().device(), "/job:ps/task:1");
}

TEST(ReplicaDeviceSetter, InnerBlocksWin) {
  const Scope s =
      Scope::NewRoot().WithDevice(ReplicaDeviceSetter({.ps_tasks = 2}));
  EXPECT_EQ(Floats(s.WithDevice("/job:ps/task:1"), "a", 1).op().device(),
            "/job:ps/task:1");
  EXPECT_EQ(Floats(s.WithDevice("/device:CPU:0"), "b", 1).op().device(),
            "/job:ps/task:0/device:CPU:0");
  EXPECT_EQ(ops::NoOp(s.WithDevice("/device:GPU:1")).device(),
            "/job:worker/device:GPU:1");
}

// As the header says.
TEST(ReplicaDeviceSetter, LocalVariablesAreSharedUnlessAWorkerIsAskedFor) {
  const Scope s = Scope::NewRoot().WithDevice(ReplicaDeviceSetter(
      {.ps_tasks = 1, .worker_device = "/job:worker/task:1"}));
  LimitEpochs(s, 1.0f, 2);
  LimitEpochs(s.WithDevice("/job:worker/task:1"), 1.0f, 2);
  const std::vector<ops::Variable> epochs = ops::LocalVariables(s);
  ASSERT_EQ(epochs.size(), 2u);
  EXPECT_EQ(epochs[0].op().device(), "/job:ps/task:0");
  EXPECT_EQ(epochs[1].op().device(), "/job:worker/task:1");
}

TEST(ReplicaDeviceSetter, LeastBytes) {
  auto cluster = ClusterSpec::Parse("ps=a:1,b:1;worker=c:1");
  ASSERT_TRUE(cluster.ok());
  const Scope s = Scope::NewRoot().WithDevice(
      ReplicaDeviceSetter({.cluster = *cluster, .strategy = LeastBytes(2)}));
  EXPECT_EQ(Floats(s, "big", 100).op().device(), "/job:ps/task:0");
  EXPECT_EQ(Floats(s, "b", 10).op().device(), "/job:ps/task:1");
  EXPECT_EQ(Floats(s, "c", 10).op().device(), "/job:ps/task:1");
  ops::Variable resource(s.WithOpName("r"), Tensor::Scalar(1.0f),
                         {.use_resource = true});
  EXPECT_EQ(resource.op().device(), "/job:ps/task:1");
}

TEST(ReplicaDeviceSetter, WithoutParameterServersNothingChanges) {
  const Scope s = Scope::NewRoot().WithDevice(ReplicaDeviceSetter({}));
  EXPECT_EQ(Floats(s, "a", 1).op().device(), "");
}

TEST(ReplicaDeviceSetter, AMalformedDeviceIsAnError) {
  const Scope s = Scope::NewRoot().WithDevice(
      ReplicaDeviceSetter({.ps_tasks = 1, .worker_device = "/job:?"}));
  ops::NoOp(s);
  EXPECT_EQ(s.status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace millrace::train
