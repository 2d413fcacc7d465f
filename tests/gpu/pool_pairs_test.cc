// Max poolings with their gradients on a GPU of the stand-in, which share
// argmax offsets, against the same on the CPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "millrace/base/random.h"
#include "millrace/millrace.h"
#include "tests/gpu/use_standin.h"

namespace millrace {
namespace {

struct PoolPair {
  TensorShape x, y;
  int64_t size, stride;
  std::string padding;
};

class PoolPairsTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { cuda::UseStandIn(); }

  Tensor Numbers(const TensorShape& shape) {
    Tensor t = Tensor::New(DataType::kFloat, shape);
    for (float& x : t.mutable_flat<float>()) {
      x = static_cast<float>(random_.Double() * 2 - 1);
    }
    return t;
  }

  // Returns the pooling and its gradient, and counts nodes of pairs.
  StatusOr<std::vector<Tensor>> Run(const PoolPair& p, const Tensor& x,
                                    const Tensor& dy, const char* device) {
    const Scope scope = Scope::NewRoot();
    const Scope on = scope.WithDevice(device);
    const Output in = ops::Placeholder(scope, DataType::kFloat);
    const Output grad = ops::Placeholder(scope, DataType::kFloat);
    const std::vector<int64_t> size = {1, p.size, p.size, 1};
    const std::vector<int64_t> stride = {1, p.stride, p.stride, 1};
    std::vector<int64_t> paddings;
    if (p.padding == "EXPLICIT") paddings = {0, 0, 1, 1, 1, 1, 0, 0};
    const Output y = ops::MaxPool(on, in, size, stride, p.padding,
                                  {.explicit_paddings = paddings});
    const Output dx = ops::MaxPoolGrad(on, in, y, grad, size, stride, p.padding,
                                       {.explicit_paddings = paddings});
    Session session(scope);
    RunMetadata metadata;
    RunContext context;
    context.options.trace_level = TraceLevel::kFull;
    context.metadata = &metadata;
    MR_ASSIGN_OR_RETURN(
        auto values, session.Run({{in, x}, {grad, dy}}, {y, dx}, {}, context));
    pairs_ = 0;
    for (const DeviceStepStats& on_device : metadata.step_stats.dev_stats) {
      for (const NodeExecStats& node : on_device.node_stats) {
        if (absl::StrContains(node.timeline_label, "= _MaxPool")) ++pairs_;
      }
    }
    return values;
  }

  int pairs_ = 0;

 private:
  Rng random_{23};
};

TEST_F(PoolPairsTest, GiveWhatTheyGiveOnTheCpu) {
  for (const PoolPair& p :
       {PoolPair{{2, 7, 9, 5}, {2, 4, 5, 5}, 3, 2, "SAME"},
        PoolPair{{1, 9, 8, 3}, {1, 7, 6, 3}, 3, 1, "VALID"},
        // More argmax offsets than a byte can count.
        PoolPair{{1, 20, 20, 2}, {1, 20, 20, 2}, 17, 1, "SAME"},
        PoolPair{{0, 4, 4, 2}, {0, 2, 2, 2}, 2, 2, "VALID"},
        // Windows that cover nothing.
        PoolPair{{1, 0, 5, 3}, {1, 1, 6, 3}, 2, 1, "EXPLICIT"},
        PoolPair{{1, 5, 0, 3}, {1, 6, 1, 3}, 2, 1, "EXPLICIT"}}) {
    SCOPED_TRACE(p.x.DebugString());
    const Tensor x = Numbers(p.x), dy = Numbers(p.y);
    const auto wanted = Run(p, x, dy, "/cpu:0");
    ASSERT_TRUE(wanted.ok()) << wanted.status();
    EXPECT_EQ(pairs_, 2);
    const auto got = Run(p, x, dy, "/gpu:0");
    ASSERT_TRUE(got.ok()) << got.status();
    EXPECT_EQ(pairs_, 2);
    for (size_t i = 0; i < wanted->size(); ++i) {
      const Tensor &a = (*got)[i], &b = (*wanted)[i];
      ASSERT_EQ(a.shape(), b.shape());
      for (size_t k = 0; k < a.flat<float>().size(); ++k) {
        EXPECT_NEAR(a.flat<float>()[k], b.flat<float>()[k], 1e-5);
      }
    }
  }
}

}  // namespace
}  // namespace millrace
