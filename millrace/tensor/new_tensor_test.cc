// Tests small tensors when the memory budget is exhausted.
#include <gtest/gtest.h>

#include <new>

#include "millrace/base/memory/memory_budget.h"
#include "millrace/tensor/tensor.h"

namespace millrace {
namespace {

// Uses up the budget while it lives.
class SpentBudget {
 public:
  SpentBudget() { budget_.set_limit(budget_.used()); }
  ~SpentBudget() { budget_.set_limit(before_); }

 private:
  MemoryBudget& budget_ = MemoryBudget::Process();
  const int64_t before_ = budget_.limit();
};

TEST(NewTensor, KernelsGetBadAllocWhereMemoryIsSpent) {
  const int64_t used = MemoryBudget::Process().used();
  {
    const SpentBudget spent;
    const ScopedMemoryLimit limit;
    EXPECT_THROW(Tensor::Scalar<VariantElement>({}), std::bad_alloc);
    EXPECT_THROW(Tensor::New(DataType::kFloat, TensorShape({100})),
                 std::bad_alloc);
  }
  EXPECT_EQ(MemoryBudget::Process().used(), used);
}

TEST(NewTensor, OthersGoBeyondTheLimit) {
  const int64_t used = MemoryBudget::Process().used();
  {
    const SpentBudget spent;
    const Tensor t = Tensor::Vector<int64_t>({1, 2, 3, 4, 5, 6, 7, 8, 9});
    EXPECT_EQ(t.flat<int64_t>()[8], 9);
    EXPECT_GT(MemoryBudget::Process().used(), used);
  }
  EXPECT_EQ(MemoryBudget::Process().used(), used);
}

}  // namespace
}  // namespace millrace
