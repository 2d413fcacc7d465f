// How a server starts and stops.
#include <gtest/gtest.h>

#include "millrace/protocol/caller.h"
#include "tests/cluster/simulated_cluster.h"

namespace millrace {
namespace {

TEST(ServerLife, AdminStopsAServer) {
  Simulate([] {
    LoopbackCluster cluster({{"worker", 1}});
    cluster.StartAll();
    const std::shared_ptr<Caller> caller =
        cluster.network()->Connect(cluster.Address(kWorker0));
    const std::unique_ptr<AdminApi> admin = MakeAdminStub(caller.get());
    StopReply reply;
    EXPECT_TRUE(
        CallAndWait(*admin, &AdminApi::Stop, StopRequest{500, "test"}, &reply)
            .ok());
    cluster.server(kWorker0).Join();
    ServerStatusReply status;
    EXPECT_EQ(CallAndWait(*admin, &AdminApi::ServerStatus,
                          ServerStatusRequest{}, &status)
                  .code(),
              StatusCode::kUnavailable);
  });
}

TEST(ServerLife, AServerMayLearnItsClusterLate) {
  Simulate([] {
    const auto network = std::make_shared<LoopbackNetwork>();
    ServerOptions options;
    options.task = kWorker0;
    options.cluster_later = true;
    options.port = 0;
    options.transport = network;
    options.ops = &TestOps();
    options.kernels = &TestKernels();
    auto server = Server::Start(options);
    ASSERT_TRUE(server.ok()) << server.status();
    const std::string address = (*server)->target().substr(7);
    const std::shared_ptr<Caller> caller = network->Connect(address);
    const std::unique_ptr<MasterApi> master = MakeMasterStub(caller.get());
    CreateSessionReply reply;
    EXPECT_EQ(CallAndWait(*master, &MasterApi::CreateSession,
                          CreateSessionRequest{}, &reply)
                  .code(),
              StatusCode::kAborted);
    EXPECT_FALSE(
        (*server)->SetCluster(*ClusterSpec::Parse("ps=127.0.0.1:1")).ok());
    EXPECT_TRUE(
        (*server)
            ->SetCluster(*ClusterSpec::Parse(absl::StrCat("worker=", address)))
            .ok());
    EXPECT_TRUE(CallAndWait(*master, &MasterApi::CreateSession,
                            CreateSessionRequest{}, &reply)
                    .ok());
  });
}

TEST(ServerLife, ListensOnLoopbackUnlessTold) {
  ServerOptions options;
  options.cluster = *ClusterSpec::Parse("worker=example.com:2222");
  options.task = kWorker0;
  options.transport = std::make_shared<LoopbackNetwork>();
  options.ops = &TestOps();
  options.kernels = &TestKernels();
  EXPECT_EQ(Server::Start(options).status().code(),
            StatusCode::kFailedPrecondition);
  options.insecure = true;
  EXPECT_TRUE(Server::Start(options).ok());
  options.task = {"worker", 1};
  EXPECT_EQ(Server::Start(options).status().code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace millrace
