#include "millrace/rpc/heartbeat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "millrace/base/sim/sim.h"
#include "millrace/protocol/caller.h"
#include "millrace/protocol/unimplemented_api.h"
#include "millrace/rpc/loopback/loopback.h"

namespace millrace {
namespace {

using ::testing::ElementsAre;

// Answers at once, or, while it is silent, not at all.
class HeartbeatServer final : public UnimplementedWorker {
 public:
  std::atomic<bool> silent{false};

  void GetStatus(CallContext& context, const GetStatusRequest&, GetStatusReply*,
                 Done done) override {
    if (!silent) return std::move(done)(OkStatus());
    auto open = std::make_shared<Done>(std::move(done));
    const auto registration = context.cancel->Register(
        [open, scope = context.cancel] { std::move (*open)(scope->status()); });
    if (!registration.ok()) std::move (*open)(registration.status);
  }
};

// Probes a server each second and records the milliseconds at which answers
// arrive.
class SteadyWatcher final : private Heartbeat::Watcher {
 public:
  SteadyWatcher()
      : listener_(
            network_.Listen({.host = "ps0", .port = 1}, {.worker = &server})
                .value()),
        caller_(network_.Connect("ps0:1")),
        stub_(MakeWorkerStub(caller_.get())),
        start_(NowNanos()),
        heartbeat_(mu_, Lanes::Process(), 1000, *this) {}
  ~SteadyWatcher() { heartbeat_.Stop(); }

  void AskWithin(int64_t delay_ms) {
    MutexLock lock(mu_);
    waits_ = true;
    heartbeat_.ProbeBy(Deadline::AfterMillis(delay_ms));
  }
  void WaitNoMore() {
    MutexLock lock(mu_);
    waits_ = false;
  }
  void Stop() { heartbeat_.Stop(); }

  int64_t now_ms() const { return (NowNanos() - start_) / 1'000'000; }
  void SleepTo(int64_t ms) {
    SleepUntil(Deadline::At(start_ + ms * 1'000'000));
  }
  bool rests() {
    MutexLock lock(mu_);
    return heartbeat_.rests();
  }
  std::vector<int64_t> answered() {
    MutexLock lock(mu_);
    return answered_;
  }
  std::vector<int64_t> silent() {
    MutexLock lock(mu_);
    return silent_;
  }

  HeartbeatServer server;

 private:
  Ref<RefCounted> Keep() override { return nullptr; }
  bool Waits() override { return waits_; }
  WorkerApi& ProbeTarget() override { return *stub_; }
  void OnAnswer(const Heartbeat::Answer& answer) override {
    MutexLock lock(mu_);
    if (answer.status.ok()) answered_.push_back(now_ms());
    if (misses_.Count(answer.status.ok())) silent_.push_back(now_ms());
    heartbeat_.ProbeBy(answer.due);
  }

  LoopbackNetwork network_;
  const std::unique_ptr<Listener> listener_;
  const std::shared_ptr<Caller> caller_;
  const std::unique_ptr<WorkerApi> stub_;
  const int64_t start_;
  Mutex mu_;  // guards all below
  bool waits_ = false;
  std::vector<int64_t> answered_;
  std::vector<int64_t> silent_;
  Heartbeat heartbeat_;
  Misses misses_{3};
};

void SimulateHeartbeat(absl::AnyInvocable<void(SteadyWatcher&)> body) {
  const SimResult r = SimWorld({.seed = 1}).Run([&] {
    SteadyWatcher watcher;
    body(watcher);
  });
  EXPECT_TRUE(r.status.ok()) << r.Report();
}

TEST(Misses, InARow) {
  Misses misses(3);
  EXPECT_FALSE(misses.Count(false));
  EXPECT_FALSE(misses.Count(false));
  EXPECT_FALSE(misses.Count(true));
  EXPECT_FALSE(misses.Count(false));
  EXPECT_FALSE(misses.Count(false));
  EXPECT_TRUE(misses.Count(false));
  EXPECT_FALSE(misses.Count(false)) << "the count begins anew";
  misses.Forget();
  EXPECT_FALSE(misses.Count(false));
  EXPECT_FALSE(misses.Count(false));
  EXPECT_TRUE(misses.Count(false));
}

TEST(Heartbeat, AsksEachPeriodWhileSomebodyWaits) {
  SimulateHeartbeat([](SteadyWatcher& watcher) {
    EXPECT_TRUE(watcher.rests());
    watcher.AskWithin(1000);
    watcher.SleepTo(3500);
    EXPECT_THAT(watcher.answered(), ElementsAre(1000, 2000, 3000));
    watcher.WaitNoMore();
    EXPECT_FALSE(watcher.rests());
    watcher.SleepTo(4500);
    EXPECT_TRUE(watcher.rests());
    watcher.AskWithin(200);
    watcher.SleepTo(5000);
    EXPECT_THAT(watcher.answered(), ElementsAre(1000, 2000, 3000, 4700));
  });
}

TEST(Heartbeat, ASilentServerMissesThreeQuestions) {
  SimulateHeartbeat([](SteadyWatcher& watcher) {
    watcher.server.silent = true;
    watcher.AskWithin(0);
    watcher.SleepTo(6500);
    EXPECT_THAT(watcher.silent(), ElementsAre(3000, 6000));
    watcher.server.silent = false;
    watcher.SleepTo(8500);
    EXPECT_THAT(watcher.answered(), ElementsAre(7000, 8000));
  });
}

TEST(Heartbeat, TheEarliestTimeCounts) {
  SimulateHeartbeat([](SteadyWatcher& watcher) {
    watcher.AskWithin(10'000);
    watcher.AskWithin(300);
    watcher.AskWithin(5'000);
    watcher.SleepTo(1000);
    EXPECT_THAT(watcher.answered(), ElementsAre(300));
    watcher.WaitNoMore();
    watcher.SleepTo(20'000);
    EXPECT_THAT(watcher.answered(), ElementsAre(300));
  });
}

TEST(Heartbeat, StopEndsAQuestion) {
  SimulateHeartbeat([](SteadyWatcher& watcher) {
    watcher.server.silent = true;
    watcher.AskWithin(1000);
    watcher.SleepTo(1500);
    watcher.Stop();
    EXPECT_EQ(watcher.now_ms(), 1500);
    EXPECT_TRUE(watcher.rests());
    watcher.AskWithin(10);
    EXPECT_TRUE(watcher.rests());
  });
}

}  // namespace
}  // namespace millrace
