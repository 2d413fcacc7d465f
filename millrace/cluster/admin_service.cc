#include "millrace/cluster/admin_service.h"

#include <algorithm>
#include <utility>

#include "millrace/base/log.h"
#include "millrace/base/machine.h"
#include "millrace/base/version.h"

namespace millrace {
namespace {
constexpr int kDefaultWaits = 20;
constexpr int kMaxWaits = 10'000;
constexpr int64_t kMaxGraceMs = 2'000;

// A call in flight to another task. Uses nothing of this server, which may end
// before it does.
template <class Request, class Reply>
struct PassedOn {
  std::shared_ptr<AdminApi> to;
  std::shared_ptr<Tracer> tracer;  // for the clock
  CallContext context;
  Request request;
  int64_t sent_nanos = 0;
};

StatusOr<TraceTask> FindTask(const AdminTarget& target,
                             const std::string& name) {
  MR_ASSIGN_OR_RETURN(const std::vector<TraceTask> tasks,
                      target.ClusterTasks());
  for (const TraceTask& task : tasks) {
    if (task.task == name) return task;
  }
  return NotFound("The cluster has no task '", name, "'");
}

}  // namespace

void AdminService::Stop(CallContext& context, const StopRequest& request,
                        StopReply*, Done done) {
  MR_LOG(Info) << "asked to stop by "
               << (context.peer ? context.peer() : "somebody")
               << (request.reason.empty() ? "" : ": ") << request.reason;
  target_->BeginStop(std::clamp<int64_t>(request.grace_ms, 0, kMaxGraceMs),
                     request.reason);
  std::move(done)(OkStatus());
}

void AdminService::ServerStatus(CallContext&,
                                const ServerStatusRequest& request,
                                ServerStatusReply* reply, Done done) {
  const int waits = request.max_waits <= 0
                        ? kDefaultWaits
                        : std::min<int>(request.max_waits, kMaxWaits);
  target_->FillStatus(waits, reply);
  std::move(done)(OkStatus());
}

template <class Request, class Reply>
bool AdminService::PassOn(void (AdminApi::*method)(CallContext&, const Request&,
                                                   Reply*, Done),
                          CallContext& context, const Request& request,
                          Reply* reply, Done& done) {
  const std::string self = target_->TaskText();
  if (request.task.empty() || request.task == self) return false;
  if (request.relayed) {
    std::move(done)(FailedPrecondition("The server that was asked is ", self,
                                       " and not, as another server's cluster "
                                       "says, ",
                                       request.task));
    return true;
  }
  const StatusOr<TraceTask> task = FindTask(*target_, request.task);
  if (!task.ok()) {
    std::move(done)(task.status());
    return true;
  }
  auto call = std::make_shared<PassedOn<Request, Reply>>();
  call->to = target_->StubFor(task->address);
  call->tracer = target_->tracer();
  call->context.deadline = context.deadline;
  call->context.cancel = context.cancel;
  call->request = request;
  call->request.relayed = true;
  call->sent_nanos = call->tracer->now_nanos();
  PassedOn<Request, Reply>& c = *call;
  (c.to.get()->*method)(c.context, c.request, reply,
                        Done([call = std::move(call), reply,
                              done = std::move(done)](Status status) mutable {
                          if (status.ok()) {
                            reply->relay = {
                                .sent_nanos = call->sent_nanos,
                                .received_nanos = call->tracer->now_nanos()};
                          }
                          std::move(done)(std::move(status));
                        }));
  return true;
}

void AdminService::StartTrace(CallContext& context,
                              const StartTraceRequest& request,
                              StartTraceReply* reply, Done done) {
  if (PassOn(&AdminApi::StartTrace, context, request, reply, done)) return;
  Tracer& tracer = *target_->tracer();
  StatusOr<std::vector<TraceTask>> tasks = target_->ClusterTasks();
  Status status = tasks.status();
  if (status.ok()) status = tracer.Start(request);
  if (status.ok()) {
    reply->task = target_->TaskText();
    reply->version = kVersion;
    reply->machine = MachineId();
    reply->tasks = *std::move(tasks);
    reply->now_nanos = tracer.now_nanos();
    reply->relay = {.sent_nanos = reply->now_nanos,
                    .received_nanos = reply->now_nanos};
  }
  std::move(done)(std::move(status));
}

void AdminService::CollectTrace(CallContext& context,
                                const CollectTraceRequest& request,
                                CollectTraceReply* reply, Done done) {
  if (PassOn(&AdminApi::CollectTrace, context, request, reply, done)) return;
  Status status = target_->tracer()->Collect(request, reply);
  if (status.ok() && !request.only_progress) {
    for (const ServerWait& wait : target_->StepWaits(kMaxWaits)) {
      for (TracedStep& step : reply->steps) {
        if (step.step_id == wait.step_id && step.end_nanos == 0) {
          step.waits_for = wait.text;
        }
      }
    }
  }
  reply->relay = {.sent_nanos = reply->now_nanos,
                  .received_nanos = reply->now_nanos};
  std::move(done)(std::move(status));
}

}  // namespace millrace
