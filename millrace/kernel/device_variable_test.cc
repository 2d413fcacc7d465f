// Tests variables whose value is on a device with memory of its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "millrace/kernel/variable_view.h"
#include "millrace/tensor/testing/device_memory.h"

namespace millrace {
namespace {

using ::testing::HasSubstr;

class DeviceVariableTest : public ::testing::Test {
 protected:
  DeviceVariableTest() {
    Tensor t = *Tensor::Allocate(&memory_, DataType::kFloat, {4, 16});
    for (int i = 0; i < 64; ++i) DeviceMemory::Elements<float>(t)[i] = i;
    variable_->Assign(std::move(t));
  }

  DeviceMemory memory_;
  Ref<Variable> variable_ = MakeRef<Variable>(DataType::kFloat, "v");
};

TEST_F(DeviceVariableTest, IsWrittenInPlaceOnlyIfNobodySharesIt) {
  WriterLock lock(variable_->mu());
  const uintptr_t before = variable_->value_locked().device_address();
  const auto alone = variable_->MutableLocked(&memory_);
  ASSERT_TRUE(alone.ok()) << alone.status();
  EXPECT_EQ((*alone)->device_address(), before);
  const Tensor reader = variable_->value_locked();
  const auto shared = variable_->MutableLocked(&memory_);
  ASSERT_TRUE(shared.ok()) << shared.status();
  EXPECT_NE((*shared)->device_address(), before);
  EXPECT_EQ(DeviceMemory::Elements<float>(**shared)[63], 63);
}

TEST_F(DeviceVariableTest, ViewsShareItsMemory) {
  const Tensor view = *MakeView(variable_);
  const auto whole = BoundTensor(view, &memory_);
  ASSERT_TRUE(whole.ok()) << whole.status();
  EXPECT_TRUE(whole->on_device());
  const auto row = BoundTensor(view.Rows(3, 4), &memory_);
  ASSERT_TRUE(row.ok()) << row.status();
  EXPECT_EQ(DeviceMemory::Elements<float>(*row)[0], 48);
  EXPECT_EQ(row->buffer(), whole->buffer());
}

TEST_F(DeviceVariableTest, HasNoRowLocks) {
  Variable* const pointer = variable_.get();
  for (const auto mode : {VariableRows::kRead, VariableRows::kUpdate}) {
    const Status status =
        VariableRows::Make({&pointer, 1}, mode, &memory_).status();
    EXPECT_EQ(status.code(), StatusCode::kInternal);
    EXPECT_THAT(std::string(status.message()), HasSubstr("variable v"));
  }
  EXPECT_TRUE(variable_->Read(&memory_).ok());
}

}  // namespace
}  // namespace millrace
