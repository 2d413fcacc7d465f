#include "millrace/cluster/master/extend_graph.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "millrace/base/log.h"
#include "millrace/cluster/master/close_session.h"
#include "millrace/cluster/master/fan_out.h"
#include "millrace/cluster/master/graph_tasks.h"
#include "millrace/cluster/master/join_tasks.h"
#include "millrace/graph/graph_proto.h"

namespace millrace {
namespace {

// A request with more nodes, or more bytes to take a fingerprint of, is handled
// outside the control lane.
constexpr size_t kInlineNodes = 300;
constexpr size_t kInlineBytes = 256 << 10;
constexpr int64_t kCreateWorkerSessionMs = 5'000;

// Returns a deadline early enough that the reply, which names the missing
// tasks, arrives before the client's own deadline ends the call without that.
Deadline BeforeClient(Deadline client) {
  if (client.infinite()) return client;
  const int64_t left = client.remaining_nanos();
  const int64_t margin =
      std::clamp<int64_t>(left / 20, 10'000'000, 200'000'000);
  return Deadline::At(client.nanos() - margin);
}

using Create = FanOut<CreateWorkerSessionRequest, CreateWorkerSessionReply>;

class Extension final : public RefCounted {
 public:
  Extension(Ref<MasterSession> session, CallContext& context,
            const GraphDef& def, std::optional<int64_t> expected_version,
            ExtendDone done)
      : session_(std::move(session)),
        context_(context),
        def_(def),
        expected_version_(expected_version),
        scope_(session_->scope()),
        done_(std::move(done)) {}

  void Start() {
    session_->environment().in_flight.Add();
    if (context_.cancel != nullptr) {
      CancelScope::Registration registration = context_.cancel->Register(
          [self = Ref<Extension>::Share(this)] { self->OnCancel(); });
      if (!registration.ok()) {
        ended_wait_.store(true);
        return End(registration.status);
      }
      token_ = registration.token;
    }
    session_->graph_turns().Run(
        [self = Ref<Extension>::Share(this)](SerialQueue::Turn turn) {
          if (self->ended_wait_.exchange(true)) return;  // cancelled
          self->turn_ = std::move(turn);
          self->Begin();
        });
  }

 private:
  void OnCancel() {
    Status reason = context_.cancel->status();
    if (!ended_wait_.exchange(true)) {
      // It still waits for its turn.
      session_->environment().lanes().control.Schedule(
          [self = Ref<Extension>::Share(this), reason] { self->End(reason); });
    } else {
      scope_.Cancel(std::move(reason));
    }
  }

  void Begin() {
    SessionGraph& graph = session_->graph();
    const Status closed = session_->closed();
    if (!closed.ok()) return End(closed);
    if (graph.last_extension && expected_version_ == graph.version - 1) {
      return WhereItBelongs(&Extension::AnswerAgain);
    }
    if (expected_version_ && *expected_version_ != graph.version) {
      return Refuse();
    }
    JoinOptions join;
    join.who = absl::StrCat("session ", session_->handle());
    join.deadline = Deadline::Min(
        BeforeClient(context_.deadline),
        Deadline::AfterMillis(session_->environment().options.session_wait_ms));
    for (const TaskName& task :
         TasksOfGraph(def_, session_->self(), session_->peers().cluster(),
                      session_->filter())) {
      if (graph.tasks.contains(task)) continue;
      StatusOr<Ref<Peer>> peer = session_->peers().Find(task);
      if (!peer.ok()) return End(peer.status());
      join.peers.push_back(*peer);
      new_tasks_.push_back(*std::move(peer));
    }
    JoinTasks(
        session_->environment(), std::move(join), &scope_,
        [self = Ref<Extension>::Share(this)](std::vector<Status> statuses) {
          self->OnJoined(JoinStatus(statuses));
        });
  }

  void AnswerAgain() {
    SessionGraph& graph = session_->graph();
    if (TakeFingerprint() != *graph.last_extension) return Refuse();
    End(graph.version);
  }

  void Refuse() {
    End(Aborted("Current version is ", session_->graph().version,
                " but caller expected ", *expected_version_));
  }

  void OnJoined(Status status) {
    if (!status.ok()) return End(std::move(status));
    std::vector<Create::Call> calls;
    for (const Ref<Peer>& peer : new_tasks_) {
      Create::Call& call = calls.emplace_back();
      call.peer = peer;
      FillRequest(peer->task(), &call.request);
    }
    Create::Start(
        std::move(calls), &WorkerApi::CreateWorkerSession,
        Deadline::Min(context_.deadline,
                      Deadline::AfterMillis(kCreateWorkerSessionMs)),
        &scope_, &session_->environment().in_flight,
        [self = Ref<Extension>::Share(this)](std::vector<Create::Call>& done) {
          self->OnCreated(done);
        });
  }

  void FillRequest(const TaskName& task, CreateWorkerSessionRequest* request) {
    const ConfigOptions& config = session_->config();
    const MasterOptions& options = session_->environment().options;
    request->session_handle = session_->handle();
    request->server_def.job_name = task.job;
    request->server_def.task_index = task.index;
    request->server_def.protocol = "grpc";
    request->server_def.default_session_config = config;
    request->isolate_session_state = config.isolate_session_state;
    if (session_->is_propagated()) {
      request->server_def.cluster = session_->peers().cluster().ToDef();
      request->isolate_session_state |=
          !config.experimental.share_session_state_in_clusterspec_propagation;
    }
    if (config.share_cluster_devices_in_session ||
        config.experimental.share_cluster_devices_in_session) {
      request->cluster_device_attributes = session_->graph().attributes;
      for (const Ref<Peer>& peer : new_tasks_) {
        for (DeviceAttributes& device : peer->devices()) {
          request->cluster_device_attributes.push_back(std::move(device));
        }
      }
    }
    request->master_task = session_->self().ToString();
    request->master_incarnation = static_cast<int64_t>(options.incarnation);
  }

  void OnCreated(std::vector<Create::Call>& calls) {
    Status status;
    for (Create::Call& call : calls) {
      UpdateStatus(status, call.status);
      // If the call failed, the worker may have created the session all the
      // same, or may still do so: it is told of the session's end, too.
      if (session_->AddWorkerSession(call.peer)) {
        if (call.status.ok()) session_->graph().AddTask(*call.peer);
      } else {
        DeleteWorkerSessions(session_->environment(), session_->handle(),
                             {call.peer}, [] {});
      }
    }
    if (!status.ok()) return End(std::move(status));
    WhereItBelongs(&Extension::AddNodes);
  }

  void WhereItBelongs(void (Extension::*next)()) {
    bool is_long = def_.nodes.size() > kInlineNodes;
    if (!is_long && expected_version_) {
      encoded_ = EncodeGraphDef(def_);
      is_long = encoded_.size_bytes() > kInlineBytes;
    }
    if (!is_long) return (this->*next)();
    session_->environment().lanes().inter_op.Schedule(
        [self = Ref<Extension>::Share(this), next] { (self.get()->*next)(); });
  }

  Fingerprint TakeFingerprint() {
    if (encoded_.size_bytes() == 0) encoded_ = EncodeGraphDef(def_);
    return FingerprintOf(encoded_);
  }

  void AddNodes() {
    const Status cancelled = scope_.status();
    if (!cancelled.ok()) return End(cancelled);
    SessionGraph& graph = session_->graph();
    const ConfigOptions& config = session_->config();
    PlacementOptions placement;
    placement.default_task = session_->self().AsDeviceName();
    placement.allow_soft_placement = config.allow_soft_placement;
    absl::AnyInvocable<void(const std::string&)> log =
        [](const std::string& line) { MR_LOG(Info) << line; };
    if (config.log_device_placement) placement.log = &log;
    const bool nothing = def_.nodes.empty() && def_.library.functions.empty();
    if (!nothing || expected_version_) {
      const Status status = graph.state.Extend(def_, graph.devices, placement);
      if (!status.ok()) return End(status);
    }
    if (expected_version_) {
      graph.last_extension = TakeFingerprint();
      ++graph.version;
    }
    End(graph.version);
  }

  void End(StatusOr<int64_t> result) {
    // After this no callback runs or will run, unless this is called from it.
    const CancelScope::Token token = token_.load();
    if (token != 0) context_.cancel->Unregister(token);
    turn_.End();
    std::exchange(done_, nullptr)(std::move(result));
    InFlight& in_flight = session_->environment().in_flight;
    new_tasks_.clear();
    in_flight.Remove();
  }

  const Ref<MasterSession> session_;
  CallContext& context_;
  const GraphDef& def_;
  const std::optional<int64_t> expected_version_;
  CancelScope scope_;
  ExtendDone done_;
  std::atomic<CancelScope::Token> token_{0};
  std::atomic<bool> ended_wait_{false};
  SerialQueue::Turn turn_;
  std::vector<Ref<Peer>> new_tasks_;
  ByteChunks encoded_;  // def_ encoded, once that is needed
};

}  // namespace

void ExtendGraph(Ref<MasterSession> session, CallContext& context,
                 const GraphDef& def, std::optional<int64_t> expected_version,
                 ExtendDone done) {
  MakeRef<Extension>(std::move(session), context, def, expected_version,
                     std::move(done))
      ->Start();
}

}  // namespace millrace
