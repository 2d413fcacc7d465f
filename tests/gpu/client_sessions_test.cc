// Local sessions of the C++ client on the stand-in's card: what their options
// do, and what is placed where.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "millrace/millrace.h"
#include "tests/gpu/use_standin.h"

namespace millrace {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

class GpuClientTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { cuda::UseStandIn(); }

  // The memory limits of the GPUs that a session with these options has.
  StatusOr<std::vector<int64_t>> Limits(ConfigOptions config) {
    Session session(scope_, {.config = std::move(config)});
    MR_RETURN_IF_ERROR(session.Run({ops::Const(scope_, 1.0f)}).status());
    MR_ASSIGN_OR_RETURN(const auto devices, session.ListDevices());
    std::vector<int64_t> limits;
    for (const DeviceAttributes& device : devices) {
      if (device.device_type == "GPU")
        limits.push_back(device.memory_limit_bytes);
    }
    return limits;
  }

  // Runs `fetch`; says on which devices nodes ran.
  StatusOr<float> Run(const Output& fetch, ConfigOptions config = {}) {
    Session session(scope_, {.config = std::move(config)});
    MR_RETURN_IF_ERROR(
        session.RunTargets({ops::GlobalVariablesInitializer(scope_)}));
    RunMetadata metadata;
    RunContext context;
    context.options.trace_level = TraceLevel::kFull;
    context.metadata = &metadata;
    MR_ASSIGN_OR_RETURN(const auto values,
                        session.Run({}, {fetch}, {}, context));
    for (const DeviceStepStats& device : metadata.step_stats.dev_stats) {
      for (const NodeExecStats& node : device.node_stats)
        device_of_[node.node_name] = device.device;
    }
    return values[0].dtype() == DataType::kInt32
               ? static_cast<float>(values[0].scalar<int32_t>())
               : values[0].scalar<float>();
  }

  Scope scope_ = Scope::NewRoot();
  std::map<std::string, std::string> device_of_;
};

ConfigOptions WithGpuOptions(GpuOptions options) {
  ConfigOptions config;
  config.gpu_options = std::move(options);
  return config;
}

TEST_F(GpuClientTest, ASessionHasTheCards) {
  const auto limits = Limits({});
  ASSERT_TRUE(limits.ok()) << limits.status();
  EXPECT_THAT(*limits, SizeIs(4));
  ConfigOptions config;
  config.device_count = {{"GPU", 2}};
  const auto two = Limits(config);
  ASSERT_TRUE(two.ok()) << two.status();
  EXPECT_THAT(*two, SizeIs(2));
}

TEST_F(GpuClientTest, DeviceCountLeavesItOut) {
  ConfigOptions config;
  config.device_count = {{"GPU", 0}};
  const auto limits = Limits(config);
  ASSERT_TRUE(limits.ok()) << limits.status();
  EXPECT_THAT(*limits, SizeIs(0));
}

TEST_F(GpuClientTest, AFractionIsTheLimit) {
  const auto half = Limits(WithGpuOptions(
      {.per_process_gpu_memory_fraction = 0.5, .visible_device_list = "1"}));
  ASSERT_TRUE(half.ok()) << half.status();
  const auto quarter = Limits(WithGpuOptions(
      {.per_process_gpu_memory_fraction = 0.25, .visible_device_list = "1"}));
  ASSERT_TRUE(quarter.ok()) << quarter.status();
  ASSERT_THAT(*half, SizeIs(1));
  ASSERT_THAT(*quarter, SizeIs(1));
  EXPECT_NEAR(static_cast<double>((*half)[0]),
              2 * static_cast<double>((*quarter)[0]), 4 << 20);
}

TEST_F(GpuClientTest, ALogicalGpuIsAPartOfTheCard) {
  const auto limits = Limits(WithGpuOptions(
      {.visible_device_list = "3",
       .experimental = {.virtual_devices = {{.memory_limit_mb = {64, 32}}}}}));
  ASSERT_TRUE(limits.ok()) << limits.status();
  EXPECT_THAT(*limits, ElementsAre(64 << 20, 32 << 20));
}

TEST_F(GpuClientTest, OptionsThatDoNotFitAreRefused) {
  for (const GpuOptions& options : std::vector<GpuOptions>{
           {.per_process_gpu_memory_fraction = -1},
           {.per_process_gpu_memory_fraction = 2},
           {.visible_device_list = "99"},
           {.visible_device_list = "one"},
           {.per_process_gpu_memory_fraction = 0.5,
           .experimental = {.virtual_devices = {{.memory_limit_mb = {64}}}}}}) {
    EXPECT_EQ(Limits(WithGpuOptions(options)).status().code(),
              StatusCode::kInvalidArgument);
  }
}

TEST_F(GpuClientTest, ANodeGoesToTheCardUnlessItIsPinned) {
  const Scope cpu = scope_.WithDevice("/cpu:0");
  const ops::Variable a(cpu.WithOpName("a"), 3.0f);
  const Output b = ops::Const(cpu.WithOpName("b"), 4.0f);
  const Output c = ops::Mul(scope_.WithOpName("mul"), a, b);
  const auto value = Run(c);
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_EQ(*value, 12);
  EXPECT_THAT(device_of_["mul"], EndsWith("/device:GPU:0"));
}

TEST_F(GpuClientTest, AnIntegerVariableOnTheCardIsRefused) {
  const ops::Variable i(scope_.WithDevice("/gpu:0").WithOpName("i"), 3);
  const Status status = Run(i).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              StartsWith("Cannot assign a device for operation i"));
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("Could not satisfy explicit device specification "
                        "'/device:GPU:0' because no supported kernel for GPU "
                        "devices is available"));
}

TEST_F(GpuClientTest, SoftPlacementTakesTheCpuForIt) {
  const ops::Variable i(scope_.WithDevice("/gpu:0").WithOpName("i"), 3);
  ConfigOptions config;
  config.allow_soft_placement = true;
  const auto value = Run(i, config);
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_EQ(*value, 3);
}

TEST_F(GpuClientTest, WhatDoesNotFitTheCardSaysSoAndTheNextStepGoesOn) {
  const Scope gpu = scope_.WithDevice("/gpu:0");
  const Output n =
      ops::Placeholder(scope_, DataType::kInt32, {.shape = PartialShape({})});
  const Output size = ops::Pack(scope_, {n, ops::Const(scope_, int32_t{1024})});
  const Output sum =
      ops::Sum(gpu, ops::Fill(gpu.WithOpName("large"), size, 1.0f),
               ops::Const(scope_, Tensor::Vector<int32_t>({0, 1})));
  Session session(scope_, {.config = WithGpuOptions({.allow_growth = true})});
  const Status status = session.Run({{n, 1 << 24}}, {sum}).status();
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()),
              StartsWith("OOM when allocating tensor with shape"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("large"));
  const auto values = session.Run({{n, 16}}, {sum});
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_EQ((*values)[0].scalar<float>(), 16 * 1024);
}

}  // namespace
}  // namespace millrace
