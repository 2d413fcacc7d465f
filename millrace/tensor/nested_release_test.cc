// Tests the destruction of tensors inside values inside tensors.
#include <gtest/gtest.h>

#include <vector>

#include "millrace/base/memory/memory_budget.h"
#include "millrace/tensor/handle.h"
#include "millrace/tensor/tensor.h"

namespace millrace {
namespace {

constexpr int kDeep = 1'000'000;

// Counts the live objects.
class Nest final : public VariantValue {
 public:
  Nest(std::vector<Tensor> inside, int* alive)
      : inside_(std::move(inside)), alive_(alive) {
    ++*alive_;
  }
  ~Nest() override { --*alive_; }
  absl::string_view type_name() const override { return "Nest"; }
  const std::vector<Tensor>& inside() const { return inside_; }

 private:
  const std::vector<Tensor> inside_;
  int* const alive_;
};

Tensor NestOf(std::vector<Tensor> inside, int* alive) {
  return Tensor::Scalar<VariantElement>(
      VariantElement(MakeRef<Nest>(std::move(inside), alive)));
}

TEST(NestedRelease, AMillionVariantsInEachOther) {
  int alive = 0;
  Tensor t;
  for (int i = 0; i < kDeep; ++i) t = NestOf({std::move(t)}, &alive);
  EXPECT_EQ(alive, kDeep);
  t = Tensor();
  EXPECT_EQ(alive, 0);
}

TEST(NestedRelease, AMillionHandlesThatOwnEachOther) {
  int alive = 0;
  Tensor t;
  for (int i = 0; i < kDeep; ++i) {
    auto handle = MakeRef<ResourceHandle>();
    handle->owned = MakeRef<Nest>(std::vector<Tensor>{std::move(t)}, &alive);
    t = Tensor::Scalar<ResourceElement>(std::move(handle));
  }
  EXPECT_EQ(alive, kDeep);
  t = Tensor();
  EXPECT_EQ(alive, 0);
}

TEST(NestedRelease, WhatIsSharedStays) {
  int alive = 0;
  Tensor t, kept;
  for (int i = 0; i < 1000; ++i) {
    // The same tensor twice: there are exponentially many paths.
    t = NestOf({t, t}, &alive);
    if (i == 499) kept = t;
  }
  t = Tensor();
  EXPECT_EQ(alive, 500);
  const auto& nest = static_cast<const Nest&>(*kept.scalar<VariantElement>());
  EXPECT_EQ(nest.inside().size(), 2u);
  kept = Tensor();
  EXPECT_EQ(alive, 0);
}

TEST(NestedRelease, MemoryComesBack) {
  const int64_t before = MemoryBudget::Process().used();
  int alive = 0;
  Tensor wide = Tensor::New(DataType::kVariant, TensorShape({100}));
  for (VariantElement& element : wide.mutable_flat<VariantElement>()) {
    Tensor t;
    for (int i = 0; i < 100; ++i) t = NestOf({std::move(t)}, &alive);
    element = t.scalar<VariantElement>();
  }
  EXPECT_EQ(alive, 100 * 100);
  wide = Tensor();
  EXPECT_EQ(alive, 0);
  EXPECT_EQ(MemoryBudget::Process().used(), before);
}

}  // namespace
}  // namespace millrace
