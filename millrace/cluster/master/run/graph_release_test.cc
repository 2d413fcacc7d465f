#include "millrace/cluster/master/run/graph_release.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "millrace/cluster/testing/master_suite.h"

namespace millrace {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr char kPsDevice[] = "/job:ps/task:0";
constexpr char kWorkerDevice[] = "/job:worker/task:1";

MasterOptions Keeping(size_t runs) {
  MasterOptions options;
  options.max_prepared_runs = runs;
  return options;
}

// a on a ps, b on a worker, which needs a; c on the ps.
std::vector<NodeDef> TwoTasks() {
  return {Const("a", kPsDevice), Neg("b", "a", kWorkerDevice),
          Neg("c", "a", kPsDevice)};
}

TEST(GraphReleaseTest, AllTasksOfAKindOfRunAreTold) {
  Simulate([] {
    Master master(Keeping(1));
    master.RunThemselves();
    const std::string handle = *master.Create(TwoTasks());
    ASSERT_TRUE(Step(master, Fetch(handle, {"b:0"})).Wait().ok());
    EXPECT_EQ(master.service->counts().prepared_runs, 1);
    EXPECT_THAT(master.ps(0).dropped(), IsEmpty());
    ASSERT_TRUE(Step(master, Fetch(handle, {"c:0"})).Wait().ok());
    EXPECT_EQ(master.service->counts().prepared_runs, 1);
    EXPECT_THAT(master.ps(0).dropped(), ElementsAre("graph1"));
    EXPECT_THAT(master.worker(1).dropped(), ElementsAre("graph1"));
    EXPECT_THAT(master.worker(0).dropped(), IsEmpty());
    // The same kind of run is registered again as a new one.
    ASSERT_TRUE(Step(master, Fetch(handle, {"b:0"})).Wait().ok());
    EXPECT_THAT(master.ps(0).dropped(), ElementsAre("graph1", "graph2"));
    EXPECT_EQ(master.ps(0).Count("RegisterGraph"), 3);
    const auto graphs = master.ps(0).graphs();
    EXPECT_NE(graphs[0].registration, graphs[2].registration);
  });
}

TEST(GraphReleaseTest, NotWhatAStepUses) {
  Simulate([] {
    Master master(Keeping(1));
    const std::string handle = *master.Create(TwoTasks());
    Step waits(master, Fetch(handle, {"b:0"}));
    FakeWorker::Run ps = master.ps(0).TakeRun();
    FakeWorker::Run worker = master.worker(1).TakeRun();
    Step other(master, Fetch(handle, {"c:0"}));
    FakeWorker::Run run = master.ps(0).TakeRun();
    run.reply->recv.push_back(
        {run.request->recv_key.at(0), Tensor::Scalar(1.0f)});
    std::move(run.done)(OkStatus());
    ASSERT_TRUE(other.Wait().ok());
    EXPECT_EQ(master.service->counts().prepared_runs, 2);
    EXPECT_THAT(master.ps(0).dropped(), IsEmpty());
    worker.reply->recv.push_back(
        {worker.request->recv_key.at(0), Tensor::Scalar(1.0f)});
    std::move(ps.done)(OkStatus());
    std::move(worker.done)(OkStatus());
    ASSERT_TRUE(waits.Wait().ok());
    master.RunThemselves();
    // The next new kind of run evicts twice.
    ASSERT_TRUE(Step(master, Fetch(handle, {"a:0"})).Wait().ok());
    EXPECT_EQ(master.service->counts().prepared_runs, 1);
    EXPECT_EQ(master.ps(0).dropped().size(), 2u);
    EXPECT_EQ(master.worker(1).dropped().size(), 1u);
  });
}

TEST(GraphReleaseTest, ARegistrationThatFailedIsGivenUpEverywhere) {
  Simulate([] {
    Master master;
    const std::string handle = *master.Create(TwoTasks());
    // It may have arrived all the same.
    master.ps(0).errors["RegisterGraph"] = Unavailable("connection reset");
    EXPECT_FALSE(Step(master, Fetch(handle, {"b:0"})).Wait().ok());
    master.ps(0).WaitForCall("DeregisterGraph");
    master.worker(1).WaitForCall("DeregisterGraph");
    const int64_t registration = master.ps(0).graphs().at(0).registration;
    EXPECT_THAT(master.ps(0).dropped(),
                ElementsAre(RegistrationHandle(registration)));
    EXPECT_THAT(master.worker(1).dropped(), ElementsAre("graph1"));
    EXPECT_EQ(master.service->counts().prepared_runs, 0);
  });
}

TEST(GraphReleaseTest, ACallableHasItsGraphsUntilItIsReleasedAndItsRunsEnd) {
  Simulate([] {
    Master master;
    const std::string handle = *master.Create(
        {Const("a", ""), Placeholder("x", ""), Neg("y", "x", kPsDevice)});
    MakeCallableRequest make;
    make.session_handle = handle;
    make.options.fetches = {"y:0"};
    make.options.tensor_connections = {{"a:0", "x:0"}};
    MakeCallableReply made;
    ASSERT_TRUE(master.Call(&MasterApi::MakeCallable, make, &made).ok());
    EXPECT_EQ(master.service->counts().prepared_runs, 1);
    const auto release = [&](int64_t callable) {
      ReleaseCallableReply reply;
      return master.Call(&MasterApi::ReleaseCallable, {handle, callable},
                         &reply);
    };
    // Without a run. A client that has not heard the answer asks again.
    ASSERT_TRUE(release(made.handle).ok());
    EXPECT_TRUE(release(made.handle).ok());
    master.ps(0).WaitForCall("DeregisterGraph");
    EXPECT_EQ(master.service->counts().prepared_runs, 0);
    // While it runs.
    ASSERT_TRUE(master.Call(&MasterApi::MakeCallable, make, &made).ok());
    RunCallableRequest request;
    request.session_handle = handle;
    request.handle = made.handle;
    RunCallableReply reply;
    CallContext context;
    Notification answered;
    master.service->RunCallable(context, request, &reply, Done([&](Status s) {
                                  EXPECT_TRUE(s.ok()) << s;
                                  answered.Notify();
                                }));
    FakeWorker::Run run = master.ps(0).TakeRun();
    FakeWorker::Run own = master.worker(0).TakeRun();
    ASSERT_TRUE(release(made.handle).ok());
    EXPECT_EQ(master.ps(0).dropped().size(), 1u);
    run.reply->recv.push_back(
        {run.request->recv_key.at(0), Tensor::Scalar(1.0f)});
    std::move(own.done)(OkStatus());
    std::move(run.done)(OkStatus());
    answered.Wait();
    while (master.ps(0).dropped().size() < 2) {
      SleepUntil(Deadline::AfterMillis(1));
    }
  });
}

// The tasks are told only of its end.
TEST(GraphReleaseTest, NothingAfterTheSession) {
  Simulate([] {
    Master master;
    const std::string handle = *master.Create(TwoTasks());
    Step waits(master, Fetch(handle, {"b:0"}));
    const FakeWorker::Run ps = master.ps(0).TakeRun();
    const FakeWorker::Run worker = master.worker(1).TakeRun();
    CloseSessionReply closed;
    ASSERT_TRUE(master.Call(&MasterApi::CloseSession, {handle}, &closed).ok());
    EXPECT_FALSE(waits.Wait().ok());
    master.service->Join(Deadline::AfterMillis(1000));
    EXPECT_EQ(master.ps(0).Count("DeleteWorkerSession"), 1);
    EXPECT_EQ(master.ps(0).Count("DeregisterGraph"), 0);
    EXPECT_EQ(master.worker(1).Count("DeregisterGraph"), 0);
  });
}

}  // namespace
}  // namespace millrace
