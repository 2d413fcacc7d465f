// The service millrace.Admin: stop a server, look into it, trace its cluster.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "millrace/cluster/trace/tracer.h"
#include "millrace/protocol/peer.h"

namespace millrace {

// What a server does for its admin service. Thread-safe.
class AdminTarget {
 public:
  virtual ~AdminTarget() = default;
  // Begins to stop the server and returns.
  virtual void StopSoon(int64_t grace_ms, const std::string& reason) = 0;
  virtual void FillStatus(int max_waits, ServerStatusReply* reply) = 0;

  virtual std::string TaskText() const = 0;  // "/job:ps/replica:0/task:0"
  virtual const std::shared_ptr<Tracer>& tracer() const = 0;
  // FAILED_PRECONDITION as long as the server has not learned its cluster.
  virtual StatusOr<std::vector<TraceTask>> ClusterTasks() const = 0;
  // Calls to the server at an address of the cluster.
  virtual std::shared_ptr<AdminApi> Reach(const std::string& address) = 0;
  // Steps of this task's sessions that run, with what they wait for.
  virtual std::vector<ServerWait> StepWaits(int max) = 0;
};

// Calls about traces that are meant for another task are passed on to it, so
// that who reaches one server of a cluster reaches all, and clocks are compared
// between servers. `target` outlives it. Thread-safe.
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
  // Answers or passes on what is not for this task; false, `done` untouched,
  // if it is.
  template <class Request, class Reply>
  bool PassOn(void (AdminApi::*method)(CallContext&, const Request&, Reply*,
                                       Done),
              CallContext& context, const Request& request, Reply* reply,
              Done& done);

  AdminTarget* const target_;
};

}  // namespace millrace
