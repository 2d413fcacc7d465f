#include "millrace/cluster/traffic.h"

#include <gtest/gtest.h>

namespace millrace {
namespace {

TEST(Traffic, CountsElements) {
  RunGraphRequest request;
  EXPECT_EQ(TensorBytes(request), 0);
  request.send.push_back({"a", Tensor::Zeros(DataType::kDouble, {3, 2})});
  request.send.push_back({"b", Tensor::Vector<std::string>({"one", "", "z"})});
  RunGraphReply reply;
  reply.recv.push_back({"c", Tensor::Scalar(true)});
  RecvTensorReply tensor;
  EXPECT_EQ(TensorBytes(tensor), 0);  // none has arrived
  tensor.tensor = Tensor::Zeros(DataType::kBfloat16, {5});
  EXPECT_EQ(TensorBytes(RecvTensorRequest()), 0);
  Traffic traffic;
  traffic.Sent(request);
  traffic.Sent(tensor);
  traffic.Received(reply);
  EXPECT_EQ(traffic.sent(), 48 + 4 + 10);
  EXPECT_EQ(traffic.received(), 1);
}

}  // namespace
}  // namespace millrace
