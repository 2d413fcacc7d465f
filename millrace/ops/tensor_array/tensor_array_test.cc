#include "millrace/ops/tensor_array/tensor_array.h"

#include <gtest/gtest.h>

#include "millrace/base/memory/memory_budget.h"

namespace millrace::ops {
namespace {

TensorArray::Options Floats() {
  TensorArray::Options options;
  options.name = "a_0";
  options.dtype = DataType::kFloat;
  return options;
}

TEST(TensorArray, ItsTableIsChargedAndGivenBack) {
  const int64_t before = MemoryBudget::Process().used();
  auto array = TensorArray::Make(Floats(), 1000);
  ASSERT_TRUE(array.ok()) << array.status();
  EXPECT_GE(MemoryBudget::Process().used(), before + 1000 * 48);
  (*array)->Close();
  EXPECT_EQ(MemoryBudget::Process().used(), before);
  EXPECT_EQ((*array)->Size().status().message(),
            "TensorArray a_0 has already been closed.");
}

TEST(TensorArray, ATableWithoutRoomIsRefused) {
  MemoryBudget& budget = MemoryBudget::Process();
  const int64_t limit = budget.limit();
  budget.set_limit(budget.used() + 1'000'000);
  EXPECT_EQ(TensorArray::Make(Floats(), 2147483647).status().code(),
            StatusCode::kResourceExhausted);
  budget.set_limit(limit);
}

TEST(TensorArray, AnArrayOfGradientsStopsTheGrowthOfItsArray) {
  TensorArray::Options options = Floats();
  options.dynamic_size = true;
  auto array = TensorArray::Make(options, 3);
  ASSERT_TRUE(array.ok());
  auto gradients = TensorArray::MakeGradient(**array, "a_0@x", TensorShape());
  ASSERT_TRUE(gradients.ok()) << gradients.status();
  EXPECT_FALSE((*array)->has_dynamic_size());
  EXPECT_EQ((*gradients)->Size().value_or(-1), 3);
}

TEST(TensorArray, GradientsConcatenateAsManyAsWereUnpacked) {
  auto array = TensorArray::Make(Floats(), 3);
  ASSERT_TRUE(array.ok());
  EXPECT_EQ((*array)->ConcatSize().value_or(-1), 3);
  (*array)->MarkSize(2);
  auto gradients = TensorArray::MakeGradient(**array, "a_0@x", TensorShape());
  ASSERT_TRUE(gradients.ok());
  EXPECT_EQ((*gradients)->ConcatSize().value_or(-1), 2);
}

}  // namespace
}  // namespace millrace::ops
