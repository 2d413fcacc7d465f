#include "millrace/device/devices.h"

#include <gtest/gtest.h>

#include <set>

#include "absl/strings/str_cat.h"
#include "millrace/base/memory/retire.h"
#include "millrace/kernel/resource.h"

namespace millrace {
namespace {

TEST(MakeDevices, OneCpuWithoutOptions) {
  const auto devices = MakeDevices({.device_count = {{"GPU", 0}}}, "worker", 3);
  ASSERT_TRUE(devices.ok()) << devices.status();
  ASSERT_EQ(devices->size(), 1u);
  const Device& d = *(*devices)[0];
  EXPECT_EQ(d.name(), "/job:worker/replica:0/task:3/device:CPU:0");
  EXPECT_EQ(d.type(), "CPU");
  EXPECT_EQ(*d.parsed_name().task, 3);
  EXPECT_NE(d.attributes().incarnation, 0u);
  EXPECT_GT(d.attributes().memory_limit_bytes, 0);
}

TEST(MakeDevices, CountsAndFakeGpus) {
  DeviceOptions options;
  options.device_count = {{"CPU", 2}, {"GPU", 3}, {"XLA_CPU", 1}};
  options.fake_gpu = true;
  const auto devices = *MakeDevices(options, "w", 0);
  ASSERT_EQ(devices.size(), 5u);
  EXPECT_EQ(devices[4]->name(), "/job:w/replica:0/task:0/device:GPU:2");
  std::set<uint64_t> incarnations;
  for (const auto& d : devices)
    incarnations.insert(d->attributes().incarnation);
  EXPECT_EQ(incarnations.size(), 5u);
}

TEST(MakeDevices, ResourcesAreTheDevicesOwn) {
  DeviceOptions options;
  options.device_count = {{"CPU", 2}, {"GPU", 0}};
  const auto devices = *MakeDevices(options, "w", 0);
  EXPECT_EQ(devices[0]->resources().default_container(), "w");
  EXPECT_NE(&devices[0]->resources(), &devices[1]->resources());
  EXPECT_EQ(devices[0]->allocator(), devices[1]->allocator());
}

TEST(MakeDevices, Mistakes) {
  DeviceOptions options;
  options.device_count = {{"CPU", 0}};
  EXPECT_EQ(MakeDevices(options, "w", 0).status().code(),
            StatusCode::kInvalidArgument);
  options.device_count = {{"GPU", -1}};
  EXPECT_EQ(MakeDevices(options, "w", 0).status().code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(MakeDevices({}, "no job", 0).status().code(),
            StatusCode::kInvalidArgument);
}

TEST(CloneDevice, SameHardwareOtherResources) {
  auto devices = MakeDevices(
      {.device_count = {{"CPU", 2}, {"GPU", 1}}, .fake_gpu = true}, "ps", 1);
  ASSERT_TRUE(devices.ok());
  for (const auto& device : *devices) {
    const auto clone = CloneDevice(*device, "worker", 4);
    ASSERT_TRUE(clone.ok()) << clone.status();
    EXPECT_EQ((*clone)->name(),
              absl::StrCat("/job:worker/replica:0/task:4/device:",
                           device->type(), ":", *device->parsed_name().index));
    EXPECT_EQ((*clone)->attributes().incarnation,
              device->attributes().incarnation);
    EXPECT_EQ((*clone)->allocator(), device->allocator());
    EXPECT_NE(&(*clone)->resources(), &device->resources());
  }
}

TEST(RenameDevice, SameHardwareAndResources) {
  auto devices =
      *MakeDevices({.device_count = {{"CPU", 2}, {"GPU", 0}}}, "ps", 1);
  std::vector<std::unique_ptr<Device>> renamed;
  for (const auto& device : devices) {
    renamed.push_back(RenameDevice(*device, "worker", 4));
    EXPECT_EQ(renamed.back()->name(),
              absl::StrCat("/job:worker/replica:0/task:4/device:CPU:",
                           *device->parsed_name().index));
    EXPECT_EQ(renamed.back()->attributes().incarnation,
              device->attributes().incarnation);
    EXPECT_EQ(renamed.back()->allocator(), device->allocator());
    EXPECT_EQ(&renamed.back()->resources(), &device->resources());
  }
  // It may outlive the owner of the device.
  ResourceStore* const resources = &devices[1]->resources();
  Retire(std::move(devices[1]));
  EXPECT_EQ(&renamed[1]->resources(), resources);
  EXPECT_EQ(resources->default_container(), "ps");
}

}  // namespace
}  // namespace millrace
