#include "millrace/cluster/admin_service.h"

#include <algorithm>
#include <utility>

#include "millrace/base/log.h"

namespace millrace {
namespace {
constexpr int kDefaultWaits = 20;
constexpr int kMostWaits = 10'000;
constexpr int64_t kMostGraceMs = 2'000;
}  // namespace

void AdminService::Stop(CallContext& context, const StopRequest& request,
                        StopReply*, Done done) {
  MR_LOG(Info) << "asked to stop by " << context.peer
               << (request.reason.empty() ? "" : ": ") << request.reason;
  target_->StopSoon(std::clamp<int64_t>(request.grace_ms, 0, kMostGraceMs),
                    request.reason);
  std::move(done)(OkStatus());
}

void AdminService::ServerStatus(CallContext&,
                                const ServerStatusRequest& request,
                                ServerStatusReply* reply, Done done) {
  const int waits = request.max_waits <= 0
                        ? kDefaultWaits
                        : std::min<int>(request.max_waits, kMostWaits);
  target_->FillStatus(waits, reply);
  std::move(done)(OkStatus());
}

}  // namespace millrace
