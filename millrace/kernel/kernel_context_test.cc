#include "millrace/kernel/kernel_context.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "millrace/kernel/kernel.h"
#include "millrace/kernel/testing/one_thread_device.h"

namespace millrace {
namespace {

using ::testing::HasSubstr;

class KernelContextTest : public ::testing::Test {
 protected:
  KernelContextTest() {
    node_.name = "n";
    node_.input_types = {DataType::kFloat, DataType::kFloat};
    node_.output_types = {DataType::kFloat};
    for (EdgeValue& in : inputs_)
      in.tensor = Tensor::Zeros(DataType::kFloat, {4, 8});
  }
  KernelContext Context() {
    return KernelContext(node_, device_, step_, absl::MakeSpan(inputs_),
                         absl::MakeSpan(outputs_));
  }

  NodeInfo node_;
  OneThreadDevice device_;
  StepEnvironment step_;
  EdgeValue inputs_[2];
  EdgeValue outputs_[1];
};

TEST_F(KernelContextTest, TakesOverTheLastReference) {
  auto ctx = Context();
  const Tensor kept = ctx.input(0);
  const char* place = ctx.input(1).data();
  Tensor* out = *ctx.ForwardOrAllocateOutput({0, 1}, 0, {8, 4});
  EXPECT_EQ(out->data(), place);
  EXPECT_EQ(out->shape().DebugString(), "[8,4]");
  // Written in place while the input can still be read.
  out->mutable_flat<float>()[3] = 2;
  EXPECT_EQ(ctx.input(1).flat<float>()[3], 2);
  EXPECT_EQ(ctx.input(1).shape().DebugString(), "[4,8]");
  // The buffer is not forwarded twice.
  EXPECT_NE((*ctx.ForwardOrAllocateOutput({1}, 0, {8, 4}))->data(), place);
}

TEST_F(KernelContextTest, DoesNotTakeWhatIsNotItsOwn) {
  auto ctx = Context();
  auto taken = [&](int i, TensorShape shape) {
    const char* place = ctx.input(i).data();
    return (*ctx.ForwardOrAllocateOutput({i}, 0, std::move(shape)))->data() ==
           place;
  };
  {
    const Tensor shared = ctx.input(0);
    EXPECT_FALSE(taken(0, {4, 8}));
  }
  EXPECT_FALSE(taken(0, {4, 7}));
  inputs_[0].ref = MakeRef<Variable>(DataType::kFloat, "v");
  EXPECT_FALSE(taken(0, {4, 8}));
  inputs_[0].ref = nullptr;
  inputs_[0].tensor = inputs_[0].tensor.Rows(1, 3);  // not aligned
  EXPECT_FALSE(taken(0, {2, 8}));
  inputs_[0].tensor = Tensor::New(DataType::kString, {8});
  EXPECT_FALSE(taken(0, {4, 8}));
  inputs_[0].tensor = Tensor::New(DataType::kInt64, {4, 4});  // as many bytes
  EXPECT_TRUE(taken(0, {4, 8}));
}

TEST_F(KernelContextTest, OutOfMemoryNamesNodeAndBytes) {
  auto ctx = Context();
  const Status s = ctx.AllocateOutput(0, {100, 100}).status();
  EXPECT_EQ(s.code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(
      std::string(s.message()),
      HasSubstr(
          "OOM when allocating tensor with shape[100,100] and type float on "
          "/job:a/replica:0/task:0/device:CPU:0 for node n: only 4096 bytes"));
}

TEST_F(KernelContextTest, ParallelForStopsWhenCancelled) {
  CancelScope scope;
  step_.cancel = &scope;
  auto ctx = Context();
  int ran = 0;
  const Status s = ctx.ParallelFor(10, 1, [&](int64_t, int64_t) {
    if (++ran == 3) scope.Cancel(Aborted("enough"));
  });
  EXPECT_EQ(ran, 3);
  EXPECT_EQ(s, Aborted("enough"));
  EXPECT_EQ(ctx.CheckCancelled(), Aborted("enough"));
}

TEST_F(KernelContextTest, ParallelForOfStateGoesToItsEnd) {
  CancelScope scope;
  step_.cancel = &scope;
  auto ctx = Context();
  ctx.to_end = true;
  int ran = 0;
  const Status s = ctx.ParallelFor(10, 1, [&](int64_t, int64_t) {
    if (++ran == 3) scope.Cancel(Aborted("enough"));
  });
  EXPECT_EQ(ran, 10);
  EXPECT_TRUE(s.ok()) << s;
}

TEST(KernelChecks, ShapesFromTensors) {
  EXPECT_EQ(ShapeFromTensor(Tensor::Vector<int64_t>({2, 3}))->DebugString(),
            "[2,3]");
  EXPECT_EQ(ShapeFromTensor(Tensor::Vector<int32_t>({}))->DebugString(), "[]");
  EXPECT_FALSE(ShapeFromTensor(Tensor::Vector<int32_t>({-2})).ok());
  EXPECT_FALSE(ShapeFromTensor(Tensor::Scalar<int32_t>(2)).ok());
  EXPECT_FALSE(ShapeFromTensor(Tensor::Vector<float>({2})).ok());
  EXPECT_TRUE(CheckScalar(Tensor::Scalar(1.0f), "x").ok());
  EXPECT_EQ(CheckScalar(Tensor::Vector<float>({1}), "x").message(),
            "x must be a scalar, but has shape [1]");
  EXPECT_EQ(IntValues(Tensor::Vector<int32_t>({-1, 5})),
            (std::vector<int64_t>{-1, 5}));
}

}  // namespace
}  // namespace millrace
