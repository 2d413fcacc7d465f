// Devices with memory and an order of their own, on the stand-in.
#include <gmock/gmock.h>

#include "absl/strings/str_cat.h"
#include "millrace/base/random.h"
#include "millrace/device/cuda/cuda_device.h"
#include "millrace/device/cuda/module_cache.h"
#include "millrace/ops/transfer/variant_memory.h"
#include "millrace/tensor/host_allocator.h"
#include "millrace/tensor/variant/tensor_list_value.h"
#include "tests/gpu/cuda_devices.h"

namespace millrace::cuda {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr size_t kMB = size_t{1} << 20;

// With streams that work at once, and with those whose work is as late as waits
// allow, in orders by a seed.
class CudaDeviceTest : public CudaTest,
                       public ::testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    CudaTest::SetUp();
    Control().Set("lazy", GetParam());
  }
};
INSTANTIATE_TEST_SUITE_P(LazySeed, CudaDeviceTest,
                         ::testing::Values("0", "1", "2", "3"));

TEST_P(CudaDeviceTest, HasMemoryOfItsOwnAndTheWordsPeopleKnow) {
  const auto gpus = MakeGpus();
  ASSERT_TRUE(gpus.ok()) << gpus.status();
  ASSERT_EQ(gpus->size(), 4u);
  Device& gpu = *(*gpus)[1];
  EXPECT_EQ(gpu.name(), "/job:localhost/replica:0/task:0/device:GPU:1");
  EXPECT_EQ(gpu.type(), "GPU");
  EXPECT_TRUE(gpu.has_own_memory());
  EXPECT_FALSE(gpu.allocator()->is_host());
  EXPECT_TRUE(gpu.host_allocator()->is_host());
  EXPECT_EQ(gpu.attributes().physical_description,
            "device: 1, name: Millrace stand-in 1, pci bus id: 0000:01:00.0, "
            "compute capability: 8.0");
  // All but what is left to the driver.
  EXPECT_EQ(gpu.attributes().memory_limit_bytes, int64_t{(256 - 32) * kMB});
  EXPECT_EQ(gpu.memory_use().limit_bytes, int64_t{(256 - 32) * kMB});
  EXPECT_EQ(gpu.memory_use().used_bytes, 0);
}

TEST_P(CudaDeviceTest, CopiesGoThereAndBack) {
  const auto gpus = *MakeGpus();
  Device& gpu = *gpus[0];
  // None, inside of the tensor, one part, several parts.
  for (const int64_t n : {int64_t{0}, int64_t{1}, int64_t{3}, int64_t{1000},
                          int64_t{1'000'003}, int64_t{5'000'001}}) {
    const Tensor host = Counting(n);
    const auto there = CopyIn(gpu, host);
    ASSERT_TRUE(there.ok()) << there.status();
    EXPECT_TRUE(there->on_device());
    const auto back = CopyOut(gpu, *there);
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_TRUE(IdenticalTensors(host, *back)) << n;
    // From memory that is pinned, and to memory that is not.
    const auto again = CopyIn(gpu, *back);
    ASSERT_TRUE(again.ok()) << again.status();
    Tensor plain =
        *Tensor::Allocate(HostAllocator(), DataType::kFloat, host.shape());
    Awaited copied;
    gpu.CopyToHost(*again, &plain, copied.done());
    EXPECT_TRUE(copied.Wait().ok());
    EXPECT_TRUE(IdenticalTensors(host, plain)) << n;
  }
  EXPECT_EQ(Control().Calls("pageable_copy"), 0u);
  EXPECT_TRUE(Idle(gpu).ok());
  EXPECT_EQ(gpu.memory_use().used_bytes, 0);
}

TEST_P(CudaDeviceTest, ACopyHoldsNothingOfTheDeviceWhenItIsDone) {
  const auto gpus = *MakeGpus();
  Device& gpu = *gpus[0];
  // One part, several parts.
  for (const int64_t n : {int64_t{1000}, int64_t{5'000'001}}) {
    Tensor there = *CopyIn(gpu, Counting(n));
    Tensor plain =
        *Tensor::Allocate(HostAllocator(), DataType::kFloat, there.shape());
    int64_t used = -1;
    Awaited copied;
    gpu.CopyToHost(std::move(there), &plain,
                   [&, done = copied.done()](Status status) mutable {
                     used = gpu.memory_use().used_bytes;
                     std::move(done)(std::move(status));
                   });
    EXPECT_TRUE(copied.Wait().ok());
    EXPECT_EQ(used, 0) << n;
  }
}

TEST_P(CudaDeviceTest, ManyCopiesAreUnderWayAtOnce) {
  const auto gpus = *MakeGpus();
  Device& gpu = *gpus[0];
  std::vector<Tensor> there;
  for (int i = 0; i < 30; ++i) {
    there.push_back(*CopyIn(gpu, Counting(2000, static_cast<float>(i))));
  }
  for (int i = 0; i < 30; ++i) {
    EXPECT_TRUE(IdenticalTensors(*CopyOut(gpu, there[static_cast<size_t>(i)]),
                                 Counting(2000, static_cast<float>(i))));
  }
}

TEST_P(CudaDeviceTest, KernelsRunInTheOrderInWhichTheyAreEnqueued) {
  const auto gpus = *MakeGpus();
  Device& gpu = *gpus[0];
  DeviceNode node(gpu);
  const auto add = node.Load(kAddSource, "AddTo");
  ASSERT_TRUE(add.ok()) << add.status();
  constexpr int64_t n = 100'000;
  Tensor x = *CopyIn(gpu, Counting(n));
  for (int i = 1; i <= 10; ++i) {
    ASSERT_TRUE(LaunchGpu(node.ctx(), *add, GridOver(n), GpuOutput(x),
                          static_cast<float>(i), n)
                    .ok());
  }
  // A copy within the memory stands behind them, and x may go at once.
  const Tensor copy = *x.DeepCopy(gpu.allocator());
  ASSERT_TRUE(
      LaunchGpu(node.ctx(), *add, GridOver(n), GpuOutput(x), 1000.0f, n).ok());
  x = Tensor();
  // Takes the memory of x, and is filled later.
  Tensor y = *CopyIn(gpu, Counting(n, 7));
  const Tensor result = *CopyOut(gpu, copy);
  EXPECT_TRUE(IdenticalTensors(result, Counting(n, 55)));
  EXPECT_TRUE(IdenticalTensors(*CopyOut(gpu, y), Counting(n, 7)));
  EXPECT_TRUE(Idle(gpu).ok());
}

TEST_P(CudaDeviceTest, FillsCopiesAndUploads) {
  const auto gpus = *MakeGpus();
  Device& gpu = *gpus[0];
  DeviceNode node(gpu);
  const std::string table(3000, 'x');
  const auto uploaded = UploadToGpu(node.ctx(), table.data(), 3000);
  ASSERT_TRUE(uploaded.ok()) << uploaded.status();
  Tensor t =
      *Tensor::Allocate(gpu.allocator(), DataType::kUint8, TensorShape({3000}));
  ASSERT_TRUE(FillGpuBytes(node.ctx(), GpuOutput(t), 'y', 3000).ok());
  ASSERT_TRUE(
      gpu.allocator()
          ->Copy(reinterpret_cast<void*>(t.device_address() + 1000),
                 reinterpret_cast<const void*>(uploaded->device_address()),
                 1000)
          .ok());
  const Tensor back = *CopyOut(gpu, t);
  EXPECT_EQ(absl::string_view(back.data(), 3000),
            absl::StrCat(std::string(1000, 'y'), std::string(1000, 'x'),
                         std::string(1000, 'y')));
}

TEST_P(CudaDeviceTest, TablesAreUploadedWithoutPinnedMemory) {
  const auto gpus = *MakeGpus({}, 1);
  DeviceNode node(*gpus[0]);
  Control().Fail("cuMemHostAlloc:1-=2");
  std::string table(3000, 'x');
  const auto uploaded = UploadToGpu(node.ctx(), table.data(), 3000);
  ASSERT_TRUE(uploaded.ok()) << uploaded.status();
  table.assign(3000, 'y');  // it has been read
  const auto back = CopyOut(*gpus[0], *uploaded);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(absl::string_view(back->data(), 3000), std::string(3000, 'x'));
}

TEST_P(CudaDeviceTest, CopiesGoFromCardToCard) {
  const auto gpus = *MakeGpus();
  const Tensor host = Counting(300'000);
  const Tensor there = *CopyIn(*gpus[0], host);
  Tensor peer =
      *Tensor::Allocate(gpus[2]->allocator(), DataType::kFloat, host.shape());
  Awaited copied;
  gpus[2]->CopyFromPeer(there, &peer, copied.done());
  ASSERT_TRUE(copied.Wait().ok());
  EXPECT_TRUE(IdenticalTensors(*CopyOut(*gpus[2], peer), host));
  // A copy to the host by another device than that of the memory.
  EXPECT_TRUE(IdenticalTensors(*CopyOut(*gpus[1], peer), host));
}

TEST_P(CudaDeviceTest, ACardMayBeSeveralGpus) {
  const auto gpus = MakeGpus({.virtual_devices_mb = {{16, 32}, {}}}, 2);
  ASSERT_TRUE(gpus.ok()) << gpus.status();
  ASSERT_EQ(gpus->size(), 3u);
  EXPECT_EQ((*gpus)[1]->attributes().memory_limit_bytes, int64_t{32 * kMB});
  EXPECT_THAT((*gpus)[1]->attributes().physical_description,
              StartsWith("device: 0,"));
  EXPECT_THAT((*gpus)[2]->attributes().physical_description,
              StartsWith("device: 1,"));
  const Tensor host = Counting(1'000'000);
  const Tensor there = *CopyIn(*(*gpus)[0], host);
  Tensor peer = *Tensor::Allocate((*gpus)[1]->allocator(), DataType::kFloat,
                                  host.shape());
  Awaited copied;
  (*gpus)[1]->CopyFromPeer(there, &peer, copied.done());
  ASSERT_TRUE(copied.Wait().ok());
  EXPECT_TRUE(IdenticalTensors(*CopyOut(*(*gpus)[1], peer), host));
}

TEST_P(CudaDeviceTest, VisibleDevicesChooseAndOrder) {
  const auto gpus = MakeGpus({.visible_devices = "3,1"});
  ASSERT_TRUE(gpus.ok()) << gpus.status();
  ASSERT_EQ(gpus->size(), 2u);
  EXPECT_THAT((*gpus)[0]->attributes().physical_description,
              StartsWith("device: 3, name: Millrace stand-in 3"));
  EXPECT_THAT((*gpus)[0]->name(), ::testing::EndsWith("GPU:0"));
}

TEST_P(CudaDeviceTest, WrongSetupsAreRefused) {
  EXPECT_EQ(MakeGpus({.visible_devices = "4"}).status().code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(MakeGpus({.memory_fraction = 2}).status().code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(
      MakeGpus({.visible_devices = "0", .virtual_devices_mb = {{10}, {10}}})
          .status()
          .code(),
      StatusCode::kInvalidArgument);
}

TEST_P(CudaDeviceTest, SessionsShareThePoolAndTheLastReturnsIt) {
  size_t taken_by_first = 0;
  {
    const auto first = *MakeGpus({.memory_fraction = 0.5}, 1);
    const Tensor x = *CopyIn(*first[0], Counting(1'000'000));
    taken_by_first = static_cast<size_t>(first[0]->memory_use().used_bytes);
    const auto second = *MakeGpus({.memory_fraction = 0.5}, 1);
    EXPECT_EQ(second[0]->memory_use().used_bytes,
              static_cast<int64_t>(taken_by_first));
    EXPECT_EQ(first[0]->allocator(), second[0]->allocator());
    const auto clone = *CloneDevice(*first[0], "worker", 4);
    EXPECT_EQ(clone->allocator(), first[0]->allocator());
    EXPECT_NE(&clone->resources(), &first[0]->resources());
    const auto renamed = RenameDevice(*first[0], "worker", 5);
    EXPECT_EQ(*GpuOf(*renamed), *GpuOf(*first[0]));
  }
  EXPECT_GT(taken_by_first, 0u);
  // The whole memory can be had again.
  const auto gpus = *MakeGpus({.memory_fraction = 1}, 1);
  const auto all = Tensor::Allocate(gpus[0]->allocator(), DataType::kUint8,
                                    TensorShape({223 * (1 << 20)}));
  EXPECT_TRUE(all.ok()) << all.status();
}

TEST_P(CudaDeviceTest, OutOfMemoryNamesNodeBytesAndUsers) {
  const auto gpus = *MakeGpus({.virtual_devices_mb = {{16}}}, 1);
  DeviceNode node(*gpus[0]);
  const auto x =
      node.ctx().AllocateTemp(DataType::kFloat, TensorShape({1 << 21}));
  ASSERT_TRUE(x.ok()) << x.status();
  const Status status =
      node.ctx()
          .AllocateTemp(DataType::kFloat, TensorShape({3, 1 << 20}))
          .status();
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(
      std::string(status.message()),
      AllOf(StartsWith("OOM when allocating tensor with shape[3,1048576] and "
                       "type float on /job:localhost/replica:0/task:0/"
                       "device:GPU:0 for node the_node: asked were 12.00MiB "
                       "(12582912 bytes) of GPU 0 (Millrace stand-in 0)"),
            HasSubstr("8.00MiB (8388608 bytes) free"),
            HasSubstr("most is held by the_node 8.00MiB")));
}

TEST_P(CudaDeviceTest, OutOfMemoryOfAListNamesItsNode) {
  const auto gpus = *MakeGpus({.virtual_devices_mb = {{16}}}, 1);
  DeviceNode node(*gpus[0]);
  const auto list = MakeRef<TensorListValue>(DataType::kFloat, PartialShape());
  ASSERT_TRUE(list->Push(Counting(5'000'000)).ok());
  Tensor variants = Tensor::New(DataType::kVariant, TensorShape());
  variants.mutable_flat<VariantElement>()[0] = list;
  Status status;
  ops::MoveVariants(node.ctx(), variants, ops::MoveTo::kDevice,
                    [&](StatusOr<Tensor> moved) { status = moved.status(); });
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()),
              StartsWith("OOM when allocating tensor with shape[5000000] and "
                         "type float on /job:localhost/replica:0/task:0/"
                         "device:GPU:0 for node the_node: asked were "));
}

TEST_P(CudaDeviceTest, AWrongTextNamesItsDefinesAndTheCompilersWords) {
  const auto gpus = *MakeGpus({}, 1);
  DeviceNode node(*gpus[0]);
  static constexpr GpuSource kWrong = {
      "tests/wrong.gpu.cu",
      "extern \"C\" __global__ void F(T* x) { *x = no_such_name; }\n"};
  const Status status =
      node.Load(kWrong, "F", {{"T", "float"}, {"U", "half"}}).status();
  EXPECT_EQ(status.code(), StatusCode::kInternal);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("tests/wrong.gpu.cu with T=float U=half"),
                    HasSubstr("no_such_name")));
  EXPECT_EQ(node.Load(kAddSource, "NoSuchEntry").status().code(),
            StatusCode::kInternal);
}

TEST_P(CudaDeviceTest, ATextIsCompiledOnce) {
  const auto gpus = *MakeGpus({}, 1);
  ModuleCache& modules = (*GpuOf(*gpus[0]))->card().modules();
  const ModuleCache::Stats before = modules.stats();
  const GpuDefine unique = {
      "UNIQUE", absl::StrCat("0x", absl::Hex(RandomUint64()), "ull")};
  std::vector<Thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back("load", [&] {
      DeviceNode node(*gpus[0]);
      const auto f = node.Load(kAddSource, "AddTo", {unique});
      EXPECT_TRUE(f.ok()) << f.status();
    });
  }
  for (Thread& thread : threads) thread.Join();
  EXPECT_EQ(modules.stats().compiled, before.compiled + 1);
  EXPECT_EQ(modules.stats().from_memory, before.from_memory + 3);
}

TEST_P(CudaDeviceTest, ALaunchThatIsRefusedFailsItsStepAlone) {
  const auto gpus = *MakeGpus({}, 1);
  DeviceNode node(*gpus[0]);
  const GpuFunction add = *node.Load(kAddSource, "AddTo");
  Tensor x = *CopyIn(*gpus[0], Counting(1000));
  const auto launch = [&] {
    return LaunchGpu(node.ctx(), add, GridOver(1000), GpuOutput(x), 1.0f,
                     int64_t{1000});
  };
  Control().Fail("cuLaunchKernel:1=701");
  const Status status = launch();
  EXPECT_EQ(status.code(), StatusCode::kInternal);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("GPU 0 (Millrace stand-in 0): cuLaunchKernel: "
                              "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"),
                    HasSubstr("node the_node, AddTo of tests/add.gpu.cu")));
  // The card goes on.
  EXPECT_TRUE(Idle(*gpus[0]).ok());
  EXPECT_TRUE(launch().ok());
  EXPECT_TRUE(IdenticalTensors(*CopyOut(*gpus[0], x), Counting(1000, 1)));
}

TEST_P(CudaDeviceTest, AFailedKernelEndsItsStepAndThoseBehindIt) {
  {
    const auto gpus = *MakeGpus({}, 2);
    DeviceNode node(*gpus[0]);
    const GpuFunction add = *node.Load(kAddSource, "AddTo");
    Tensor x = *CopyIn(*gpus[0], Counting(1000));
    ASSERT_TRUE(Idle(*gpus[0]).ok());
    Control().Reset();
    Control().Fail("kernel:1=700");
    EXPECT_TRUE(LaunchGpu(node.ctx(), add, GridOver(1000), GpuOutput(x), 1.0f,
                          int64_t{1000})
                    .ok());
    const Status status = Idle(*gpus[0]);
    EXPECT_EQ(status.code(), StatusCode::kInternal);
    EXPECT_THAT(std::string(status.message()),
                AllOf(HasSubstr("GPU 0 (Millrace stand-in 0) has failed"),
                      HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS")));
    EXPECT_EQ(Idle(*gpus[0]), status);
    EXPECT_THAT(std::string(CopyIn(*gpus[0], Counting(10)).status().message()),
                StartsWith(std::string(status.message())));
    const Status launched = LaunchGpu(node.ctx(), add, GridOver(1000),
                                      GpuOutput(x), 1.0f, int64_t{1000});
    EXPECT_EQ(launched.code(), StatusCode::kInternal);
    EXPECT_THAT(std::string(launched.message()), HasSubstr("node the_node"));
    // The other card goes on.
    EXPECT_TRUE(CopyIn(*gpus[1], Counting(10)).ok());
  }
}

}  // namespace
}  // namespace millrace::cuda
