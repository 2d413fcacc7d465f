#include "millrace/cluster/master/master_service.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "millrace/cluster/testing/master_suite.h"

namespace millrace {
namespace {

TEST(MasterServiceTest, WaitsOnlyForTasksThatTheGraphNames) {
  Simulate([] {
    Master master;
    master.peers.at("ps", 1).SetUp(false);
    master.peers.at("worker", 1).SetUp(false);
    const int64_t start = Millis();
    const auto handle =
        master.Create({Const("a", "/job:ps/task:0"), Const("b", "")});
    ASSERT_TRUE(handle.ok()) << handle.status();
    EXPECT_EQ(handle->size(), 16u);
    EXPECT_LT(Millis() - start, 100);
    EXPECT_EQ(master.ps(0).Count("CreateWorkerSession"), 1);
    EXPECT_EQ(master.worker(0).Count("CreateWorkerSession"), 1);
    EXPECT_EQ(master.ps(1).Count("CreateWorkerSession"), 0);
    const CreateWorkerSessionRequest request = master.ps(0).sessions().at(0);
    EXPECT_EQ(request.session_handle, *handle);
    EXPECT_EQ(request.server_def.job_name, "ps");
    EXPECT_EQ(request.master_task, "/job:worker/replica:0/task:0");
    EXPECT_EQ(request.master_incarnation, 77);
    EXPECT_FALSE(request.isolate_session_state);
  });
}

TEST(MasterServiceTest, SaysForWhomItWaited) {
  Simulate([] {
    MasterOptions options;
    options.session_wait_ms = 60'000;
    Master master(std::move(options));
    master.peers.at("ps", 1).SetUp(false);
    const int64_t start = Millis();
    const Status status =
        master.Create({Const("a", "/job:ps/task:1")}).status();
    EXPECT_EQ(status.code(), StatusCode::kDeadlineExceeded);
    EXPECT_NE(status.message().find("/job:ps/replica:0/task:1 (ps1:1)"),
              absl::string_view::npos)
        << status;
    EXPECT_EQ((Millis() - start) / 1000, 60);
    EXPECT_EQ(master.service->counts().sessions, 0);
  });
}

TEST(MasterServiceTest, AnswersBeforeTheClientsDeadline) {
  Simulate([] {
    Master master;
    master.peers.at("ps", 1).SetUp(false);
    const Deadline deadline = Deadline::AfterMillis(2000);
    const Status status =
        master.Create({Const("a", "/job:ps/task:1")}, {}, deadline).status();
    EXPECT_EQ(status.code(), StatusCode::kDeadlineExceeded);
    EXPECT_FALSE(deadline.expired());
  });
}

TEST(MasterServiceTest, ATaskThatIsGoneEndsTheWaitWithinFiveSeconds) {
  Simulate([] {
    Master master;
    ASSERT_TRUE(master.Create({Const("a", "/job:ps/task:1")}).ok());
    master.peers.at("ps", 1).SetUp(false);
    const int64_t start = Millis();
    const Status status =
        master.Create({Const("a", "/job:ps/task:1")}).status();
    EXPECT_EQ(status.code(), StatusCode::kAborted) << status;
    EXPECT_NE(status.message().find("/job:ps/replica:0/task:1"),
              absl::string_view::npos);
    EXPECT_EQ((Millis() - start) / 1000, 4);
  });
}

TEST(MasterServiceTest, ATaskThatComesBackIsTaken) {
  Simulate([] {
    Master master;
    master.peers.at("ps", 1).SetUp(false);
    master.peers.at("ps", 0).SetUp(false);
    const Status status = master
                              .Create({Const("a", "/job:ps/task:1"),
                                       Const("b", "/job:ps/task:0")},
                                      {}, Deadline::AfterMillis(1000))
                              .status();
    // Both are named.
    EXPECT_NE(status.message().find("ps0:1"), absl::string_view::npos)
        << status;
    EXPECT_NE(status.message().find("ps1:1"), absl::string_view::npos)
        << status;
    master.peers.at("ps", 1).SetUp(true);
    EXPECT_TRUE(master.Create({Const("a", "/job:ps/task:1")}).ok());
  });
}

TEST(MasterServiceTest, DeviceFiltersHideTasks) {
  Simulate([] {
    Master master;
    ConfigOptions config;
    config.device_filters = {"/job:ps/task:1"};
    EXPECT_TRUE(master.Create({Const("a", "/job:ps")}, config).ok());
    EXPECT_EQ(master.ps(0).Count("CreateWorkerSession"), 0);
    EXPECT_EQ(master.ps(1).Count("CreateWorkerSession"), 1);
    const Status status =
        master.Create({Const("a", "/job:ps/task:0")}, config).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << status;
    config.device_filters = {"/jib:ps"};
    EXPECT_EQ(master.Create({}, config).status().code(),
              StatusCode::kInvalidArgument);
  });
}

TEST(MasterServiceTest, VersionsCountUpWithExtensions) {
  Simulate([] {
    Master master;
    const std::string handle = *master.Create({Const("a", "")});
    EXPECT_EQ(*master.Extend(handle, {Neg("b", "a", "/job:ps/task:0")}, 0), 1);
    EXPECT_EQ(master.ps(0).Count("CreateWorkerSession"), 1);
    EXPECT_EQ(*master.Extend(handle, {Neg("c", "b", "/job:ps/task:0")}, 1), 2);
    EXPECT_EQ(master.ps(0).Count("CreateWorkerSession"), 1);
    EXPECT_EQ(master.Extend(handle, {Neg("d", "c", "")}, 1).status().code(),
              StatusCode::kAborted);
    // An extension that fails changes nothing.
    EXPECT_EQ(
        master.Extend(handle, {Neg("d", "nowhere", "")}, 2).status().code(),
        StatusCode::kInvalidArgument);
    EXPECT_EQ(*master.Extend(handle, {Neg("d", "c", "")}, 2), 3);
  });
}

// Its reply may have been lost, so that the client retries it.
TEST(MasterServiceTest, TheLastExtensionMayComeAgain) {
  Simulate([] {
    Master master;
    master.RunThemselves();
    const std::string handle = *master.Create({Const("a", "")});
    const auto extend = [&](NodeDef node, int64_t version) {
      return master.Extend(handle, {std::move(node)}, version);
    };
    EXPECT_EQ(*extend(Neg("b", "a", ""), 0), 1);
    for (int i = 0; i < 2; ++i) {
      const auto again = extend(Neg("b", "a", ""), 0);
      ASSERT_TRUE(again.ok()) << again.status();
      EXPECT_EQ(*again, 1);
    }
    // A retry is refused if the extension is another one with the same version,
    // or is not the last one.
    EXPECT_EQ(extend(Neg("c", "a", ""), 0).status().code(),
              StatusCode::kAborted);
    EXPECT_EQ(*extend(Neg("c", "b", ""), 1), 2);
    EXPECT_EQ(extend(Neg("b", "a", ""), 0).status().code(),
              StatusCode::kAborted);
    // A failed extension runs again, and changes nothing.
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(extend(Neg("d", "nowhere", ""), 2).status().code(),
                StatusCode::kInvalidArgument);
    }
    EXPECT_EQ(*extend(Neg("c", "b", ""), 1), 2);
    EXPECT_EQ(*extend(Neg("d", "c", ""), 2), 3);
    EXPECT_TRUE(Step(master, Fetch(handle, {"d:0"})).Wait().ok());
  });
}

TEST(MasterServiceTest, CloseEndsStepsAndWorkerSessions) {
  Simulate([] {
    Master master;
    const std::string handle = *master.Create({Const("a", "/job:ps/task:0")});
    Step step(master, Fetch(handle, {"a:0"}));
    const FakeWorker::Run run = master.ps(0).TakeRun();
    CloseSessionReply reply;
    EXPECT_TRUE(master.Call(&MasterApi::CloseSession, {handle}, &reply).ok());
    EXPECT_EQ(step.Wait().code(), StatusCode::kCancelled);
    EXPECT_EQ(master.ps(0).Count("DeleteWorkerSession"), 1);
    EXPECT_EQ(master.worker(0).Count("DeleteWorkerSession"), 1);
    const Status again =
        master.Call(&MasterApi::CloseSession, {handle}, &reply);
    EXPECT_EQ(again.code(), StatusCode::kAborted);
    EXPECT_EQ(again.message(),
              absl::StrCat("Session ", handle,
                           " is not found. Possibly task /job:worker/replica:0"
                           "/task:0 (worker0:1) was restarted."));
    EXPECT_EQ(master.service->counts().sessions, 0);
  });
}

// The request may have arrived all the same.
TEST(MasterServiceTest, ASessionThatCouldNotBeMadeIsDeletedEverywhere) {
  Simulate([] {
    Master master;
    master.ps(0).errors["CreateWorkerSession"] =
        DeadlineExceeded("no answer in 5 s");
    EXPECT_FALSE(master.Create({Const("a", "/job:ps/task:0")}).ok());
    EXPECT_EQ(master.ps(0).Count("DeleteWorkerSession"), 1);
    EXPECT_EQ(master.worker(0).Count("DeleteWorkerSession"), 1);
    EXPECT_EQ(master.service->counts().sessions, 0);
  });
}

TEST(MasterServiceTest, ResetClosesSessionsAndCleansAllTasks) {
  Simulate([] {
    Master master;
    const std::string handle = *master.Create({Const("a", "/job:ps/task:0")});
    ResetReply reply;
    EXPECT_TRUE(master.Call(&MasterApi::Reset, {{"box"}, {}}, &reply).ok());
    for (const Ref<Peer>& peer : master.peers.All()) {
      EXPECT_EQ(static_cast<FakePeer&>(*peer).fake.Count("CleanupAll"), 1);
    }
    EXPECT_EQ(master.Extend(handle, {}, 0).status().code(),
              StatusCode::kAborted);
    // A task that was known and is lost might have kept its containers.
    master.ps(0).errors["CleanupAll"] = Unavailable("connection refused");
    const Status lost = master.Call(&MasterApi::Reset, {{}, {}}, &reply);
    EXPECT_EQ(lost.code(), StatusCode::kAborted);
    EXPECT_NE(lost.message().find("ps0:1"), absl::string_view::npos);
    // A task that never answered has none.
    master.ps(0).errors.clear();
    master.ps(1).errors["CleanupAll"] = Unavailable("connection refused");
    EXPECT_TRUE(master.Call(&MasterApi::Reset, {{}, {}}, &reply).ok());
  });
}

TEST(MasterServiceTest, ListDevicesLeavesOutWhoIsSilent) {
  Simulate([] {
    Master master;
    master.peers.at("ps", 1).SetUp(false);
    const std::string handle = *master.Create({});
    ListDevicesReply reply;
    const int64_t start = Millis();
    EXPECT_TRUE(master.Call(&MasterApi::ListDevices, {handle}, &reply).ok());
    EXPECT_EQ((Millis() - start) / 1000, 5);
    ASSERT_EQ(reply.local_devices.size(), 3u);
    // The master's own task is the first.
    EXPECT_EQ(reply.local_devices[0].name,
              "/job:worker/replica:0/task:0/device:CPU:0");
    EXPECT_TRUE(reply.remote_devices.empty());
  });
}

TEST(MasterServiceTest, AStoppedMasterRefusesAndCutsSteps) {
  Simulate([] {
    Master master;
    const std::string handle = *master.Create({Const("a", "/job:ps/task:0")});
    Step step(master, Fetch(handle, {"a:0"}));
    const FakeWorker::Run run = master.ps(0).TakeRun();
    const Status reason = Aborted("the server was stopped");
    master.service->Stop(reason);
    EXPECT_EQ(master.Create({}).status(), reason);
    EXPECT_EQ(Step(master, Fetch(handle, {"a:0"})).Wait(), reason);
    EXPECT_FALSE(master.service->WaitForSteps(Deadline::AfterMillis(100)));
    EXPECT_EQ(master.service->waits(10).size(), 1u);
    master.service->CancelRuns(reason, MasterService::Workers::kTold);
    EXPECT_EQ(step.Wait(), reason);
    EXPECT_TRUE(master.service->WaitForSteps(Deadline::Infinite()));
    master.service->Join(Deadline::AfterMillis(1000));
    EXPECT_EQ(master.ps(0).Count("DeleteWorkerSession"), 1);
  });
}

}  // namespace
}  // namespace millrace
