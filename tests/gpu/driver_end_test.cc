// What happens when the process ends, and the driver before this code does.
#include <gmock/gmock.h>
#include <unistd.h>

#include <atomic>

#include "tests/gpu/cuda_devices.h"
#include "tests/gpu/held_stream.h"

namespace millrace::cuda {
namespace {

// Ends the process: with 0 if nobody was told of a copy whose event the driver
// does not know any more.
[[noreturn]] void CopyWhenTheDriverHasEnded() {
  const auto gpus = *MakeGpus({}, 1);
  const Tensor there = *CopyIn(*gpus[0], Counting(1000));
  Tensor host = *Tensor::Allocate(gpus[0]->host_allocator(), there.dtype(),
                                  there.shape());
  std::atomic<bool> was_called{false};
  const auto looks = Control().Calls("cuEventQuery");
  Control().Fail("cuEventQuery:1-=4");
  gpus[0]->CopyToHost(there, &host, [&](Status) { was_called = true; });
  const bool looked =
      YieldUntil([&] { return Control().Calls("cuEventQuery") > looks; });
  YieldUnless([&] { return was_called.load(); });
  _exit(!looked ? 2 : was_called ? 1 : 0);
}

using DriverEndDeathTest = CudaTest;

TEST_F(DriverEndDeathTest, NothingIsSaidAndNothingRuns) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(CopyWhenTheDriverHasEnded(), ::testing::ExitedWithCode(0),
              ::testing::Not(::testing::HasSubstr("has failed")));
}

}  // namespace
}  // namespace millrace::cuda
