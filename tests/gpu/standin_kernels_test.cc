// Tests that the stand-in runs device text as a GPU would, and that what goes
// wrong in it is an error of the driver.
#include <gmock/gmock.h>

#include <numeric>

#include "absl/strings/match.h"
#include "tests/gpu/standin_driver.h"

namespace millrace::cuda {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class StandInKernelsTest : public StandInTest {};

constexpr char kScale[] = R"(
#define T float
extern "C" __global__ void Scale(const T* x, T* y, T by, long long n) {
  for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * blockDim.x) {
    y[i] = x[i] * by;
  }
})";

TEST_F(StandInKernelsTest, RunEachThreadOfTheGrid) {
  std::vector<float> x(100'000);
  std::iota(x.begin(), x.end(), 0.0f);
  const Function scale = Load(kScale, "Scale");
  const DevicePointer from = Upload(x), to = Allocate(x.size() * 4);
  for (unsigned blocks : {1u, 7u, 400u}) {
    ASSERT_EQ(Launch(stream, scale, blocks, 256, from, to, 2.0f,
                     static_cast<long long>(x.size())),
              kOk);
    const auto y = Download<float>(to, x.size());
    for (size_t i = 0; i < x.size(); ++i) ASSERT_EQ(y[i], 2 * x[i]);
  }
}

TEST_F(StandInKernelsTest, WaitAtBarriers) {
  const Function reverse = Load(R"(
extern "C" __global__ void Reverse(int* x) {
  __shared__ int all[256];
  for (int round = 0; round < 3; ++round) {
    all[threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    x[blockIdx.x * blockDim.x + threadIdx.x] = all[blockDim.x - 1 - threadIdx.x];
    __syncthreads();
  }
})",
                                "Reverse");
  std::vector<int> x(2 * 256);
  std::iota(x.begin(), x.end(), 0);
  for (const char* seed : {"0", "1", "2", "3"}) {
    driver.Set("seed", seed);
    const DevicePointer p = Upload(x);
    ASSERT_EQ(Launch(stream, reverse, 2, 256, p), kOk);
    const auto y = Download<int>(p, x.size());
    for (int i = 0; i < 512; ++i)
      ASSERT_EQ(y[i], i / 256 * 256 + 255 - i % 256);
  }
}

// Threads that have ended count as arrived.
TEST_F(StandInKernelsTest, BarriersKnowWhoHasEnded) {
  const Function count = Load(R"(
extern "C" __global__ void Count(int* out) {
  if (threadIdx.x % 3 == 0) return;
  const int odd = __syncthreads_count(threadIdx.x & 1);
  const int any = __syncthreads_or(threadIdx.x == 7);
  const int all = __syncthreads_and(threadIdx.x % 3 != 0);
  if (threadIdx.x == 1) { out[0] = odd; out[1] = any; out[2] = all; }
})",
                              "Count");
  const DevicePointer p = Upload(std::vector<int>(3));
  ASSERT_EQ(Launch(stream, count, 1, 60, p), kOk);
  EXPECT_THAT(Download<int>(p, 3), ElementsAre(20, 1, 1));
}

TEST_F(StandInKernelsTest, SharedMemoryBeginsWithoutContent) {
  const Function read = Load(R"(
extern "C" __global__ void Read(int* out) {
  __shared__ alignas(16) int word;
  extern __shared__ alignas(16) int words[];
  out[0] = word;
  out[1] = words[3];
  word = words[3] = 5;
})",
                             "Read");
  shared_bytes = 16;
  const DevicePointer p = Upload(std::vector<int>(2));
  ASSERT_EQ(Launch(stream, read, 3, 1, p), kOk);
  EXPECT_THAT(Download<int>(p, 2), Each(-1));
}

TEST_F(StandInKernelsTest, WarpsExchangeValues) {
  const Function warps = Load(R"(
extern "C" __global__ void Warps(double* sums, unsigned* votes) {
  double sum = threadIdx.x;
  for (int lanes = 16; lanes > 0; lanes /= 2)
    sum += __shfl_xor_sync(0xffffffffu, sum, lanes);
  const unsigned vote = __ballot_sync(0xffffffffu, threadIdx.x % 4 == 0);
  const int first = __shfl_sync(0xffffffffu, (int)threadIdx.x, 3, 8);
  const int up = __shfl_up_sync(0xffffffffu, (int)threadIdx.x, 1);
  const int down = __shfl_down_sync(0xffffffffu, (int)threadIdx.x, 1);
  sums[threadIdx.x] = sum;
  votes[threadIdx.x] = vote;
  if (first != (int)(threadIdx.x / 8 * 8 + 3)) __trap();
  if (up != (int)(threadIdx.x % 32 ? threadIdx.x - 1 : threadIdx.x)) __trap();
  if (down != (int)(threadIdx.x % 32 < 31 ? threadIdx.x + 1 : threadIdx.x)) __trap();
})",
                              "Warps");
  const DevicePointer sums = Allocate(64 * 8), votes = Allocate(64 * 4);
  for (const char* seed : {"0", "5"}) {
    driver.Set("seed", seed);
    ASSERT_EQ(Launch(stream, warps, 1, 64, sums, votes), kOk);
    const auto s = Download<double>(sums, 64);
    EXPECT_EQ(s[5], 31 * 16);
    EXPECT_EQ(s[40], 31 * 16 + 32 * 32);
    EXPECT_THAT(Download<unsigned>(votes, 64), Each(0x11111111u));
  }
}

// Half of the warp takes another way.
TEST_F(StandInKernelsTest, WarpFunctionsOfSomeLanes) {
  const Function halves = Load(R"(
extern "C" __global__ void Halves(int* out) {
  const unsigned low = 0x0000ffffu;
  int v = threadIdx.x;
  if (threadIdx.x < 16) {
    for (int i = 0; i < 3; ++i) v = __shfl_sync(low, v, 15);
  } else {
    v = __any_sync(~low, threadIdx.x == 20) + 2 * __all_sync(~low, 1);
  }
  out[threadIdx.x] = v;
})",
                               "Halves");
  const DevicePointer p = Allocate(32 * 4);
  ASSERT_EQ(Launch(stream, halves, 1, 32, p), kOk);
  const auto v = Download<int>(p, 32);
  EXPECT_THAT(std::vector<int>(v.begin(), v.begin() + 16), Each(15));
  EXPECT_THAT(std::vector<int>(v.begin() + 16, v.end()), Each(3));
}

TEST_F(StandInKernelsTest, AtomicsOfAllBlocks) {
  const Function add = Load(R"(
extern "C" __global__ void Add(float* f, double* d, unsigned long long* n, int* most) {
  atomicAdd(f, 1.0f);
  atomicAdd(d, 0.5);
  atomicAdd(n, 1ull);
  atomicMax(most, (int)(blockIdx.x * blockDim.x + threadIdx.x));
})",
                            "Add");
  const DevicePointer f = Upload<float>({0}), d = Upload<double>({0}),
                      n = Upload<unsigned long long>({0}),
                      most = Upload<int>({0});
  ASSERT_EQ(Launch(stream, add, 64, 256, f, d, n, most), kOk);
  EXPECT_THAT(Download<float>(f, 1), ElementsAre(16384));
  EXPECT_THAT(Download<double>(d, 1), ElementsAre(8192));
  EXPECT_THAT(Download<unsigned long long>(n, 1), ElementsAre(16384));
  EXPECT_THAT(Download<int>(most, 1), ElementsAre(16383));
}

TEST_F(StandInKernelsTest, HalfPrecision) {
  const Function convert = Load(R"(
extern "C" __global__ void Convert(unsigned* wrong) {
  for (unsigned bits = 0; bits < 65536; ++bits) {
    const float f = StandInFromHalf((unsigned short)bits);
    const unsigned back = StandInToHalf(f);
    if (f == f ? back != bits : (back & 0x7fff) <= 0x7c00) ++*wrong;
  }
  if (StandInToHalf(65520.0f) != 0x7c00 || StandInToHalf(65519.0f) != 0x7bff) ++*wrong;
  if (StandInToHalf(1.0f + 1.0f / 2048) != 0x3c00) ++*wrong;
  if (StandInToHalf(1.0f + 3.0f / 2048) != 0x3c02) ++*wrong;
  if (StandInToHalf(2.98023224e-8f) != 0 || StandInToHalf(2.9802326e-8f) != 1) ++*wrong;
})",
                                "Convert");
  const DevicePointer wrong = Upload<unsigned>({0});
  ASSERT_EQ(Launch(stream, convert, 1, 1, wrong), kOk);
  EXPECT_THAT(Download<unsigned>(wrong, 1), ElementsAre(0));
}

// The product of 1 + 2^-12 with itself is 1 + 2^-11 + 2^-24, of which float
// leaves the last part away.
TEST_F(StandInKernelsTest, ProductsAndSumsAreFusedIfAsked) {
  constexpr char kAdd[] = R"(
extern "C" __global__ void Add(const float* x, float* y) {
  y[0] = x[0] * x[0] + x[1];
  y[1] = __fmul_rn(x[2], x[2]) + x[3];
})";
  const float a = 1 + 0x1p-12f, square = 1 + 0x1p-11f;
  const DevicePointer x = Upload<float>({a, -square, a, -square});
  for (const bool fuses : {false, true}) {
    setenv("MILLRACE_STANDIN_FMA", fuses ? "1" : "0", 1);  // NOLINT
    const Function add = Load(kAdd, "Add");
    unsetenv("MILLRACE_STANDIN_FMA");  // NOLINT
    const DevicePointer y = Allocate(2 * sizeof(float));
    ASSERT_EQ(Launch(stream, add, 1, 1, x, y), kOk);
    EXPECT_THAT(Download<float>(y, 2), ElementsAre(fuses ? 0x1p-24f : 0, 0));
  }
}

TEST_F(StandInKernelsTest, MistakesOfTheTextAreInTheLog) {
  std::string log;
  EXPECT_EQ(CompileForStandIn("\n\nextern \"C\" __global__ void F() { x = 1; }",
                              &log),
            "");
  EXPECT_THAT(log, HasSubstr("device text:3"));
  EXPECT_THAT(log, HasSubstr("x"));
}

// What no page ends with, and what is not in use, is known to the address
// sanitizer.
TEST_F(StandInKernelsTest, TheSanitizerSeesTheEndsOfBlocks) {
  if (!absl::StrContains(StandInFolder(), "asan"))
    GTEST_SKIP() << "these libraries are without a sanitizer";
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  const Function scale = Load(kScale, "Scale");
  const DevicePointer x = Upload(std::vector<float>(24)), y = Allocate(100);
  const auto run = [&](long long n) {
    Launch(stream, scale, 1, 32, x, y, 1.0f, n);
    driver.StreamSynchronize(stream);
  };
  run(24);
  EXPECT_DEATH(run(25), "use-after-poison");
  ASSERT_EQ(driver.Mark(stream, y + 64, 16, /*in_use=*/0), 0);
  run(16);
  EXPECT_DEATH(run(17), "use-after-poison");
}

// ---- What ends a kernel, and from then on everything of its context.

class StandInFaultsTest : public StandInTest {
 protected:
  void ExpectFault(const std::string& body, Result expected) {
    const Function f = Load(
        "extern \"C\" __global__ void F(int* p, long long n) {" + body + "}",
        "F");
    const DevicePointer p = Upload(std::vector<int>(64));
    ASSERT_EQ(Launch(stream, f, 2, 64, p, 0ll), kOk);
    EXPECT_EQ(driver.StreamSynchronize(stream), expected);
    DevicePointer another = 0;
    EXPECT_EQ(driver.MemAlloc(&another, 16), expected);
    EXPECT_EQ(driver.StreamQuery(stream), expected);
    EXPECT_EQ(Launch(stream, f, 1, 1, p, 0ll), expected);
  }
};

TEST_F(StandInFaultsTest, AnAddressThatIsNotOnTheDevice) {
  ExpectFault("p[1ll << 30] = 1;", Result::kIllegalAddress);
}
TEST_F(StandInFaultsTest, NoAddress) {
  ExpectFault("*(int*)(n + 8) = 1;", Result::kIllegalAddress);
}
TEST_F(StandInFaultsTest, BehindABarrier) {
  ExpectFault(
      "__syncthreads(); if (threadIdx.x == 9) *(int*)n = 1; __syncthreads();",
      Result::kIllegalAddress);
}
TEST_F(StandInFaultsTest, DivisionByZero) {
  ExpectFault("p[0] = p[1] / (int)n;", Result::kLaunchFailed);
}
TEST_F(StandInFaultsTest, MisalignedAddress) {
  ExpectFault("((float4*)(p + 1 + n))->x = 1;", Result::kMisalignedAddress);
}
TEST_F(StandInFaultsTest, Trap) {
  ExpectFault("if (threadIdx.x == 63) __trap();", Result::kLaunchFailed);
}
TEST_F(StandInFaultsTest, Assertion) {
  ExpectFault("assert(threadIdx.x < 10);", Result::kAssert);
}
TEST_F(StandInFaultsTest, LanesThatNeverCome) {
  ExpectFault("if (threadIdx.x % 2) __syncthreads(); else __syncwarp();",
              Result::kLaunchTimeout);
}

TEST_F(StandInFaultsTest, TheContextWorksAgainAfterItsEnd) {
  ExpectFault("__trap();", Result::kLaunchFailed);
  TearDown();
  SetUp();
  EXPECT_EQ(driver.StreamSynchronize(stream), kOk);
}

}  // namespace
}  // namespace millrace::cuda
