// AdminService: answers millrace.Admin, which stops a server, inspects it, and
// traces its cluster.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "millrace/cluster/trace/tracer.h"
#include "millrace/protocol/peer.h"

namespace millrace {

// The interface by which the admin service asks its server. Thread-safe.
class AdminTarget {
 public:
  virtual ~AdminTarget() = default;
  // Begins to stop the server, and returns without waiting.
  virtual void BeginStop(int64_t grace_ms, const std::string& reason) = 0;
  virtual void FillStatus(int max_waits, ServerStatusReply* reply) = 0;

  virtual std::string TaskText() const = 0;  // "/job:ps/replica:0/task:0"
  virtual const std::shared_ptr<Tracer>& tracer() const = 0;
  // Returns FAILED_PRECONDITION as long as the server does not know its
  // cluster.
  virtual StatusOr<std::vector<TraceTask>> ClusterTasks() const = 0;
  // Returns a stub for the server at an address of the cluster.
  virtual std::shared_ptr<AdminApi> StubFor(const std::string& address) = 0;
  // Returns the running steps of this task's sessions, with what they wait for.
  virtual std::vector<ServerWait> StepWaits(int max) = 0;
};

// Forwards calls about traces that are meant for another task, so that a caller
// that reaches one server of a cluster reaches all, and clocks are compared
// between servers. `target` must outlive it. Thread-safe.
class AdminService final : public AdminApi {
 public:
  explicit AdminService(AdminTarget* target) : target_(target) {}

  void Stop(CallContext& context, const StopRequest& request, StopReply* reply,
            Done done) override;
  void ServerStatus(CallContext& context, const ServerStatusRequest& request,
                    ServerStatusReply* reply, Done done) override;
  void StartTrace(CallContext& context, const StartTraceRequest& request,
                  StartTraceReply* reply, Done done) override;
  void CollectTrace(CallContext& context, const CollectTraceRequest& request,
                    CollectTraceReply* reply, Done done) override;

 private:
  // Answers or forwards a call that is not for this task. Returns false, with
  // `done` untouched, if it is for this task.
  template <class Request, class Reply>
  bool PassOn(void (AdminApi::*method)(CallContext&, const Request&, Reply*,
                                       Done),
              CallContext& context, const Request& request, Reply* reply,
              Done& done);

  AdminTarget* const target_;
};

}  // namespace millrace
