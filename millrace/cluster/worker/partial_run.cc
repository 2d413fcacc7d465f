#include "millrace/cluster/worker/partial_run.h"

#include <atomic>
#include <utility>

#include "millrace/cluster/worker/run_graph.h"
#include "millrace/kernel/variable_view.h"

namespace millrace {

// One RunGraph of the run.
class PartialRun::Call : public RefCounted {
 public:
  Call(Ref<PartialRun> run, const RunGraphRequest& request)
      : run_(std::move(run)),
        request_(request),
        received_(request.recv_key.size()),
        pending_(1 + static_cast<int>(request.recv_key.size()) +
                 (request.is_last_partial_run ? 1 : 0)),
        calls_([this](Status reason) { run_->Cancel(reason); }) {}

  bool Attach(CallContext& context, RunGraphReply* reply, Done& done) {
    return calls_.Add(context, reply, done);
  }

  void Start() {
    const auto self = Ref<Call>::Share(this);
    Status sent;
    for (const NamedTensor& value : request_.send) {
      UpdateStatus(
          sent, run_->rendezvous_->Send(value.name, {.tensor = value.tensor}));
    }
    for (size_t i = 0; i < request_.recv_key.size(); ++i) {
      const std::string& key = request_.recv_key[i];
      run_->rendezvous_->RecvAsync(
          key, &run_->scope_,
          [self, &key, i](StatusOr<RendezvousValue> received) {
            Status status = received.status();
            if (status.ok() && received->is_dead) {
              const StatusOr<RendezvousKey> parsed = RendezvousKey::Parse(key);
              status = DeadFetch(parsed.ok() ? parsed->tensor_name : key);
            }
            if (received.ok()) self->received_[i] = std::move(received->tensor);
            self->PartDone(status);
          });
    }
    Status end;
    if (request_.is_last_partial_run && run_->WaitForEnd(self, &end))
      PartDone(end);
    PartDone(sent);
  }

  void PartDone(const Status& status) {
    if (!status.ok()) {
      MutexLock lock(mu_);
      UpdateStatus(status_, status);
    }
    if (pending_.fetch_sub(1, std::memory_order_acq_rel) > 1) return;
    Status outcome;
    {
      MutexLock lock(mu_);
      outcome = status_;
    }
    if (IsDerived(outcome) && run_->scope_.cancelled())
      outcome = run_->scope_.status();
    const auto self = Ref<Call>::Share(this);
    const bool over = request_.is_last_partial_run || !outcome.ok();
    if (!outcome.ok()) run_->Cancel(MarkDerived(outcome));
    if (over) run_->session_->RemovePartialRun(run_->step_id_);
    run_->requests_.End(request_.request_id);
    RunGraphReply reply;
    if (outcome.ok()) outcome = BindAll(absl::MakeSpan(received_), nullptr);
    for (size_t i = 0; outcome.ok() && i < received_.size(); ++i) {
      reply.recv.push_back({request_.recv_key[i], std::move(received_[i])});
    }
    if (request_.store_errors_in_response_body) {
      reply.status = std::move(outcome);
      outcome = OkStatus();
    }
    calls_.Complete(std::move(reply), outcome);
  }

 private:
  const Ref<PartialRun> run_;
  const RunGraphRequest& request_;
  std::vector<Tensor> received_;
  std::atomic<int> pending_;
  AttachedCalls<RunGraphReply> calls_;
  Mutex mu_;
  Status status_;  // guarded by mu_
};

void PartialRun::Serve(WorkerState& worker, Ref<WorkerSession> session,
                       std::shared_ptr<RegisteredGraph> graph,
                       CallContext& context, const RunGraphRequest& request,
                       RunGraphReply* reply, Done done) {
  StatusOr<Ref<PartialRun>> run = session->FindPartialRun(request.step_id);
  std::shared_ptr<const PlanSet> plans = graph->partial_plans();
  if (*run == nullptr && plans == nullptr) {
    // Building the plans of a large graph takes long.
    worker.lanes.inter_op.Schedule(
        [active = std::make_unique<ActiveCall>(worker),  // destroyed last
         &worker, session = std::move(session), graph = std::move(graph),
         &context, &request, reply, done = std::move(done)]() mutable {
          Status status = context.Check();
          if (status.ok()) {
            status = session->BuildPartialPlans(*graph).status();
          }
          if (status.ok()) {
            return Serve(worker, std::move(session), std::move(graph), context,
                         request, reply, std::move(done));
          }
          AnswerRunGraph(request, std::move(status), reply, std::move(done));
        });
    return;
  }
  if (*run == nullptr) {
    run =
        FindOrBegin(worker, session, graph, request.step_id, std::move(plans));
  }
  if (run.ok()) return (*run)->Take(context, request, reply, std::move(done));
  AnswerRunGraph(request, run.status(), reply, std::move(done));
}

// Of concurrent calls, the first one begins the run.
StatusOr<Ref<PartialRun>> PartialRun::FindOrBegin(
    WorkerState& worker, const Ref<WorkerSession>& session,
    const std::shared_ptr<RegisteredGraph>& graph, int64_t step_id,
    std::shared_ptr<const PlanSet> plans) {
  Ref<PartialRun> run;  // released after the lock
  MutexLock lock(session->partial_runs_begin());
  run = session->FindPartialRun(step_id);
  if (run != nullptr) return run;
  run = MakeRef<PartialRun>(worker, session, graph, step_id);
  MR_RETURN_IF_ERROR(run->Begin(std::move(plans)));
  return run;
}

void PartialRun::Take(CallContext& context, const RunGraphRequest& request,
                      RunGraphReply* reply, Done done) {
  auto call = MakeRef<Call>(Ref<PartialRun>::Share(this), request);
  const StatusOr<Ref<Call>> there = requests_.Begin(request.request_id, call);
  if (there.ok() && *there == nullptr) {
    call->Attach(context, reply, done);
    call->Start();
    return;
  }
  if (there.ok() && (*there)->Attach(context, reply, done)) return;
  AnswerRunGraph(
      request,
      there.ok()
          ? Aborted("The same request was received before, and has ended.")
          : there.status(),
      reply, std::move(done));
}

PartialRun::PartialRun(WorkerState& worker, Ref<WorkerSession> session,
                       std::shared_ptr<RegisteredGraph> graph, int64_t step_id)
    : active_(worker),
      worker_(worker),
      session_(std::move(session)),
      graph_(std::move(graph)),
      step_id_(step_id),
      scope_(&session_->scope()),
      requests_(4096) {}

PartialRun::~PartialRun() = default;

Status PartialRun::Begin(std::shared_ptr<const PlanSet> plans) {
  const auto self = Ref<PartialRun>::Share(this);
  MR_ASSIGN_OR_RETURN(
      step_, worker_.steps->BeginRun(step_id_, session_->handle(), self));
  rendezvous_ = MakeRef<RemoteRendezvous>(step_id_, session_->key_prefix(),
                                          step_->rendezvous, session_->peers(),
                                          Deadline::Infinite());
  // From here on other calls find it.
  session_->AddPartialRun(step_id_, self);
  worker_.masters->AddStep(session_->watch(), step_id_, self);
  CancelScope::Registration registration = scope_.Register([this] {
    worker_.lanes.control.Schedule([self = Ref<PartialRun>::Share(this)] {
      self->rendezvous_->StartAbort(MarkDerived(self->scope_.status()));
    });
  });
  abort_token_ = registration.token;
  environment_.step_id = step_id_;
  environment_.cancel = &scope_;
  environment_.rendezvous = rendezvous_.get();
  environment_.container = &container_;
  environment_.functions = graph_->functions();
  environment_.files = worker_.files;
  environment_.session_handle = session_->handle();
  environment_.session_tensors = &session_->tensors();
  if (!registration.ok()) {
    OnPlansDone(registration.status);
    return registration.status;
  }
  worker_.lanes.inter_op.Schedule([self, plans = std::move(plans)] {
    PlanRun run;
    run.environment = &self->environment_;
    run.retvals = &self->retvals_;
    run.pool = &self->worker_.lanes.inter_op;
    PlanSet::Run(plans, run,
                 [self](Status status) { self->OnPlansDone(status); });
  });
  return OkStatus();
}

void PartialRun::OnPlansDone(const Status& status) {
  scope_.Unregister(abort_token_);
  worker_.masters->RemoveStep(session_->watch(), step_id_);
  // Values may be asked for after the end.
  worker_.steps->EndRun(*step_, status, /*keep_run=*/status.ok());
  if (!status.ok()) session_->RemovePartialRun(step_id_);
  ++(status.ok() ? worker_.steps_done : worker_.steps_failed);
  std::vector<Ref<Call>> waiting;
  {
    MutexLock lock(mu_);
    ended_ = true;
    status_ = status;
    waiting.swap(waiting_);
  }
  for (const Ref<Call>& call : waiting) call->PartDone(status);
}

bool PartialRun::WaitForEnd(const Ref<Call>& call, Status* status) {
  MutexLock lock(mu_);
  if (!ended_) waiting_.push_back(call);
  *status = status_;
  return ended_;
}

void PartialRun::Cancel(const Status& reason) {
  scope_.Cancel(reason);
  session_->RemovePartialRun(step_id_);
}

}  // namespace millrace
