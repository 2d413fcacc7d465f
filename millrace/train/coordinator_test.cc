#include "millrace/train/coordinator.h"

#include <gtest/gtest.h>

#include <vector>

#include "millrace/base/sim/sim.h"

namespace millrace::train {
namespace {

TEST(Coordinator, TheFirstErrorIsKept) {
  Coordinator coordinator;
  EXPECT_FALSE(coordinator.ShouldStop());
  coordinator.RequestStop(OutOfRange("the data ended"));
  EXPECT_TRUE(coordinator.ShouldStop());
  EXPECT_TRUE(coordinator.Join().ok());
  coordinator.RequestStop(Internal("first"));
  coordinator.RequestStop(Internal("second"));
  EXPECT_EQ(coordinator.Join().message(), "first");
  coordinator.ClearStop();
  EXPECT_FALSE(coordinator.ShouldStop());
  EXPECT_FALSE(coordinator.WaitForStop(Deadline::AfterMillis(0)));
}

TEST(Coordinator, AStopCancelsItsScope) {
  Coordinator coordinator;
  const auto scope = coordinator.stop_scope();
  int told = 0;
  const auto registration = scope->Register([&told] { ++told; });
  EXPECT_TRUE(registration.ok());
  coordinator.RequestStop(Internal("why"));
  coordinator.RequestStop();
  EXPECT_EQ(told, 1);
  EXPECT_EQ(scope->status().code(), StatusCode::kCancelled);
  EXPECT_TRUE(coordinator.stop_scope()->cancelled());
  coordinator.ClearStop();
  EXPECT_FALSE(coordinator.stop_scope()->cancelled());
  coordinator.RequestStop();
  EXPECT_TRUE(coordinator.stop_scope()->cancelled());
}

TEST(Coordinator, EndsItsThreads) {
  const SimResult result = SimWorld({.seed = 3}).Run([] {
    Coordinator coordinator;
    std::vector<Thread> threads;
    for (int i = 0; i < 3; ++i) {
      coordinator.Register();
      threads.emplace_back("worker", [&coordinator, i] {
        if (i == 1) coordinator.RequestStop(Aborted("one of them"));
        coordinator.WaitForStop();
        coordinator.Unregister();
      });
    }
    EXPECT_EQ(coordinator.Join().code(), StatusCode::kAborted);
    for (Thread& thread : threads) thread.Join();
  });
  EXPECT_TRUE(result.status.ok()) << result.Report();
}

TEST(Coordinator, DoesNotWaitForEver) {
  const SimResult result = SimWorld({.seed = 3}).Run([] {
    Coordinator coordinator;
    coordinator.Register();
    coordinator.RequestStop();
    EXPECT_EQ(coordinator.Join(1000).code(), StatusCode::kDeadlineExceeded);
  });
  EXPECT_TRUE(result.status.ok()) << result.Report();
  EXPECT_GE(result.virtual_nanos, 1'000'000'000);
}

}  // namespace
}  // namespace millrace::train
