// The service millrace.Admin: stop a server, look into it.
#pragma once

#include <cstdint>
#include <string>

#include "millrace/protocol/peer.h"

namespace millrace {

// What a server does for its admin service. Thread-safe.
class AdminTarget {
 public:
  virtual ~AdminTarget() = default;
  // Begins to stop the server and returns.
  virtual void StopSoon(int64_t grace_ms, const std::string& reason) = 0;
  virtual void FillStatus(int max_waits, ServerStatusReply* reply) = 0;
};

// `target` outlives it. Thread-safe.
class AdminService final : public AdminApi {
 public:
  explicit AdminService(AdminTarget* target) : target_(target) {}

  void Stop(CallContext& context, const StopRequest& request, StopReply* reply,
            Done done) override;
  void ServerStatus(CallContext& context, const ServerStatusRequest& request,
                    ServerStatusReply* reply, Done done) override;

 private:
  AdminTarget* const target_;
};

}  // namespace millrace
