#include "millrace/device/gpu_setup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "millrace/base/log.h"

namespace millrace {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The lines that are logged while it lives.
class LoggedLines {
 public:
  LoggedLines() {
    SetLogSink([this](LogLevel, absl::string_view line) {
      lines_.emplace_back(line);
    });
  }
  ~LoggedLines() { SetLogSink(nullptr); }
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  std::vector<std::string> lines_;
};

TEST(GpuSetup, IsWhatGpuOptionsSay) {
  GpuOptions options;
  EXPECT_EQ(GpuSetupOf(options), GpuSetup());
  options.per_process_gpu_memory_fraction = 0.4;
  options.allow_growth = true;
  options.visible_device_list = "1,0";
  options.experimental.virtual_devices = {{.memory_limit_mb = {512, 256}}, {}};
  const GpuSetup setup = GpuSetupOf(options);
  EXPECT_EQ(setup.memory_fraction, 0.4);
  EXPECT_TRUE(setup.allow_growth);
  EXPECT_EQ(setup.visible_devices, "1,0");
  EXPECT_THAT(setup.virtual_devices_mb,
              ElementsAre(ElementsAre(512, 256), IsEmpty()));
}

TEST(GpuSetup, NamesTheFieldsThatAreSet) {
  GpuOptions options;
  EXPECT_THAT(GpuFieldsOf(options), IsEmpty());
  options.allow_growth = true;
  options.experimental.virtual_devices.resize(1);
  options.unknown_fields = "x";
  EXPECT_THAT(GpuFieldsOf(options),
              ElementsAre("allow_growth", "experimental.virtual_devices",
                          "other fields"));
}

TEST(GpuSetup, TheFirstOneIsTheProcesss) {
  LoggedLines log;
  const GpuSetup fraction = {.memory_fraction = 0.4};
  const GpuSetup growth = {.allow_growth = true};
  auto first = ShareGpuSetup(fraction);
  EXPECT_EQ(*first, fraction);
  // The same, and one that asks for nothing.
  EXPECT_EQ(ShareGpuSetup(fraction), first);
  EXPECT_EQ(ShareGpuSetup({}), first);
  EXPECT_THAT(log.lines(), IsEmpty());
  for (int i = 0; i < 2; ++i) EXPECT_EQ(ShareGpuSetup(growth), first);
  EXPECT_THAT(log.lines(),
              ElementsAre(HasSubstr("has no effect until all before it")));
  // Nobody has GPUs any more.
  first.reset();
  EXPECT_EQ(*ShareGpuSetup(growth), growth);
}

}  // namespace
}  // namespace millrace
