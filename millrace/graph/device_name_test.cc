#include "millrace/graph/device_name.h"

#include <gtest/gtest.h>

namespace millrace {
namespace {

std::string Canonical(absl::string_view name) {
  const auto d = DeviceName::Parse(name);
  return d.ok() ? d->ToString() : "bad";
}

TEST(DeviceName, Parses) {
  const char kFull[] = "/job:worker/replica:0/task:1/device:CPU:0";
  EXPECT_EQ(Canonical(kFull), kFull);
  EXPECT_TRUE(DeviceName::Parse(kFull)->IsFull());
  EXPECT_EQ(DeviceName::Parse(kFull)->TaskString(),
            "/job:worker/replica:0/task:1");
  EXPECT_EQ(Canonical("/job:a/cpu:0"), "/job:a/device:CPU:0");
  EXPECT_EQ(Canonical("/gpu:1"), "/device:GPU:1");
  EXPECT_EQ(Canonical("/Cpu:0"), "/device:CPU:0");
  EXPECT_EQ(Canonical("/device:gpu:*"), "/device:GPU");
  EXPECT_EQ(Canonical("/device:*:2"), "/device:*:2");
  EXPECT_EQ(Canonical("/device:XLA_CPU:01"), "/device:XLA_CPU:1");
  EXPECT_EQ(Canonical("/CPU:0/task:00/job:*"), "/task:0/device:CPU:0");
  EXPECT_EQ(Canonical("/job:a/job:b"), "/job:b");
  EXPECT_EQ(Canonical("/job:a_1/task:3"), "/job:a_1/task:3");
  EXPECT_EQ(Canonical(""), "");
  EXPECT_EQ(Canonical("/"), "");
}

TEST(DeviceName, RefusesMalformed) {
  for (const char* bad :
       {"job:a", "/job:", "/job:1a", "/job:_a", "/job:a-b", "/job:a.b",
        "/task:x", "/task:", "/task:-1", "/task:99999999999", "/device:CPU:",
        "/device:", "/foo:1", "//", "/job:a/", "/job:a,b", "/cpu:0x"}) {
    const auto d = DeviceName::Parse(bad);
    ASSERT_FALSE(d.ok()) << bad;
    EXPECT_EQ(d.status().message().find("Malformed device specification '"),
              0u);
  }
}

TEST(DeviceName, MatchesAndOverrides) {
  const DeviceName full =
      *DeviceName::Parse("/job:w/replica:0/task:1/device:GPU:2");
  EXPECT_TRUE(DeviceName::Parse("/job:w/gpu:2")->Matches(full));
  EXPECT_TRUE(DeviceName().Matches(full));
  EXPECT_FALSE(DeviceName::Parse("/job:w/gpu:1")->Matches(full));
  EXPECT_TRUE(DeviceName::Parse("/job:w/replica:0/task:1")->SameTask(full));
  const DeviceName outer = *DeviceName::Parse("/job:ps/task:0/cpu:0");
  EXPECT_EQ(outer.OverriddenBy(*DeviceName::Parse("/task:2")).ToString(),
            "/job:ps/task:2/device:CPU:0");
  EXPECT_EQ(outer.OverriddenBy(*DeviceName::Parse("/device:GPU:*")).ToString(),
            "/job:ps/task:0/device:GPU");
}

TEST(DeviceName, Merges) {
  const DeviceName a = *DeviceName::Parse("/job:w/task:1");
  EXPECT_EQ(a.Merge(*DeviceName::Parse("/cpu:0"))->ToString(),
            "/job:w/task:1/device:CPU:0");
  EXPECT_EQ(a.Merge(*DeviceName::Parse("/job:ps")).status().message(),
            "Cannot merge devices with incompatible jobs: 'w' and 'ps'");
  const DeviceName cpu = *DeviceName::Parse("/job:w/cpu:0");
  EXPECT_FALSE(cpu.Merge(*DeviceName::Parse("/gpu:0")).ok());
  EXPECT_EQ(cpu.Merge(*DeviceName::Parse("/gpu:0"), true)->ToString(),
            "/job:w");
  EXPECT_FALSE(cpu.Merge(*DeviceName::Parse("/job:x"), true).ok());
}

}  // namespace
}  // namespace millrace
