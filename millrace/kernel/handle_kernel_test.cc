#include "millrace/kernel/handle_kernel.h"

#include <gtest/gtest.h>

#include "millrace/kernel/testing/one_thread_device.h"

namespace millrace {
namespace {

class HandledThing final : public Resource {
 public:
  static constexpr char kTypeName[] = "Thing";
  struct Options {};
  static StatusOr<Options> OptionsFrom(const KernelInit&) { return Options(); }

  HandledThing(const Options&, std::string) {}
  absl::string_view type_name() const override { return kTypeName; }
  std::string DebugString() const override { return kTypeName; }
  Status CheckOptions(const Options&) const { return OkStatus(); }
};

// Tests the kernels of one node in two sessions.
class HandleKernelTest : public ::testing::Test {
 protected:
  HandleKernelTest() {
    op_.name = "MakeThing";
    op_.outputs.emplace_back().type = DataType::kResource;
    node_.name = "thing";
    node_.op = &op_;
    node_.attrs.Set("container", std::string());
    node_.attrs.Set("shared_name", std::string());
    node_.output_types = {DataType::kResource};
  }
  std::unique_ptr<HandleKernel<HandledThing>> MakeKernel() {
    auto made =
        HandleKernel<HandledThing>::Make(KernelInit(node_, device_, nullptr));
    EXPECT_TRUE(made.ok()) << made.status();
    return *std::move(made);
  }
  ResourceStore& store() { return device_.resources(); }

  OpDef op_;
  NodeInfo node_;
  OneThreadDevice device_;
  StepEnvironment step_;
  KernelContext ctx_{node_, device_, step_, {}, {}};
};

TEST_F(HandleKernelTest, WhatIsPrivateGoesWithItsKernel) {
  auto kernel = MakeKernel();
  EXPECT_EQ(store().List().size(), 1u);
  kernel.reset();
  EXPECT_TRUE(store().List().empty());
}

TEST_F(HandleKernelTest, AKernelOfBeforeAResetLeavesTheOthersResourceAlone) {
  auto before = MakeKernel();
  store().Clear("");
  auto after = MakeKernel();
  ASSERT_EQ(store().List().size(), 1u);
  // It creates its own resource again if it runs once more.
  EXPECT_NE(before->FindOrMake(ctx_)->get(), after->FindOrMake(ctx_)->get());
  before.reset();
  EXPECT_EQ(store().List().size(), 1u);
}

}  // namespace
}  // namespace millrace
