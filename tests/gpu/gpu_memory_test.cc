// Memory of GPUs and pinned memory in use by several threads, copies and
// devices, on the stand-in.
#include <gmock/gmock.h>

#include <atomic>

#include "millrace/base/machine.h"
#include "millrace/base/memory/memory_budget.h"
#include "millrace/base/threads/lanes.h"
#include "millrace/device/cuda/cuda_device.h"
#include "tests/gpu/cuda_devices.h"
#include "tests/gpu/held_stream.h"

namespace millrace::cuda {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kMiBytes = int64_t{1} << 20;

// With streams that work at once, and with those whose work is as late as waits
// allow, in orders by a seed.
class GpuMemoryTest : public CudaTest,
                      public ::testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    CudaTest::SetUp();
    Control().Set("lazy", GetParam());
  }
};
INSTANTIATE_TEST_SUITE_P(LazySeed, GpuMemoryTest,
                         ::testing::Values("0", "1", "2", "3"));

TEST_P(GpuMemoryTest, ACopyThatFailsMidwayEndsWhenNothingOfItIsLeft) {
  const auto gpus = *MakeGpus({}, 1);
  Device& gpu = *gpus[0];
  const Tensor host = Counting(1'200'000);  // two parts of a copy
  for (const char* const failure :
       {"cuMemcpyHtoDAsync_v2:2=2", "cuEventRecord:2=2"}) {
    Tensor there =
        *Tensor::Allocate(gpu.allocator(), host.dtype(), host.shape());
    ASSERT_TRUE(Idle(gpu).ok());
    // The copy of the first part stands behind this.
    HeldStream held(gpu);
    const auto waits = Control().Calls("cuStreamSynchronize");
    Control().Fail(failure);
    std::atomic<bool> has_ended{false};
    bool was_held = false;
    Status result;
    gpu.CopyFromHost(host, &there, [&](Status status) {
      was_held = !held.IsReleased();
      result = std::move(status);
      has_ended = true;
    });
    EXPECT_TRUE(YieldUntil([&] {
      return has_ended || Control().Calls("cuStreamSynchronize") > waits;
    }));
    held.Release();
    ASSERT_TRUE(YieldUntil([&] { return has_ended.load(); }));
    EXPECT_FALSE(was_held) << failure;
    EXPECT_EQ(result.code(), StatusCode::kResourceExhausted) << result;
    Control().Fail("");
    // The next one has the memory for itself.
    there = Tensor();
    DeviceNode node(gpu);
    const auto bytes = static_cast<int64_t>(host.size_bytes());
    Tensor next = *Tensor::Allocate(gpu.allocator(), DataType::kUint8,
                                    TensorShape({bytes}));
    ASSERT_TRUE(FillGpuBytes(node.ctx(), GpuOutput(next), 'y', bytes).ok());
    const auto back = CopyOut(gpu, next);
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_EQ(absl::string_view(back->data(), back->size_bytes()),
              std::string(back->size_bytes(), 'y'));
  }
}

TEST_P(GpuMemoryTest, AllocationsWaitForMemoryThatCopiesHold) {
  const auto gpus = *MakeGpus({.virtual_devices_mb = {{16}}}, 1);
  Device& gpu = *gpus[0];
  Tensor all = *Tensor::Allocate(gpu.allocator(), DataType::kUint8,
                                 TensorShape({16 * kMiBytes}));
  Tensor host =
      *Tensor::Allocate(gpu.host_allocator(), all.dtype(), all.shape());
  ASSERT_TRUE(Idle(gpu).ok());
  HeldStream held(gpu);
  Awaited copied;
  gpu.CopyToHost(std::move(all), &host, copied.done());
  // On all threads that could run what is behind the copy.
  const auto threads = static_cast<size_t>(UsableCores());
  std::vector<Status> results(threads);
  std::vector<Tensor> tensors(threads);
  std::atomic<size_t> ended{0};
  for (size_t i = 0; i < threads; ++i) {
    Lanes::Process().inter_op.Schedule([&, i] {
      auto t = Tensor::Allocate(
          gpu.allocator(), DataType::kUint8,
          TensorShape(
              {16 * kMiBytes / static_cast<int64_t>(threads) / 256 * 256}));
      results[i] = t.status();
      if (t.ok()) tensors[i] = *std::move(t);
      ++ended;
    });
  }
  YieldUnless([&] { return ended > 0; });
  held.Release();
  ASSERT_TRUE(YieldUntil([&] { return ended == threads; }));
  for (const Status& result : results) EXPECT_TRUE(result.ok()) << result;
  EXPECT_TRUE(copied.Wait().ok());
}

TEST_P(GpuMemoryTest, AGpuThatEndsIsAwaited) {
  auto gpus = *MakeGpus({}, 1);
  HeldStream held(*gpus[0]);
  const auto waits = Control().Calls("cuStreamSynchronize");
  Thread ends("ends", [&] { gpus.clear(); });
  // The device holds what makes it one in use until its Gpu has ended.
  EXPECT_TRUE(YieldUntil(
      [&] { return Control().Calls("cuStreamSynchronize") > waits; }));
  std::atomic<bool> has_ended{false};
  bool was_held = false;
  Thread awaits("awaits", [&] {
    Gpu::AwaitUnused(0);
    was_held = !held.IsReleased();
    has_ended = true;
  });
  YieldUnless([&] { return has_ended.load(); });
  held.Release();
  ends.Join();
  awaits.Join();
  EXPECT_FALSE(was_held);
}

TEST_P(GpuMemoryTest, AllCardsPinAQuarterOfTheBudgetTogether) {
  MemoryBudget& budget = MemoryBudget::Process();
  const int64_t limit = budget.limit();
  budget.set_limit(budget.used() + 256 * kMiBytes);
  const int64_t most = budget.limit() / 4;
  int64_t pinned = 0;
  {
    const auto gpus = *MakeGpus();
    ASSERT_EQ(gpus.size(), 4u);
    std::vector<Ref<Buffer>> held;
    for (const auto& gpu : gpus) {
      for (int i = 0; i < 100; ++i) {
        auto buffer = (*GpuOf(*gpu))->pinned().AllocatePinned(4 << 20);
        if (!buffer.ok()) {
          EXPECT_EQ(buffer.status().code(), StatusCode::kResourceExhausted);
          break;
        }
        pinned += static_cast<int64_t>((*buffer)->size_bytes());
        held.push_back(*std::move(buffer));
      }
      // Then it is memory that is not pinned.
      EXPECT_TRUE(gpu->host_allocator()->Allocate(4 << 20).ok());
    }
    EXPECT_LE(pinned, most);
    EXPECT_GE(pinned, most / 2);
  }
  budget.set_limit(limit);
}

TEST_P(GpuMemoryTest, MissingMemoryNamesCardAndCall) {
  const auto gpus = *MakeGpus({.virtual_devices_mb = {{16}}}, 1);
  Control().Fail("cuMemAlloc_v2:1=2");
  const Status pool =
      Tensor::Allocate(gpus[0]->allocator(), DataType::kUint8, TensorShape({1}))
          .status();
  EXPECT_EQ(pool.code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(pool.message()),
              HasSubstr("failed to allocate from device: "
                        "CUDA_ERROR_OUT_OF_MEMORY: out of memory (the device "
                        "has"));
  // Memory of the driver's own.
  Control().Fail("cuEventCreate:1=2");
  const Status copy = CopyIn(*gpus[0], Counting(1000)).status();
  EXPECT_EQ(copy.code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(copy.message()),
              HasSubstr("GPU 0 (Millrace stand-in 0): cuEventCreate: "
                        "CUDA_ERROR_OUT_OF_MEMORY: out of memory"));
  EXPECT_TRUE(CopyIn(*gpus[0], Counting(1000)).ok());
}

}  // namespace
}  // namespace millrace::cuda
