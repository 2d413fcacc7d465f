// Tests of the stand-in's streams, events and memory.
#include <gmock/gmock.h>

#include <cstdlib>

#include "tests/gpu/standin_driver.h"

namespace millrace::cuda {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

class StandInStreamsTest : public StandInTest {
 protected:
  void SetUp() override {
    StandInTest::SetUp();
    add_ = Load(R"(
extern "C" __global__ void Add(int* x, int n) { *x += n; }
extern "C" __global__ void Copy(const int* from, int* to) { *to = *from; }
)",
                "Add");
    copy_ = Load(R"(
extern "C" __global__ void Copy(const int* from, int* to) { *to = *from; })",
                 "Copy");
  }

  int* Pinned(size_t count) {
    void* p = nullptr;
    EXPECT_EQ(driver.MemHostAlloc(&p, count * sizeof(int), kHostAllocPortable),
              kOk);
    return static_cast<int*>(p);
  }

  Function add_ = nullptr, copy_ = nullptr;
};

TEST_F(StandInStreamsTest, WorkInOrder) {
  for (const char* lazy : {"0", "1"}) {
    driver.Set("lazy", lazy);
    const DevicePointer x = Upload<int>({0});
    for (int i = 0; i < 100; ++i)
      ASSERT_EQ(Launch(stream, add_, 1, 1, x, i), kOk);
    EXPECT_THAT(Download<int>(x, 1), ElementsAre(4950));
  }
}

// In lazy mode another stream's work has not been done unless it is waited for.
TEST_F(StandInStreamsTest, MissingWaitsShow) {
  driver.Set("lazy", "7");
  const Stream other = NewStream();
  const Event event = NewEvent();
  const DevicePointer x = Upload<int>({1}), y = Upload<int>({0});
  ASSERT_EQ(driver.StreamSynchronize(stream), kOk);
  ASSERT_EQ(Launch(stream, add_, 1, 1, x, 41), kOk);
  ASSERT_EQ(driver.EventRecord(event, stream), kOk);
  ASSERT_EQ(Launch(other, copy_, 1, 1, x, y), kOk);
  ASSERT_EQ(driver.StreamSynchronize(other), kOk);
  ASSERT_EQ(driver.StreamWaitEvent(other, event, 0), kOk);
  EXPECT_THAT(Download<int>(y, 1), ElementsAre(1));
  const DevicePointer z = Upload<int>({0});
  ASSERT_EQ(driver.StreamSynchronize(stream), kOk);
  ASSERT_EQ(Launch(other, copy_, 1, 1, x, z), kOk);
  ASSERT_EQ(driver.StreamSynchronize(other), kOk);
  EXPECT_THAT(Download<int>(z, 1), ElementsAre(42));
}

TEST_F(StandInStreamsTest, QueriesEndInLazyMode) {
  driver.Set("lazy", "3");
  const Event event = NewEvent();
  EXPECT_EQ(driver.EventQuery(event), kOk);  // never recorded
  const DevicePointer x = Upload<int>({0});
  ASSERT_EQ(Launch(stream, add_, 1, 1, x, 1), kOk);
  ASSERT_EQ(driver.EventRecord(event, stream), kOk);
  // The first query lets the stream begin, which may end before the next one.
  EXPECT_EQ(driver.EventQuery(event), Result::kNotReady);
  while (driver.EventQuery(event) == Result::kNotReady) {
  }
  EXPECT_EQ(driver.EventQuery(event), kOk);
  EXPECT_EQ(driver.StreamSynchronize(stream), kOk);
  EXPECT_EQ(driver.StreamQuery(stream), kOk);
  ASSERT_EQ(Launch(stream, add_, 1, 1, x, 1), kOk);
  EXPECT_EQ(driver.StreamQuery(stream), Result::kNotReady);
  while (driver.StreamQuery(stream) == Result::kNotReady) {
  }
  EXPECT_EQ(driver.StreamQuery(stream), kOk);
}

TEST_F(StandInStreamsTest, EventsHaveTimes) {
  const Event begin = NewEvent(), end = NewEvent();
  float ms = -1;
  EXPECT_EQ(driver.EventElapsedTime(&ms, begin, end), Result::kInvalidHandle);
  ASSERT_EQ(driver.EventRecord(begin, stream), kOk);
  ASSERT_EQ(driver.EventRecord(end, stream), kOk);
  ASSERT_EQ(driver.EventSynchronize(end), kOk);
  ASSERT_EQ(driver.EventElapsedTime(&ms, begin, end), kOk);
  EXPECT_GE(ms, 0);
}

// Pinned memory is read when the stream comes to it, other memory at once.
TEST_F(StandInStreamsTest, CopiesReadTheirSourceLate) {
  driver.Set("lazy", "1");
  int* const pinned = Pinned(1);
  int pageable = *pinned = 1;
  const DevicePointer x = Allocate(4), y = Allocate(4);
  ASSERT_EQ(driver.MemcpyHtoDAsync(x, pinned, 4, stream), kOk);
  ASSERT_EQ(driver.MemcpyHtoDAsync(y, &pageable, 4, stream), kOk);
  EXPECT_EQ(driver.Calls("pageable_copy"), 1u);
  *pinned = pageable = 2;
  EXPECT_THAT(Download<int>(x, 1), ElementsAre(2));
  EXPECT_THAT(Download<int>(y, 1), ElementsAre(1));
  EXPECT_EQ(driver.MemFreeHost(pinned), kOk);
  EXPECT_EQ(driver.MemFreeHost(pinned), Result::kInvalidValue);
}

TEST_F(StandInStreamsTest, FunctionsRunInOrder) {
  const DevicePointer x = Upload<int>({1});
  struct Data {
    int* x;
  } data = {reinterpret_cast<int*>(x)};
  ASSERT_EQ(
      driver.Enqueue(
          stream, [](void* d) { *static_cast<Data*>(d)->x *= 10; }, &data),
      0);
  ASSERT_EQ(Launch(stream, add_, 1, 1, x, 3), kOk);
  EXPECT_THAT(Download<int>(x, 1), ElementsAre(13));
}

TEST_F(StandInStreamsTest, HandlesThatAreNone) {
  const Stream gone = NewStream();
  ASSERT_EQ(driver.StreamDestroy(gone), kOk);
  EXPECT_EQ(driver.StreamDestroy(gone), Result::kInvalidHandle);
  EXPECT_EQ(driver.StreamQuery(gone), Result::kInvalidHandle);
  EXPECT_EQ(driver.EventRecord(nullptr, stream), Result::kInvalidHandle);
  ASSERT_EQ(driver.CtxSetCurrent(nullptr), kOk);
  EXPECT_EQ(driver.StreamQuery(stream), Result::kInvalidContext);
  ASSERT_EQ(driver.CtxSetCurrent(context), kOk);
}

// ---- Memory.

using StandInMemoryTest = StandInStreamsTest;

TEST_F(StandInMemoryTest, IsLimited) {
  size_t before = 0, free = 0, total = 0;
  ASSERT_EQ(driver.MemGetInfo(&before, &total), kOk);
  DevicePointer half = 0, more = 0;
  ASSERT_EQ(driver.MemAlloc(&half, total / 2), kOk);
  ASSERT_EQ(driver.MemGetInfo(&free, &total), kOk);
  EXPECT_EQ(free, before - total / 2);
  EXPECT_EQ(driver.MemAlloc(&more, total / 2 + 1), Result::kOutOfMemory);
  EXPECT_EQ(driver.MemFree(half), kOk);
  EXPECT_EQ(driver.MemFree(half), Result::kInvalidValue);
  ASSERT_EQ(driver.MemGetInfo(&free, &total), kOk);
  EXPECT_EQ(free, before);
}

TEST_F(StandInMemoryTest, BeginsAsNonsense) {
  EXPECT_THAT(Download<int>(Allocate(64), 16), Each(-1));
}

TEST_F(StandInMemoryTest, CopiesStayWithinTheirBlock) {
  const DevicePointer x = Allocate(64);
  int host[32] = {};
  EXPECT_EQ(driver.MemcpyHtoDAsync(x, host, 65, stream), Result::kInvalidValue);
  EXPECT_EQ(driver.MemcpyDtoHAsync(host, x + 32, 33, stream),
            Result::kInvalidValue);
  EXPECT_EQ(driver.MemsetD8Async(x + 64, 0, 1, stream), Result::kInvalidValue);
  EXPECT_EQ(driver.MemcpyDtoDAsync(x, reinterpret_cast<DevicePointer>(host), 4,
                                   stream),
            Result::kInvalidValue);
  EXPECT_EQ(driver.MemsetD8Async(x, 3, 64, stream), kOk);
  EXPECT_THAT(Download<unsigned char>(x, 64), Each(3));
}

TEST_F(StandInMemoryTest, MarksFollowTheStream) {
  const DevicePointer x = Upload<int>({1, 2, 3, 4});
  ASSERT_EQ(driver.Mark(stream, x, 8, 0), 0);
  ASSERT_EQ(driver.Mark(stream, x, 8, 1), 0);
  EXPECT_THAT(Download<int>(x, 4), ElementsAre(-1, -1, 3, 4));
}

TEST_F(StandInMemoryTest, TheHostHasNoAccessInStrictMode) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  driver.Set("strict", "1");
  const DevicePointer x = Upload<int>({7});
  EXPECT_THAT(Download<int>(x, 1), ElementsAre(7));
  const auto* p = reinterpret_cast<const volatile int*>(x);
  EXPECT_DEATH(std::exit(*p), "the host accesses memory of a device");
}

// ---- Failures on demand.

TEST_F(StandInStreamsTest, CallsFailByNumber) {
  ASSERT_EQ(driver.Fail("cuMemAlloc_v2:2=2;cuStreamQuery:1-=46"), 0);
  DevicePointer p = 0;
  ASSERT_EQ(driver.MemAlloc(&p, 8), kOk);
  ASSERT_EQ(driver.MemFree(p), kOk);
  EXPECT_EQ(driver.MemAlloc(&p, 8), Result::kOutOfMemory);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(driver.StreamQuery(stream), Result::kDeviceUnavailable);
  EXPECT_EQ(driver.Calls("cuStreamQuery"), 3u);
  ASSERT_EQ(driver.Fail(""), 0);
  EXPECT_EQ(driver.StreamQuery(stream), kOk);
  EXPECT_EQ(driver.Fail("cuMemAlloc_v2"), -1);
  EXPECT_EQ(driver.Fail("cuMemAlloc_v2:x"), -1);
}

TEST_F(StandInStreamsTest, KernelsFailByNumber) {
  const DevicePointer x = Upload<int>({0});
  ASSERT_EQ(driver.Fail("kernel:2=700"), 0);
  ASSERT_EQ(Launch(stream, add_, 1, 1, x, 1), kOk);
  ASSERT_EQ(driver.StreamSynchronize(stream), kOk);
  ASSERT_EQ(Launch(stream, add_, 1, 1, x, 1), kOk);
  EXPECT_EQ(driver.StreamSynchronize(stream), Result::kIllegalAddress);
  EXPECT_EQ(Launch(stream, add_, 1, 1, x, 1), Result::kIllegalAddress);
}

}  // namespace
}  // namespace millrace::cuda
