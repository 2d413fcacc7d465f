#include "millrace/device/cuda/discovery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "millrace/device/cuda/launch.h"

namespace millrace::cuda {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr size_t kGiB = size_t{1} << 30;

TEST(ParseVisibleDevices, ChoosesAndOrders) {
  EXPECT_THAT(*ParseVisibleDevices("", 3), ElementsAre(0, 1, 2));
  EXPECT_THAT(*ParseVisibleDevices("2,0", 3), ElementsAre(2, 0));
  EXPECT_THAT(*ParseVisibleDevices("1", 3), ElementsAre(1));
}

TEST(ParseVisibleDevices, RefusesWhatNamesNoCard) {
  for (const auto& [list, text] :
       {std::pair{"3",
                  "'visible_device_list' listed an invalid GPU id '3' but "
                  "visible device count is 3"},
        {"-1", "invalid GPU id '-1'"},
        {"0,0", "has the GPU id '0' twice"},
        {"0,", "Could not parse entry in 'visible_device_list': ''"},
        {"0,x", "Could not parse entry in 'visible_device_list': 'x'"},
        {"1.5", "Could not parse entry"}}) {
    const Status status = ParseVisibleDevices(list, 3).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << list;
    EXPECT_THAT(std::string(status.message()), HasSubstr(text));
  }
}

TEST(CheckGpuSetup, RefusesWhatFitsNoMachine) {
  EXPECT_TRUE(CheckGpuSetup({}).ok());
  EXPECT_TRUE(CheckGpuSetup({.memory_fraction = 1}).ok());
  EXPECT_TRUE(
      CheckGpuSetup({.memory_fraction = 0.4, .virtual_devices_mb = {{}, {}}})
          .ok());
  for (const double fraction :
       {-0.1, 1.01, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_EQ(CheckGpuSetup({.memory_fraction = fraction}).code(),
              StatusCode::kInvalidArgument);
  }
  EXPECT_EQ(CheckGpuSetup({.virtual_devices_mb = {{0}}}).code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(
      CheckGpuSetup({.memory_fraction = 0.5, .virtual_devices_mb = {{100}}})
          .code(),
      StatusCode::kInvalidArgument);
}

TEST(MemoryOfGpus, IsAllOrAFractionOrInParts) {
  const auto all = MemoryOfGpus({}, {}, 16 * kGiB);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].limit_bytes, 15 * kGiB);
  EXPECT_TRUE(all[0].takes_less);
  EXPECT_FALSE(all[0].grows);
  EXPECT_EQ(MemoryOfGpus({}, {}, 4 * kGiB)[0].limit_bytes, 7 * kGiB / 2);
  const auto part = MemoryOfGpus(
      {.memory_fraction = 0.25, .allow_growth = true}, {}, 16 * kGiB);
  EXPECT_EQ(part[0].limit_bytes, 4 * kGiB);
  EXPECT_FALSE(part[0].takes_less);
  EXPECT_TRUE(part[0].grows);
  // What the driver needs nobody may have.
  EXPECT_EQ(MemoryOfGpus({.memory_fraction = 1}, {}, 16 * kGiB)[0].limit_bytes,
            15 * kGiB);
  const auto two = MemoryOfGpus({}, {1024, 2048}, 16 * kGiB);
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(two[1].limit_bytes, 2 * kGiB);
}

TEST(GpuDivisor, DividesAsTheTextDoes) {
  for (const uint32_t d : {1u, 2u, 3u, 7u, 10u, 255u, 256u, 641u, 65537u,
                           (1u << 30) + 1, (1u << 31) - 1}) {
    const GpuDivisor divisor(d);
    for (const uint32_t n : {0u, 1u, d - 1, d, d + 1, 2 * d - 1, 1000003u,
                             (1u << 31) - 2, (1u << 31) - 1}) {
      if (n >= 1u << 31) continue;
      // IntDivisor of prelude/parallel.gpu.cu.
      const uint32_t high =
          static_cast<uint32_t>(uint64_t{n} * divisor.multiplier >> 32);
      EXPECT_EQ((high + n) >> divisor.shift, n / d) << n << " / " << d;
    }
  }
}

}  // namespace
}  // namespace millrace::cuda
