#include "millrace/exec/kernel_cache.h"

#include <gtest/gtest.h>

#include <atomic>

#include "millrace/exec/testing/graphs.h"
#include "millrace/exec/testing/kernels.h"

namespace millrace {
namespace {

std::shared_ptr<const NodeInfo> Info(const std::string& name,
                                     const std::string& op,
                                     AttrMap attrs = {}) {
  auto info = std::make_shared<NodeInfo>();
  info->name = name;
  info->op = TestOps().Find(op);
  info->attrs = std::move(attrs);
  return info;
}

TEST(KernelCacheTest, StatefulKernelsAreShared) {
  TestDevice device, other("/job:t/replica:0/task:0/device:CPU:1");
  KernelCache cache(&TestKernelTable());
  const auto tick = cache.Get(Info("n", "Tick"), device)->kernel;
  EXPECT_EQ(cache.Get(Info("n", "Tick"), device)->kernel, tick);
  EXPECT_NE(cache.Get(Info("m", "Tick"), device)->kernel, tick);
  EXPECT_NE(cache.Get(Info("n", "Tick"), other)->kernel, tick);
}

TEST(KernelCacheTest, OthersBelongToTheirPlan) {
  TestDevice device;
  KernelCache cache(&TestKernelTable());
  const auto inc = cache.Get(Info("n", "Inc"), device)->kernel;
  EXPECT_NE(cache.Get(Info("n", "Inc"), device)->kernel, inc);
}

TEST(KernelCacheTest, ANameUsedAgainWithOtherAttributesIsAnotherKernel) {
  TestDevice device;
  KernelCache cache(&TestKernelTable());
  const auto put = cache.Get(Info("n", "Put", {{"key", "a"}}), device)->kernel;
  const auto other =
      cache.Get(Info("n", "Put", {{"key", "b"}}), device)->kernel;
  EXPECT_NE(other, put);
  // The first one is kept.
  EXPECT_EQ(cache.Get(Info("n", "Put", {{"key", "a"}}), device)->kernel, put);
}

TEST(KernelCacheTest, TheKernelKeepsTheNodeThatItWasMadeFor) {
  TestDevice device;
  KernelCache cache(&TestKernelTable());
  const auto first = Info("n", "Tick");
  EXPECT_EQ(cache.Get(first, device)->info, first);
  EXPECT_EQ(cache.Get(Info("n", "Tick"), device)->info, first);
}

// Kernels of Busy that are made when the test allows it; Tick has one that is
// made at once.
class SlowKernels {
 public:
  static const KernelTable& Table() {
    static const KernelDecl kBusy = {"Busy", "CPU", {{.make = MakeBusy}}};
    static const KernelDecl kTick = {
        "Tick", "CPU", {{.make = MakeFunctionKernel<test_kernels::Tick>}}};
    static const KernelTable* const table =
        new KernelTable(KernelTable::Build({&kBusy, &kTick}).value());
    return *table;
  }

  SlowKernels() { current_ = this; }
  ~SlowKernels() { current_ = nullptr; }

  Notification begun;         // the first one
  Notification go;            // awaited by the first one
  std::atomic<int> made{0};   // how many were begun
  Status result;              // of the first one
  bool held_for_long = true;  // `go` did not come while the first one waited

 private:
  static StatusOr<std::unique_ptr<Kernel>> MakeBusy(const KernelInit& init) {
    if (current_->made.fetch_add(1) == 0) {
      current_->begun.Notify();
      current_->held_for_long =
          !current_->go.WaitUntil(Deadline::AfterMillis(20'000));
      MR_RETURN_IF_ERROR(current_->result);
    }
    return MakeFunctionKernel<test_kernels::Tick>(init);
  }
  static SlowKernels* current_;
};

SlowKernels* SlowKernels::current_ = nullptr;

// A kernel of a GPU may be compiled when it is made.
TEST(KernelCacheTest, AKernelThatIsBeingMadeKeepsNobodyOff) {
  SlowKernels slow;
  TestDevice device;
  KernelCache cache(&SlowKernels::Table());
  Thread other("other",
               [&] { EXPECT_TRUE(cache.Get(Info("n", "Busy"), device).ok()); });
  slow.begun.Wait();
  EXPECT_TRUE(cache.Get(Info("m", "Tick"), device).ok());
  slow.go.Notify();
  other.Join();
  EXPECT_FALSE(slow.held_for_long);
}

TEST(KernelCacheTest, ThreadsThatWantTheSameOneGetIt) {
  SlowKernels slow;
  TestDevice device;
  KernelCache cache(&SlowKernels::Table());
  std::shared_ptr<const Kernel> first, second;
  Thread one("one",
             [&] { first = cache.Get(Info("n", "Busy"), device)->kernel; });
  slow.begun.Wait();
  Thread two("two",
             [&] { second = cache.Get(Info("n", "Busy"), device)->kernel; });
  slow.go.Notify();
  one.Join();
  two.Join();
  EXPECT_NE(first, nullptr);
  EXPECT_EQ(first, second);
  EXPECT_EQ(slow.made, 1);
  EXPECT_EQ(cache.num_kernels(), 1);
}

TEST(KernelCacheTest, AfterAnErrorTheNextOneTries) {
  SlowKernels slow;
  slow.result = Internal("it does not compile");
  TestDevice device;
  KernelCache cache(&SlowKernels::Table());
  Status first, second;
  Thread one("one",
             [&] { first = cache.Get(Info("n", "Busy"), device).status(); });
  slow.begun.Wait();
  Thread two("two",
             [&] { second = cache.Get(Info("n", "Busy"), device).status(); });
  slow.go.Notify();
  one.Join();
  two.Join();
  EXPECT_EQ(first.message(), "it does not compile");
  EXPECT_TRUE(second.ok()) << second;
  EXPECT_EQ(slow.made, 2);
}

}  // namespace
}  // namespace millrace
