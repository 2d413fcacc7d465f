// A master whose workers are played by a test, and calls to it. For unit tests
// of the master.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "millrace/base/sim/sim.h"
#include "millrace/cluster/master/master_service.h"
#include "millrace/cluster/testing/fake_workers.h"
#include "millrace/graph/all_ops.h"
#include "millrace/kernel/all_kernels.h"

namespace millrace {

inline const OpRegistry& Ops() {
  static const OpRegistry* const ops =
      OpRegistry::Build(AllOps()).value().release();
  return *ops;
}
inline const KernelTable& Kernels() {
  static const KernelTable* const kernels =
      new KernelTable(KernelTable::Build(AllKernels()).value());
  return *kernels;
}

inline NodeDef Defined(std::string name, std::string op,
                       std::vector<std::string> inputs, AttrMap attrs,
                       std::string device) {
  return {std::move(name), std::move(op), std::move(inputs), std::move(device),
          std::move(attrs)};
}
inline NodeDef Const(std::string name, std::string device) {
  return Defined(std::move(name), "Const", {},
                 {{"dtype", DataType::kFloat}, {"value", Tensor::Scalar(1.0f)}},
                 std::move(device));
}
inline NodeDef Placeholder(std::string name, std::string device) {
  return Defined(std::move(name), "Placeholder", {},
                 {{"dtype", DataType::kFloat}, {"shape", PartialShape({})}},
                 std::move(device));
}
inline NodeDef Neg(std::string name, std::string input, std::string device) {
  return Defined(std::move(name), "Neg", {std::move(input)},
                 {{"T", DataType::kFloat}}, std::move(device));
}

// The master of worker 0 in a cluster of two ps and two workers; the test plays
// the workers. In virtual time.
class Master {
 public:
  explicit Master(MasterOptions options = {})
      : peers("ps=ps0:1,ps1:1;worker=worker0:1,worker1:1", {"worker", 0}) {
    options.self = {"worker", 0};
    options.incarnation = 77;
    options.peers = &peers;
    options.worker = &peers.at("worker", 0).worker();
    options.ops = &Ops();
    options.kernels = &Kernels();
    service = MasterService::Make(std::move(options));
  }

  // Calls and waits.
  template <class Request, class Reply>
  Status Call(void (MasterApi::*method)(CallContext&, const Request&, Reply*,
                                        Done),
              const Request& request, Reply* reply,
              Deadline deadline = Deadline::Infinite()) {
    CallContext context;
    context.deadline = deadline;
    Status status;
    Notification answered;
    (*service.*method)(context, request, reply, Done([&](Status s) {
                         status = std::move(s);
                         answered.Notify();
                       }));
    answered.Wait();
    return status;
  }
  StatusOr<std::string> Create(std::vector<NodeDef> nodes,
                               ConfigOptions config = {},
                               Deadline deadline = Deadline::Infinite()) {
    CreateSessionRequest request;
    request.graph_def.nodes = std::move(nodes);
    request.config = std::move(config);
    request.target = "grpc://worker0:1";
    CreateSessionReply reply;
    MR_RETURN_IF_ERROR(
        Call(&MasterApi::CreateSession, request, &reply, deadline));
    EXPECT_EQ(reply.graph_version, 0);
    return reply.session_handle;
  }
  StatusOr<int64_t> Extend(const std::string& handle,
                           std::vector<NodeDef> nodes, int64_t version) {
    ExtendSessionRequest request;
    request.session_handle = handle;
    request.graph_def.nodes = std::move(nodes);
    request.current_graph_version = version;
    ExtendSessionReply reply;
    MR_RETURN_IF_ERROR(Call(&MasterApi::ExtendSession, request, &reply));
    return reply.new_graph_version;
  }
  void RunThemselves() {
    for (const Ref<Peer>& peer : peers.All()) {
      static_cast<FakePeer&>(*peer).fake.runs_itself = true;
    }
  }
  FakeWorker& ps(int i) { return peers.at("ps", i).fake; }
  FakeWorker& worker(int i) { return peers.at("worker", i).fake; }

  FakePeers peers;
  std::unique_ptr<MasterService> service;
};

// A RunStep that runs while the test does other things.
class Step {
 public:
  Step(Master& master, RunStepRequest r) : request(std::move(r)) {
    request.store_errors_in_response_body = true;
    context.cancel = &cancel;
    master.service->RunStep(context, request, &reply, Done([this](Status s) {
                              rpc_status = std::move(s);
                              answered.Notify();
                            }));
  }
  // Returns the step's status, which is in the body.
  Status Wait() {
    answered.Wait();
    EXPECT_TRUE(rpc_status.ok()) << rpc_status;
    return rpc_status.ok() ? reply.status : rpc_status;
  }
  RunStepRequest request;
  RunStepReply reply;
  CancelScope cancel;
  CallContext context;
  Status rpc_status;
  Notification answered;
};

inline RunStepRequest Fetch(std::string handle,
                            std::vector<std::string> fetches) {
  RunStepRequest request;
  request.session_handle = std::move(handle);
  request.fetches = std::move(fetches);
  return request;
}

inline void Simulate(absl::AnyInvocable<void()> body) {
  Ops();
  Kernels();
  const SimResult result = SimWorld({.seed = 5}).Run(std::move(body));
  EXPECT_TRUE(result.status.ok()) << result.Report();
}

inline int64_t Millis() { return NowNanos() / 1'000'000; }

}  // namespace millrace
