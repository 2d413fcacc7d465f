// Each call of the driver and of the compiler fails at each place: nothing
// hangs or crashes, and who asked gets an error or the right values.
#include <gmock/gmock.h>

#include <bit>

#include "absl/strings/str_cat.h"
#include "millrace/base/random.h"
#include "millrace/device/cuda/driver_api.h"
#include "tests/gpu/cuda_devices.h"

namespace millrace::cuda {
namespace {

constexpr int64_t kCount = 1'200'000;  // more than one part of a copy

// Whatever a step does: copies, computes, tables, another card, logical GPUs.
Status DoSteps() {
  MR_ASSIGN_OR_RETURN(
      const auto gpus,
      MakeGpus({.allow_growth = true, .virtual_devices_mb = {{64, 64}, {}}},
               2));
  if (gpus.size() < 3) return Internal("a card is not there");
  Device& gpu = *gpus[0];
  DeviceNode node(gpu);
  MR_ASSIGN_OR_RETURN(const GpuFunction add, node.Load(kAddSource, "AddTo"));
  MR_ASSIGN_OR_RETURN(Tensor x, CopyIn(gpu, Counting(kCount)));
  MR_RETURN_IF_ERROR(
      LaunchGpu(node.ctx(), add, GridOver(kCount), GpuOutput(x), 2.0f, kCount));
  MR_RETURN_IF_ERROR(UploadToGpu(node.ctx(), "table", 5).status());
  MR_ASSIGN_OR_RETURN(Tensor zeros, node.ctx().AllocateTemp(
                                        DataType::kUint8, TensorShape({100})));
  MR_RETURN_IF_ERROR(FillGpuBytes(node.ctx(), GpuOutput(zeros), 0, 100));
  MR_ASSIGN_OR_RETURN(const Tensor copy, x.DeepCopy(gpu.allocator()));
  for (const auto& peer : gpus) {
    if (peer.get() == &gpu) continue;
    MR_ASSIGN_OR_RETURN(
        Tensor there,
        Tensor::Allocate(peer->allocator(), DataType::kFloat, copy.shape()));
    Awaited copied;
    peer->CopyFromPeer(copy, &there, copied.done());
    MR_RETURN_IF_ERROR(copied.Wait());
    MR_ASSIGN_OR_RETURN(const Tensor back, CopyOut(*peer, there));
    if (!IdenticalTensors(back, Counting(kCount, 2))) {
      return DataLoss("wrong values of a peer");
    }
    MR_RETURN_IF_ERROR(Idle(*peer));
  }
  Tensor plain = Tensor::New(DataType::kFloat, copy.shape());
  Awaited copied;
  gpu.CopyToHost(copy, &plain, copied.done());
  MR_RETURN_IF_ERROR(copied.Wait());
  if (!IdenticalTensors(plain, Counting(kCount, 2))) {
    return DataLoss("wrong values");
  }
  return Idle(gpu);
}

class CudaFailuresTest : public CudaTest,
                         public ::testing::WithParamInterface<const char*> {};

TEST_P(CudaFailuresTest, AtEachPlace) {
  const char* const symbol = GetParam();
  const Status first = DoSteps();
  ASSERT_TRUE(first.ok()) << first;
  Control().Reset();
  ASSERT_TRUE(DoSteps().ok());
  // Memory is missing; or nothing works any more.
  constexpr int kCodesOfCalls[] = {2, 999};
  constexpr int kCodesOfKernels[] = {700, 719};
  const bool is_kernel = absl::string_view(symbol) == "kernel";
  const auto calls = static_cast<int>(Control().Calls(symbol));
  for (int n = 1; n <= calls; ++n) {
    // Many calls are of the same place.
    if (n > 12 && !std::has_single_bit(static_cast<unsigned>(n))) continue;
    for (const int code : is_kernel ? kCodesOfKernels : kCodesOfCalls) {
      Control().Reset();
      Control().Fail(absl::StrCat(symbol, ":", n, "=", code).c_str());
      const Status status = DoSteps();
      // Without pinned memory copies are slower, and that is all.
      const bool only_slower =
          absl::string_view(symbol) == "cuMemHostAlloc" && code == 2;
      EXPECT_TRUE(
          status.ok() ||
          (!only_slower && (status.code() == StatusCode::kInternal ||
                            status.code() == StatusCode::kResourceExhausted)))
          << symbol << " " << n << " " << code << ": " << status;
    }
  }
  Control().Reset();
  const Status after = DoSteps();
  EXPECT_TRUE(after.ok()) << after;
}

// Those of the first use of the process, whose answers stay, are not among
// them.
std::vector<const char*> SymbolsOfTheDriver() {
  std::vector<const char*> symbols = {"kernel"};
#define MR_CALL(Name, symbol, parameters) symbols.push_back(#symbol);
  MILLRACE_CUDA_DRIVER_CALLS(MR_CALL)
#undef MR_CALL
  std::erase_if(symbols, [](absl::string_view symbol) {
    return symbol == "cuInit" || symbol == "cuDriverGetVersion";
  });
  return symbols;
}

INSTANTIATE_TEST_SUITE_P(Each, CudaFailuresTest,
                         ::testing::ValuesIn(SymbolsOfTheDriver()),
                         [](const auto& param) {
                           return std::string(param.param);
                         });

class NvrtcFailuresTest : public CudaTest {};

TEST_F(NvrtcFailuresTest, AtEachCall) {
  const auto gpus = *MakeGpus({}, 1);
  DeviceNode node(*gpus[0]);
  const auto load = [&] {
    const GpuDefine unique = {
        "UNIQUE", absl::StrCat("0x", absl::Hex(RandomUint64()), "ull")};
    return node.Load(kAddSource, "AddTo", {unique}).status();
  };
  for (const char* symbol :
       {"nvrtcCreateProgram", "nvrtcCompileProgram", "nvrtcGetCUBINSize",
        "nvrtcGetCUBIN", "nvrtcDestroyProgram"}) {
    CompilerControl().Reset();
    CompilerControl().Fail(absl::StrCat(symbol, ":1=5").c_str());
    const Status status = load();
    if (absl::string_view(symbol) == "nvrtcDestroyProgram") {
      EXPECT_TRUE(status.ok()) << status;
      continue;
    }
    EXPECT_EQ(status.code(), StatusCode::kInternal) << symbol << status;
    EXPECT_THAT(std::string(status.message()),
                ::testing::HasSubstr("tests/add.gpu.cu with UNIQUE="));
  }
  CompilerControl().Reset();
  EXPECT_TRUE(load().ok());
}

}  // namespace
}  // namespace millrace::cuda
