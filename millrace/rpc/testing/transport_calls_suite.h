// A server for tests of transports, and calls to it.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "millrace/base/sim/sim.h"
#include "millrace/rpc/testing/transport_suite_server.h"
#include "millrace/rpc/transport.h"

namespace millrace {

// A listener with its services; in a simulation a process of its own.
class SuiteServer {
 public:
  SuiteServer(Transport& transport, const std::string& label, int port = 0)
      : worker(label) {
    SimWorld* world = SimWorld::Current();
    SimProcessScope process(world ? world->AddProcess(label) : 0);
    auto opened = transport.Listen({.port = port},
                                   {.master = &master, .worker = &worker});
    EXPECT_TRUE(opened.ok()) << opened.status();
    listener = *std::move(opened);
  }
  const std::string& address() const { return listener->address(); }

  SuiteWorker worker;
  SuiteMaster master;
  std::unique_ptr<Listener> listener;
};

// A call in flight, or ended.
class SuiteCall {
 public:
  SuiteCall(Caller& caller, absl::string_view key,
            Deadline deadline = Deadline::Infinite()) {
    context_.deadline = deadline;
    context_.cancel = &scope;
    Start(caller, key);
  }
  ~SuiteCall() { done_.Wait(); }

  const Status& Wait() {
    done_.Wait();
    return status_;
  }
  bool done() const { return done_.HasBeenNotified(); }
  // Returns whether the call ended on a thread that may run Dones.
  bool on_control() const { return on_control_; }

  CancelScope scope;
  RecvTensorReply reply;

 private:
  void Start(Caller& caller, absl::string_view key) {
    stub_ = MakeWorkerStub(&caller);
    request_.rendezvous_key = std::string(key);
    request_.request_id = 77;
    stub_->RecvTensor(context_, request_, &reply, [this](Status s) {
      on_control_ = MayHandleCalls();
      status_ = std::move(s);
      done_.Notify();
    });
  }

  std::unique_ptr<WorkerApi> stub_;
  CallContext context_;
  RecvTensorRequest request_;
  bool on_control_ = false;
  Status status_;
  Notification done_;
};

// Returns the label of the server behind `caller`.
inline StatusOr<std::string> AskLabel(Caller& caller) {
  const auto stub = MakeWorkerStub(&caller);
  CallContext context;
  GetStatusReply reply;
  Status status;
  Notification done;
  stub->GetStatus(context, {}, &reply, [&](Status s) {
    status = std::move(s);
    done.Notify();
  });
  done.Wait();
  MR_RETURN_IF_ERROR(status);
  return reply.device_attributes.at(0).name;
}

}  // namespace millrace
