#include "millrace/cluster/master/run/prepare_run.h"

#include <utility>

#include "millrace/base/threads/event_threads.h"
#include "millrace/cluster/master/fan_out.h"
#include "millrace/cluster/master/run/run_parts.h"

namespace millrace {
namespace {

// Compiling takes about a microsecond per node: more nodes than this are
// compiled outside the control lane.
constexpr int kInlineNodes = 300;

using Register = FanOut<RegisterGraphRequest, RegisterGraphReply>;

class Preparation final : public RefCounted {
 public:
  Preparation(Ref<MasterSession> session, Ref<PreparedRun> run)
      : session_(std::move(session)), run_(std::move(run)) {}

  void Start() {
    session_->environment().in_flight.Add();
    session_->graph_turns().Run([self = Ref<Preparation>::Share(this)](
                                    SerialQueue::Turn turn) {
      self->turn_ = std::move(turn);
      // It may fold constants, so not on a thread that has others' events to
      // handle.
      if (self->session_->graph().state.graph().num_nodes() <= kInlineNodes &&
          EventThreads::HandOver()) {
        return self->Compile();
      }
      self->session_->environment().lanes().inter_op.Schedule(
          [self] { self->Compile(); });
    });
  }

 private:
  void Compile() {
    const Status closed = session_->closed();
    StatusOr<RunParts> parts =
        closed.ok() ? BuildRunParts(session_->graph().state, run_->signature,
                                    PartsOptions(*session_, *run_))
                    : StatusOr<RunParts>(closed);
    turn_.End();
    if (!parts.ok()) return End(parts.status());
    run_->feed_types = std::move(parts->feed_types);
    std::vector<Register::Call> calls;
    for (TaskPart& task : parts->tasks) {
      StatusOr<Ref<Peer>> peer = session_->peers().Find(task.task);
      if (!peer.ok()) return End(peer.status());
      Register::Call& call = calls.emplace_back();
      call.peer = *std::move(peer);
      call.request.session_handle = session_->handle();
      call.request.graph_def = std::move(task.graph);
      call.request.has_control_flow = task.has_control_flow;
      call.request.graph_options = session_->config().graph_options;
      call.request.create_worker_session_called = true;
      call.request.collective_graph_key = run_->collective_graph_key;
      call.request.config = session_->config();
      call.request.registration = session_->NewRegistration();
      run_->parts.push_back(
          {.peer = call.peer,
           .task = task.task.ToString(),
           .graph_handle = RegistrationHandle(call.request.registration),
           .edges = std::move(task.edges)});
    }
    run_->release = session_->graph_release();
    Register::Start(
        std::move(calls), &WorkerApi::RegisterGraph, Deadline::Infinite(),
        session_->scope(), &session_->environment().in_flight,
        [self = Ref<Preparation>::Share(this)](
            std::vector<Register::Call>& done) { self->OnRegistered(done); });
  }

  void OnRegistered(std::vector<Register::Call>& calls) {
    Status status;
    for (size_t i = 0; i < calls.size(); ++i) {
      if (calls[i].status.ok()) {
        run_->parts[i].graph_handle = calls[i].reply.graph_handle;
        continue;
      }
      UpdateStatus(status, WithTaskName(run_->parts[i], calls[i].status));
    }
    End(std::move(status));
  }

  void End(Status status) {
    if (!status.ok()) {
      session_->Forget(run_.get());
      // The reason for the session's end says more than the error that this end
      // caused in a call.
      const Status closed = session_->closed();
      if (!closed.ok()) status = closed;
    }
    run_->SetReady(std::move(status));
    InFlight& in_flight = session_->environment().in_flight;
    run_.reset();
    session_.reset();
    in_flight.Remove();
  }

  Ref<MasterSession> session_;
  Ref<PreparedRun> run_;
  SerialQueue::Turn turn_;
};

}  // namespace

RunPartsOptions PartsOptions(MasterSession& session, const PreparedRun& run) {
  return {.incarnation =
              [&session](absl::string_view device) {
                return session.graph().Incarnation(device);
              },
          .bfloat16_sendrecv =
              session.config().graph_options.enable_bfloat16_sendrecv,
          .rewrites = Rewrites::Of(session.config().graph_options),
          .device = session.environment().options.device,
          .kernels = session.environment().options.kernels,
          .self = session.self(),
          .connections = run.connections};
}

void PrepareRun(Ref<MasterSession> session, Ref<PreparedRun> run) {
  MakeRef<Preparation>(std::move(session), std::move(run))->Start();
}

}  // namespace millrace
