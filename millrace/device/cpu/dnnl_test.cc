#include "millrace/device/cpu/dnnl.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "millrace/base/files/file.h"
#include "millrace/base/random.h"
#include "millrace/base/threads/lanes.h"
#include "millrace/device/devices.h"
#include "millrace/device/fake/fake_gpu_device.h"
#include "millrace/device/renamed_device.h"
#include "millrace/kernel/kernel.h"

namespace millrace {
namespace {

using dnnl::memory;

struct MatMul {
  memory::desc a, b, c;
  dnnl::matmul primitive;
};

StatusOr<MatMul> MakeMatMul(int64_t m, int64_t k, int64_t n) {
  const auto f32 = memory::data_type::f32;
  const auto ab = memory::format_tag::ab;
  MatMul out;
  out.a = memory::desc({m, k}, f32, ab);
  out.b = memory::desc({k, n}, f32, ab);
  out.c = memory::desc({m, n}, f32, ab);
  out.primitive = dnnl::matmul(dnnl::matmul::primitive_desc(
      dnnl::matmul::desc(out.a, out.b, out.c), DnnlAttr(), DnnlEngine()));
  return out;
}

std::vector<float> Fill(int64_t count, uint64_t seed) {
  Rng rng(seed);
  std::vector<float> v(static_cast<size_t>(count));
  for (float& f : v) f = static_cast<float>(rng.Double() - 0.5);
  return v;
}

// Runs one matmul at `width` and compares some elements with a plain sum.
void CheckMatMul(IntraOpPool& pool, int width, int64_t m, int64_t k, int64_t n,
                 const DnnlCache<MatMul>& cache) {
  const std::vector<float> a = Fill(m * k, 1), b = Fill(k * n, 2);
  std::vector<float> c(static_cast<size_t>(m * n));
  {
    DnnlRun run(pool, *HostAllocator(), width);
    auto p = cache.Get({m, k, n}, run, [&] { return MakeMatMul(m, k, n); });
    ASSERT_TRUE(p.ok()) << p.status();
    const Status s = run.Execute(
        (*p)->primitive, {{DNNL_ARG_SRC, DnnlMemory((*p)->a, a.data())},
                          {DNNL_ARG_WEIGHTS, DnnlMemory((*p)->b, b.data())},
                          {DNNL_ARG_DST, DnnlMemory((*p)->c, c.data())}});
    ASSERT_TRUE(s.ok()) << s;
  }
  for (int64_t i = 0; i < m; i += 7) {
    for (int64_t j = 0; j < n; j += 5) {
      double sum = 0;
      for (int64_t l = 0; l < k; ++l) {
        sum += static_cast<double>(a[static_cast<size_t>(i * k + l)]) *
               static_cast<double>(b[static_cast<size_t>(l * n + j)]);
      }
      ASSERT_NEAR(c[static_cast<size_t>(i * n + j)], sum, 1e-4)
          << i << "," << j << " width " << width;
    }
  }
}

size_t ThreadsOfThisProcess() {
  return PosixFiles()->GetChildren("/proc/self/task")->size();
}

TEST(Dnnl, OpenMpSymbolsAreOurs) { EXPECT_TRUE(UsesOwnOpenMp()); }

TEST(Dnnl, MatMulAtEveryWidth) {
  DnnlCache<MatMul> cache;
  for (int width = 1; width <= 4; ++width) {
    IntraOpPool pool("test", width);
    CheckMatMul(pool, width, 123, 257, 65, cache);
    CheckMatMul(pool, width, 8, 2000, 8,
                cache);  // split along k: members wait for each other
  }
  EXPECT_EQ(cache.size(), 8u);
}

TEST(Dnnl, NoThreadsButOurs) {
  DnnlCache<MatMul> cache;
  IntraOpPool pool("test", 3);
  const size_t before = ThreadsOfThisProcess();
  CheckMatMul(pool, 3, 300, 300, 300, cache);
  EXPECT_EQ(ThreadsOfThisProcess(), before + 2);
}

TEST(Dnnl, FourCallersShareThePool) {
  DnnlCache<MatMul> cache;
  IntraOpPool pool("test", 4);
  std::vector<Thread> callers;
  for (int t = 0; t < 4; ++t) {
    callers.emplace_back("caller", [&, t] {
      for (int i = 0; i < 10; ++i)
        CheckMatMul(pool, 4, 100 + t, 200, 50, cache);
    });
  }
  for (Thread& t : callers) t.Join();
}

TEST(Dnnl, CacheForgetsTheOldest) {
  DnnlCache<MatMul> cache(2);
  IntraOpPool pool("test", 1);
  int made = 0;
  const auto get = [&](int64_t m) {
    DnnlRun run(pool, *HostAllocator(), 1);
    ASSERT_TRUE(cache
                    .Get({m, 4, 4}, run,
                         [&] {
                           ++made;
                           return MakeMatMul(m, 4, 4);
                         })
                    .ok());
  };
  get(1), get(2), get(1), get(3);
  EXPECT_EQ(made, 3);
  get(1);
  EXPECT_EQ(made, 3);
  get(2);
  EXPECT_EQ(made, 4);
}

TEST(Dnnl, ErrorsAreStatuses) {
  EXPECT_EQ(DnnlTry([] {
              throw dnnl::error(dnnl_invalid_arguments, "bad");
            }).message(),
            "oneDNN: bad");
  EXPECT_EQ(DnnlTry([] { throw dnnl::error(dnnl_unimplemented, "x"); }).code(),
            StatusCode::kUnimplemented);
  EXPECT_FALSE(DnnlType(DataType::kDouble).ok());
}

TEST(Dnnl, WidthFollowsTheWork) {
  IntraOpPool pool("test", 4);
  DeviceOptions options;
  options.intra_op = &pool;
  const auto devices = MakeDevices(options, "a", 0);
  ASSERT_TRUE(devices.ok());
  NodeInfo node;
  StepEnvironment step;
  KernelContext ctx(node, *(*devices)[0], step, {}, {});
  EXPECT_EQ(DnnlRun(ctx, 1000).width(), 1);
  EXPECT_EQ(DnnlRun(ctx, int64_t{1} << 22).width(), 1);  // no thread is awake
  EXPECT_EQ(DnnlRun(ctx, int64_t{1} << 23).width(), 2);
  EXPECT_EQ(DnnlRun(ctx, int64_t{1} << 25).width(), 4);
}

// A session may have a device of a task under another name, and a kernel of
// the CPU may run for a device that is none.
TEST(Dnnl, DevicesThatAreNoCpusHaveThreads) {
  IntraOpPool pool("test", 4);
  DeviceOptions options;
  options.intra_op = &pool;
  const auto devices = MakeDevices(options, "a", 0);
  ASSERT_TRUE(devices.ok());
  Device& cpu = *(*devices)[0];
  RenamedDevice renamed(cpu.attributes(), cpu.parsed_name(), cpu);
  NodeInfo node;
  StepEnvironment step;
  KernelContext ctx(node, renamed, step, {}, {});
  EXPECT_EQ(DnnlRun(ctx, int64_t{1} << 25).width(), 4);
  FakeGpuDevice gpu(cpu.attributes(), cpu.parsed_name(), Lanes::Process());
  KernelContext of_gpu(node, gpu, step, {}, {});
  const int width = Lanes::Process().intra_op.width();
  EXPECT_EQ(DnnlRun(of_gpu, int64_t{1} << 40).width(), width);
}

}  // namespace
}  // namespace millrace
