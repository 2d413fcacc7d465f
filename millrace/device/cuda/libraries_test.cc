#include "millrace/device/cuda/libraries.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "millrace/device/cuda/driver.h"
#include "millrace/device/cuda/nvrtc.h"

namespace millrace::cuda {
namespace {

using ::testing::HasSubstr;

// A library that has none of CUDA's symbols: this program.
Library ThisProgram() { return {dlopen(nullptr, RTLD_NOW), "this program"}; }

TEST(OpenLibrary, SaysWhyThereIsNone) {
  const std::string names[] = {"libno-such-library.so.13",
                               "libno-such-library.so.12"};
  const Status status = OpenLibrary(names).status();
  EXPECT_EQ(status.code(), StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("libno-such-library.so.13: cannot open"));
}

TEST(InitializeDriver, RefusesOneThatIsTooOld) {
  const Status status = InitializeDriver(ThisProgram()).status();
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("(this program) is too old: it is for CUDA 0.0 and has "
                        "no cuInit; needed is one for CUDA 11.4 or newer"));
}

TEST(InitializeNvrtc, RefusesOneWithoutItsCalls) {
  const Status status = InitializeNvrtc(ThisProgram()).status();
  EXPECT_EQ(status.code(), StatusCode::kInternal);
  EXPECT_EQ(status.message(), "this program has no nvrtcVersion");
}

TEST(TargetFor, IsMachineCodeWhereTheCompilerKnowsTheCard) {
  Nvrtc nvrtc;
  nvrtc.major = 13;
  nvrtc.architectures = {75, 80, 90};
  const auto option = [&](int capability) {
    return CompileOptions(TargetFor(nvrtc, capability).value())[0];
  };
  EXPECT_EQ(option(75), "--gpu-architecture=sm_75");
  EXPECT_EQ(option(90), "--gpu-architecture=sm_90");
  EXPECT_EQ(option(89), "--gpu-architecture=compute_80");
  EXPECT_EQ(option(120), "--gpu-architecture=compute_90");
  const Status status = TargetFor(nvrtc, 70).status();
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(
      std::string(status.message()),
      HasSubstr("no card as old as compute capability 7.0, but from 7.5 "
                "on"));
}

TEST(IsSticky, IsWhatEndsAContext) {
  EXPECT_TRUE(IsSticky(Result::kIllegalAddress));
  EXPECT_TRUE(IsSticky(Result::kLaunchFailed));
  EXPECT_TRUE(IsSticky(Result::kUncorrectableMemory));
  EXPECT_FALSE(IsSticky(Result::kPeerAccessAlreadyEnabled));
  EXPECT_FALSE(IsSticky(Result::kOutOfMemory));
  EXPECT_FALSE(IsSticky(Result::kInvalidValue));
}

}  // namespace
}  // namespace millrace::cuda
