// ServiceGate: a server's services before the server knows its cluster.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "millrace/cluster/traffic.h"
#include "millrace/protocol/master.h"
#include "millrace/protocol/worker.h"

namespace millrace {

// A server listens before it knows its cluster (so that a launcher can learn
// its port). Until Open each call to the master fails with ABORTED and each
// call to the worker with UNAVAILABLE, so that peers retry; afterwards calls
// pass. Counts the tensors that peers send and fetch. Thread-safe.
class ServiceGate final : public MasterApi, public WorkerApi {
 public:
  explicit ServiceGate(std::shared_ptr<Traffic> traffic)
      : traffic_(std::move(traffic)) {}

  // Lets calls pass to the two services, which must outlive the gate's calls.
  // Requires: called once.
  void Open(MasterApi* master, WorkerApi* worker) {
    worker_.store(worker, std::memory_order_release);
    master_.store(master, std::memory_order_release);
  }

#define MR_GATE(Name, api, closed)                                   \
  void Name(CallContext& context, const Name##Request& request,      \
            Name##Reply* reply, Done done) override {                \
    if (auto* behind = api.load(std::memory_order_acquire)) {        \
      return behind->Name(context, request, reply,                   \
                          Counted(request, reply, std::move(done))); \
    }                                                                \
    std::move(done)(                                                 \
        closed("This server has not learned its cluster yet; " #Name \
               " will be answered when it has"));                    \
  }
#define MR_GATE_MASTER(Name) MR_GATE(Name, master_, Aborted)
#define MR_GATE_WORKER(Name) MR_GATE(Name, worker_, Unavailable)
  MR_MASTER_METHODS(MR_GATE_MASTER)
  MR_WORKER_METHODS(MR_GATE_WORKER)
#undef MR_GATE_WORKER
#undef MR_GATE_MASTER
#undef MR_GATE

 private:
  template <class Request, class Reply>
  Done Counted(const Request& request, Reply* reply, Done done) {
    if constexpr (kCarriesTensors<Reply>) {
      traffic_->Received(request);
      return [traffic = traffic_, reply,
              done = std::move(done)](Status status) mutable {
        if (status.ok()) traffic->Sent(*reply);
        std::move(done)(std::move(status));
      };
    }
    return done;
  }

  const std::shared_ptr<Traffic> traffic_;
  std::atomic<MasterApi*> master_{nullptr};
  std::atomic<WorkerApi*> worker_{nullptr};
};

}  // namespace millrace
