// Clusters of servers that live in this process, in virtual time.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>

#include "millrace/base/clock.h"
#include "millrace/protocol/caller.h"
#include "tests/support/loopback_cluster.h"

namespace millrace {

inline const TaskName kPs0{"ps", 0}, kPs1{"ps", 1}, kWorker0{"worker", 0},
    kWorker1{"worker", 1};
inline const std::map<std::string, int> kJobs = {{"ps", 2}, {"worker", 2}};

// Under several seeds, as each switches threads elsewhere.
inline void Simulate(std::function<void()> body) {
  TestOps();
  TestKernels();
  for (const uint64_t seed : {1, 2, 3}) {
    SimOptions options;
    options.seed = seed;
    // Endless loops meet their end.
    options.nanos_per_switch = 1'000;
    const SimResult result = SimWorld(options).Run(body);
    ASSERT_TRUE(result.status.ok()) << result.Report();
  }
}

// The same with all tasks of kJobs running; `session` is of worker 0 and not
// created yet.
inline void OnCluster(
    std::function<void(LoopbackCluster& cluster, TestSession& session)> body) {
  Simulate([&] {
    LoopbackCluster cluster(kJobs);
    cluster.StartAll();
    TestSession session(cluster, kWorker0);
    body(cluster, session);
  });
}

// What the server says of itself.
inline ServerStatusReply StatusOf(LoopbackCluster& cluster,
                                  const TaskName& task) {
  const auto caller = cluster.network()->Connect(cluster.Address(task));
  const auto admin = MakeAdminStub(caller.get());
  ServerStatusReply reply;
  const Status status =
      CallAndWait(*admin, &AdminApi::ServerStatus, {}, &reply);
  EXPECT_TRUE(status.ok()) << status;
  return reply;
}

inline int64_t Millis() { return NowNanos() / 1'000'000; }

inline bool IsRecoverable(const Status& status) {
  return status.code() == StatusCode::kUnavailable ||
         status.code() == StatusCode::kAborted;
}

inline bool Names(const Status& status, const TaskName& task) {
  return status.message().find(task.ToString()) != absl::string_view::npos;
}

}  // namespace millrace
