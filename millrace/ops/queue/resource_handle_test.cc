#include "millrace/ops/queue/resource_handle.h"

#include <gtest/gtest.h>

#include "millrace/device/devices.h"

namespace millrace::ops {
namespace {

class Thing final : public Resource {
 public:
  static constexpr char kTypeName[] = "Thing";
  struct Options {};
  static StatusOr<Options> OptionsFrom(const KernelInit&) { return Options(); }

  Thing(const Options&, std::string) {}
  absl::string_view type_name() const override { return kTypeName; }
  std::string DebugString() const override { return kTypeName; }
  Status CheckOptions(const Options&) const { return OkStatus(); }
};

// The kernels of one node, as of two sessions.
class HandleKernelTest : public ::testing::Test {
 protected:
  HandleKernelTest() : devices_(*MakeDevices({}, "localhost", 0)) {
    op_.name = "MakeThing";
    op_.outputs.emplace_back().type = DataType::kResource;
    node_.name = "thing";
    node_.op = &op_;
    node_.attrs.Set("container", std::string());
    node_.attrs.Set("shared_name", std::string());
    node_.output_types = {DataType::kResource};
  }
  std::unique_ptr<HandleKernel<Thing>> MakeKernel() {
    auto made =
        HandleKernel<Thing>::Make(KernelInit(node_, *devices_[0], nullptr));
    EXPECT_TRUE(made.ok()) << made.status();
    return *std::move(made);
  }
  ResourceStore& store() { return devices_[0]->resources(); }

  OpDef op_;
  NodeInfo node_;
  std::vector<std::unique_ptr<Device>> devices_;
  StepEnvironment step_;
  KernelContext ctx_{node_, *devices_[0], step_, {}, {}};
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
  // It makes its own again if it runs once more.
  EXPECT_NE(before->FindOrMake(ctx_)->get(), after->FindOrMake(ctx_)->get());
  before.reset();
  EXPECT_EQ(store().List().size(), 1u);
}

}  // namespace
}  // namespace millrace::ops
