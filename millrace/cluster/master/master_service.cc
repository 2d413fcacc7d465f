#include "millrace/cluster/master/master_service.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "millrace/base/log.h"
#include "millrace/cluster/master/close_session.h"
#include "millrace/cluster/master/extend_graph.h"
#include "millrace/cluster/master/list_devices.h"
#include "millrace/cluster/master/reset_containers.h"
#include "millrace/cluster/master/run/master_step.h"
#include "millrace/cluster/master/run/partial_step.h"
#include "millrace/cluster/master/session_config.h"
#include "millrace/protocol/method.h"

namespace millrace {
namespace {

class MasterServiceImpl final : public MasterService {
 public:
  explicit MasterServiceImpl(MasterOptions options)
      : environment_(std::move(options)) {}

  ~MasterServiceImpl() override {
    const Status reason = Aborted("The server ended");
    Stop(reason);
    CancelRuns(reason, Workers::kNotTold);
    Join(Deadline::AfterMillis(0));
  }

  void CreateSession(CallContext& context, const CreateSessionRequest& request,
                     CreateSessionReply* reply, Done done) override {
    const Status stopped = Check();
    if (!stopped.ok()) return std::move(done)(stopped);
    StatusOr<Ref<MasterSession>> made = MasterSession::Make(
        environment_,
        SessionConfig(request.config,
                      environment_.options.default_session_config),
        request.target);
    if (!made.ok()) return Answer(std::move(done), made.status());
    const Ref<MasterSession> session = *std::move(made);
    // Reset and the server's end find it from now on, though the client does
    // not know it yet.
    {
      MutexLock lock(mu_);
      if (!stopped_.ok()) {
        const Status reason = stopped_;
        lock.Unlock();
        return std::move(done)(reason);
      }
      sessions_[session->handle()] = session;
    }
    ExtendGraph(session, context, request.graph_def, std::nullopt,
                [this, session, reply,
                 done = std::move(done)](StatusOr<int64_t> version) mutable {
                  if (version.ok()) {
                    reply->session_handle = session->handle();
                    reply->graph_version = *version;
                    return std::move(done)(OkStatus());
                  }
                  Remove(session->handle());
                  const Status status = version.status();
                  millrace::CloseSession(session, status, [] {});
                  Answer(std::move(done), status);
                });
  }

  void ExtendSession(CallContext& context, const ExtendSessionRequest& request,
                     ExtendSessionReply* reply, Done done) override {
    const Ref<MasterSession> session = Find(request.session_handle);
    if (!session) return Unknown(request.session_handle, std::move(done));
    ExtendGraph(
        session, context, request.graph_def, request.current_graph_version,
        [reply, done = std::move(done)](StatusOr<int64_t> version) mutable {
          if (version.ok()) reply->new_graph_version = *version;
          Answer(std::move(done), version.status());
        });
  }

  void PartialRunSetup(CallContext&, const PartialRunSetupRequest& request,
                       PartialRunSetupReply* reply, Done done) override {
    const Ref<MasterSession> session = Find(request.session_handle);
    if (!session) return Unknown(request.session_handle, std::move(done));
    const Status stopped = Check();
    if (!stopped.ok()) return std::move(done)(stopped);
    PartialStep::Setup(
        session, request,
        [reply, done = std::move(done)](StatusOr<std::string> handle) mutable {
          if (handle.ok()) reply->partial_run_handle = *handle;
          Answer(std::move(done), handle.status());
        });
  }

  void RunStep(CallContext& context, const RunStepRequest& request,
               RunStepReply* reply, Done done) override {
    const bool in_body = request.store_errors_in_response_body;
    Ref<MasterSession> session = Find(request.session_handle);
    if (!session) return Unknown(request.session_handle, std::move(done));
    const Status stopped = Check();
    if (!stopped.ok()) {
      return AnswerStep(stopped, in_body, reply, std::move(done));
    }
    if (!request.partial_run_handle.empty()) {
      return RunPartially(session, context, request, reply, std::move(done));
    }
    StepRequest step{.options = &request.options,
                     .feeds = {},
                     .request_id = request.request_id};
    step.feeds.reserve(request.feeds.size());
    for (const NamedTensor& feed : request.feeds) {
      step.feeds.push_back(feed.tensor);
    }
    Ref<PreparedRun> run = session->Prepare(request);
    MasterStep::Start(
        std::move(session), std::move(run), context, std::move(step),
        [&request, reply, done = std::move(done)](
            Status status, std::vector<Tensor> fetches,
            RunMetadata* metadata) mutable {
          if (status.ok()) {
            reply->tensors.reserve(fetches.size());
            for (size_t i = 0; i < fetches.size(); ++i) {
              reply->tensors.push_back(
                  {request.fetches[i], std::move(fetches[i])});
            }
            if (metadata != nullptr) reply->metadata = std::move(*metadata);
          }
          AnswerStep(std::move(status), request.store_errors_in_response_body,
                     reply, std::move(done));
        });
  }

  void CloseSession(CallContext&, const CloseSessionRequest& request,
                    CloseSessionReply*, Done done) override {
    const Ref<MasterSession> session = Remove(request.session_handle);
    if (!session) return Unknown(request.session_handle, std::move(done));
    millrace::CloseSession(
        session,
        Cancelled("Step was cancelled by an explicit call to "
                  "`Session::Close()`. Session has been closed."),
        [done = std::move(done)]() mutable { std::move(done)(OkStatus()); });
  }

  void ListDevices(CallContext& context, const ListDevicesRequest& request,
                   ListDevicesReply* reply, Done done) override {
    Ref<MasterSession> session = Find(request.session_handle);
    if (!session) return Unknown(request.session_handle, std::move(done));
    millrace::ListDevices(std::move(session), context, reply, std::move(done));
  }

  void Reset(CallContext& context, const ResetRequest& request, ResetReply*,
             Done done) override {
    const Status stopped = Check();
    if (!stopped.ok()) return std::move(done)(stopped);
    StatusOr<TaskFilter> filter =
        TaskFilter::Make(request.device_filters, environment_.options.self);
    if (!filter.ok()) return std::move(done)(filter.status());
    CloseAll(Aborted("The session was closed by a reset of containers"),
             Workers::kTold);
    ResetContainers(environment_, request.containers, *filter, context,
                    [done = std::move(done)](Status status) mutable {
                      Answer(std::move(done), std::move(status));
                    });
  }

  void MakeCallable(CallContext& context, const MakeCallableRequest& request,
                    MakeCallableReply* reply, Done done) override {
    const Ref<MasterSession> session = Find(request.session_handle);
    if (!session) return Unknown(request.session_handle, std::move(done));
    const CallableOptions& options = request.options;
    if (!options.feed_devices.empty() || !options.fetch_devices.empty()) {
      return std::move(done)(Unimplemented(
          "Callables of a cluster session take and give values in the "
          "client's memory: feed_devices and fetch_devices must be empty"));
    }
    const Status alive = context.Check();
    if (!alive.ok()) return std::move(done)(alive);
    const Ref<PreparedRun> run = session->Prepare(options);
    environment_.in_flight.Add();
    run->WhenReady([this, session, run, &request, reply,
                    done = std::move(done)](Status status) mutable {
      if (status.ok()) {
        reply->handle = session->AddCallable(request.options, run);
      }
      Answer(std::move(done), std::move(status));
      environment_.in_flight.Remove();
    });
  }

  void RunCallable(CallContext& context, const RunCallableRequest& request,
                   RunCallableReply* reply, Done done) override {
    const Ref<MasterSession> session = Find(request.session_handle);
    if (!session) return Unknown(request.session_handle, std::move(done));
    const Status stopped = Check();
    if (!stopped.ok()) return std::move(done)(stopped);
    auto callable = session->FindCallable(request.handle);
    if (!callable.ok()) return std::move(done)(callable.status());
    MasterStep::Start(session, (*callable)->run, context,
                      {.options = &(*callable)->options.run_options,
                       .feeds = request.feeds,
                       .request_id = request.request_id},
                      [reply, callable = *callable, done = std::move(done)](
                          Status status, std::vector<Tensor> fetches,
                          RunMetadata* metadata) mutable {
                        if (status.ok()) {
                          reply->fetches = std::move(fetches);
                          if (metadata != nullptr)
                            reply->metadata = std::move(*metadata);
                        }
                        Answer(std::move(done), std::move(status));
                      });
  }

  void ReleaseCallable(CallContext&, const ReleaseCallableRequest& request,
                       ReleaseCallableReply*, Done done) override {
    const Ref<MasterSession> session = Find(request.session_handle);
    if (!session) return Unknown(request.session_handle, std::move(done));
    session->RemoveCallable(request.handle);
    std::move(done)(OkStatus());
  }

  MasterCounts counts() override {
    MasterCounts counts;
    for (const Ref<MasterSession>& session : Sessions()) {
      ++counts.sessions;
      counts.running_steps += session->num_steps();
      counts.prepared_runs += session->num_prepared_runs();
    }
    return counts;
  }

  std::vector<ServerWait> waits(int max) override {
    std::vector<ServerWait> waits;
    const int64_t now = NowNanos();
    for (const Ref<MasterSession>& session : Sessions()) {
      for (const Ref<MasterStep>& step : session->Steps()) {
        waits.push_back({.kind = "step",
                         .text = absl::StrCat("session ", session->handle(),
                                              " ", step->Describe()),
                         .waiting_ms = (now - step->start_nanos()) / 1'000'000,
                         .step_id = step->step_id()});
      }
      for (const Ref<PartialStep>& step : session->partial_steps().All()) {
        const int64_t since = step->waiting_since_nanos();
        if (since == 0) continue;
        waits.push_back({.kind = "step",
                         .text = absl::StrCat("session ", session->handle(),
                                              " waits for a call of partial "
                                              "run ",
                                              step->handle()),
                         .waiting_ms = (now - since) / 1'000'000,
                         .step_id = step->step_id()});
      }
    }
    std::stable_sort(waits.begin(), waits.end(),
                     [](const ServerWait& a, const ServerWait& b) {
                       return a.waiting_ms > b.waiting_ms;
                     });
    if (waits.size() > static_cast<size_t>(max)) waits.resize(max);
    return waits;
  }

  void Stop(Status reason) override {
    MutexLock lock(mu_);
    if (stopped_.ok()) stopped_ = std::move(reason);
  }

  bool WaitForSteps(Deadline deadline) override {
    return environment_.steps.WaitForNone(deadline);
  }

  void CancelRuns(Status reason, Workers workers) override {
    if (workers == Workers::kNotTold) environment_.background.Cancel(reason);
    CloseAll(reason, workers);
  }

  void Join(Deadline deadline) override {
    if (!environment_.in_flight.WaitForNone(deadline)) {
      environment_.background.Cancel(Aborted("The server ended"));
      environment_.in_flight.WaitForNone(Deadline::Infinite());
    }
  }

 private:
  void RunPartially(const Ref<MasterSession>& session, CallContext& context,
                    const RunStepRequest& request, RunStepReply* reply,
                    Done done) {
    const Ref<PartialStep> step =
        session->partial_steps().Find(request.partial_run_handle);
    if (!step) {
      return AnswerStep(
          InvalidArgument(
              "Must run PartialRunSetup before performing partial runs: there "
              "is none with the handle '",
              request.partial_run_handle, "'"),
          request.store_errors_in_response_body, reply, std::move(done));
    }
    step->Run(context, request,
              [&request, reply, done = std::move(done)](
                  Status status, std::vector<Tensor> fetches) mutable {
                for (size_t i = 0; i < fetches.size(); ++i) {
                  reply->tensors.push_back(
                      {request.fetches[i], std::move(fetches[i])});
                }
                AnswerStep(std::move(status),
                           request.store_errors_in_response_body, reply,
                           std::move(done));
              });
  }

  // Answers with a status that a client may see as that of an RPC.
  static void Answer(Done done, Status status) {
    if (!status.ok()) status = CutMessage(StatusForClient(status));
    std::move(done)(std::move(status));
  }

  static void AnswerStep(Status status, bool in_body, RunStepReply* reply,
                         Done done) {
    if (status.ok() || !in_body) {
      return Answer(std::move(done), std::move(status));
    }
    reply->status = CutMessage(status, kMaxBodyMessageBytes);
    std::move(done)(OkStatus());
  }

  // Names this task, since it is the one that does not know the session.
  void Unknown(const std::string& handle, Done done) const {
    const MasterOptions& options = environment_.options;
    const StatusOr<std::string> address =
        options.peers->cluster().Address(options.self);
    std::move(done)(Aborted("Session ", handle, " is not found. Possibly task ",
                            options.self.ToString(), " (",
                            address.ok() ? *address : "at an unknown address",
                            ") was restarted."));
  }

  Status Check() {
    MutexLock lock(mu_);
    return stopped_;
  }

  Ref<MasterSession> Find(const std::string& handle) {
    MutexLock lock(mu_);
    const auto found = sessions_.find(handle);
    return found == sessions_.end() ? nullptr : found->second;
  }

  Ref<MasterSession> Remove(const std::string& handle) {
    MutexLock lock(mu_);
    const auto found = sessions_.find(handle);
    if (found == sessions_.end()) return nullptr;
    Ref<MasterSession> session = std::move(found->second);
    sessions_.erase(found);
    return session;
  }

  std::vector<Ref<MasterSession>> Sessions() {
    std::vector<Ref<MasterSession>> all;
    MutexLock lock(mu_);
    all.reserve(sessions_.size());
    for (const auto& [handle, session] : sessions_) all.push_back(session);
    return all;
  }

  void CloseAll(const Status& reason, Workers workers) {
    std::vector<Ref<MasterSession>> all = Sessions();
    {
      MutexLock lock(mu_);
      sessions_.clear();
    }
    // Sorts by an order that does not depend on addresses in memory.
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
      return a->handle() < b->handle();
    });
    for (const Ref<MasterSession>& session : all) {
      if (workers == Workers::kTold) {
        millrace::CloseSession(session, reason, [] {});
      } else {
        session->MarkClosed(reason);
      }
    }
  }

  MasterEnvironment environment_;

  Mutex mu_;  // guards all below
  Status stopped_;
  absl::flat_hash_map<std::string, Ref<MasterSession>> sessions_;
};

}  // namespace

std::unique_ptr<MasterService> MasterService::Make(MasterOptions options) {
  return std::make_unique<MasterServiceImpl>(std::move(options));
}

}  // namespace millrace
