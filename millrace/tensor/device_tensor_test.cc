// Tests tensors whose memory is not the host's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "millrace/tensor/tensor.h"
#include "millrace/tensor/testing/device_memory.h"
#include "millrace/tensor/wire.h"

namespace millrace {
namespace {

using ::testing::HasSubstr;

TEST(DeviceTensor, HasNoElementInside) {
  DeviceMemory memory;
  const Tensor t = *Tensor::Allocate(&memory, DataType::kFloat, TensorShape());
  EXPECT_TRUE(t.on_device());
  EXPECT_FALSE(t.is_view());
  EXPECT_NE(t.buffer(), nullptr);
  EXPECT_TRUE(t.IsUnshared());
  const Tensor other = t;
  EXPECT_TRUE(other.on_device());
  EXPECT_EQ(other.device_address(), t.device_address());
  EXPECT_FALSE(t.IsUnshared());
}

TEST(DeviceTensor, StaysThereUnderOtherShapesAndTypes) {
  DeviceMemory memory;
  Tensor t = *Tensor::Allocate(&memory, DataType::kFloat, TensorShape({4, 2}));
  const Tensor rows = t.Rows(1, 3);
  EXPECT_TRUE(rows.on_device());
  EXPECT_EQ(rows.device_address(), t.device_address() + 8);
  EXPECT_TRUE(t.Reshaped(TensorShape({8})).on_device());
  EXPECT_TRUE(t.BitcastTo(DataType::kDouble, TensorShape({4})).on_device());
  const Tensor moved = std::move(t);
  EXPECT_TRUE(moved.on_device());
  EXPECT_FALSE(t.on_device());  // NOLINT: what is left has no place
}

TEST(DeviceTensor, IsCopiedByItsAllocator) {
  DeviceMemory memory;
  const Tensor t =
      *Tensor::Allocate(&memory, DataType::kInt64, TensorShape({3}));
  DeviceMemory::Elements<int64_t>(t)[2] = 7;
  const auto copy = t.DeepCopy(&memory);
  ASSERT_TRUE(copy.ok()) << copy.status();
  EXPECT_NE(copy->device_address(), t.device_address());
  EXPECT_EQ(DeviceMemory::Elements<int64_t>(*copy)[2], 7);
  EXPECT_EQ(t.DeepCopy(HostAllocator()).status().code(), StatusCode::kInternal);
  EXPECT_EQ(Tensor::Zeros(DataType::kFloat, TensorShape({100}))
                .DeepCopy(&memory)
                .status()
                .code(),
            StatusCode::kInternal);
}

TEST(DeviceTensor, HasAPlainType) {
  DeviceMemory memory;
  const Status status =
      Tensor::Allocate(&memory, DataType::kString, TensorShape({1})).status();
  EXPECT_EQ(status.code(), StatusCode::kInternal);
  EXPECT_THAT(std::string(status.message()), HasSubstr("string"));
}

TEST(DeviceTensor, IsNotSentAndNotPrinted) {
  DeviceMemory memory;
  const Tensor t =
      *Tensor::Allocate(&memory, DataType::kFloat, TensorShape({2}));
  const Status status = EncodedTensorSize(t, StringForm::kContent).status();
  EXPECT_EQ(status.code(), StatusCode::kInternal);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("a tensor on a device cannot be sent"));
  EXPECT_THAT(t.DebugString(), HasSubstr("<on a device>"));
}

}  // namespace
}  // namespace millrace
