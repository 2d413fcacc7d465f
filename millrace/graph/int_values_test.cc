#include "millrace/graph/int_values.h"

#include <gtest/gtest.h>

namespace millrace {
namespace {

TEST(IntValues, Tensors) {
  IntValue v;
  ASSERT_TRUE(IntValue::FromTensor(Tensor::Vector<int64_t>({1, 2}), &v));
  EXPECT_TRUE(IdenticalTensors(v.ToTensor(), Tensor::Vector<int64_t>({1, 2})));
  ASSERT_TRUE(IntValue::FromTensor(Tensor::Scalar<int32_t>(3), &v));
  EXPECT_TRUE(IdenticalTensors(v.ToTensor(), Tensor::Scalar<int32_t>(3)));
  EXPECT_FALSE(IntValue::FromTensor(Tensor::Scalar(3.0f), &v));
  EXPECT_FALSE(IntValue::FromTensor(
      Tensor::Zeros(DataType::kInt32, TensorShape({2, 2})), &v));
  EXPECT_FALSE(IntValue::FromTensor(
      Tensor::Zeros(DataType::kInt32, TensorShape({2000})), &v));
}

}  // namespace
}  // namespace millrace
