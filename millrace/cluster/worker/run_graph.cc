#include "millrace/cluster/worker/run_graph.h"

#include <utility>

#include "millrace/base/threads/event_threads.h"
#include "millrace/cluster/trace/tracer.h"
#include "millrace/exec/cost_graph.h"
#include "millrace/exec/step_stats_report.h"
#include "millrace/kernel/variable_view.h"

namespace millrace {
namespace {

// The caller's thread may be the only one that takes calls: it is kept no
// longer than it takes to wake another one.
constexpr size_t kInlineNodes = 256;
// Of one traced step, which may be a loop without an end.
constexpr int64_t kMaxEvents = 1'000'000;

bool WantsStats(const ExecutorOptions& options) {
  return options.record_timeline || options.record_costs;
}

}  // namespace

void AnswerRunGraph(const RunGraphRequest& request, Status status,
                    RunGraphReply* reply, Done done) {
  if (request.store_errors_in_response_body) {
    reply->status = CutMessage(status, kMaxBodyMessageBytes);
    status = OkStatus();
  }
  std::move(done)(std::move(status));
}

Status DeadFetch(absl::string_view name) {
  return InvalidArgument("The tensor returned for ", name, " was not valid.");
}

RunGraphCall::RunGraphCall(WorkerState& worker, Ref<WorkerSession> session,
                           std::shared_ptr<RegisteredGraph> graph,
                           const RunGraphRequest& request, Deadline deadline)
    : active_(worker),
      worker_(worker),
      session_(std::move(session)),
      graph_(std::move(graph)),
      request_(request),
      step_id_(request.step_id),
      scope_(&session_->scope()),
      calls_([this](Status reason) { scope_.Cancel(std::move(reason)); }) {
  environment_.deadline = deadline;
}

RunGraphCall::~RunGraphCall() = default;

void RunGraphCall::Start() {
  const auto self = Ref<RunGraphCall>::Share(this);
  StatusOr<Ref<StepTable::Step>> step =
      worker_.steps->BeginRun(step_id_, session_->handle(), self);
  if (!step.ok()) {
    Finish(step.status());
    return;
  }
  step_ = *std::move(step);
  worker_.masters->AddStep(session_->watch(), step_id_, self);
  if (Status prepared = Prepare(); !prepared.ok()) {
    Finish(std::move(prepared));
    return;
  }
  std::vector<size_t> receives;
  for (size_t i = 0; i < request_.recv_key.size(); ++i) {
    if (graph_->FindRetval(request_.recv_key[i]) == nullptr)
      receives.push_back(i);
  }
  pending_.store(1 + static_cast<int>(receives.size()),
                 std::memory_order_relaxed);
  received_.resize(request_.recv_key.size());
  for (size_t i : receives) StartReceive(request_.recv_key[i], &received_[i]);
  // A step of cheap nodes only runs on the control lane to its end; inline if
  // it is short. Any other step runs on the thread on which the call arrived,
  // if another thread takes over its events, since waking a sleeping thread for
  // it would delay it.
  const PlanSet& plans = *graph_->plans();
  if (plans.all_cheap() && plans.num_nodes() <= kInlineNodes) {
    RunPlans();
  } else if (plans.all_cheap()) {
    worker_.lanes.control.Schedule([self] { self->RunPlans(); });
  } else if (plans.num_devices() == 1 && EventThreads::HandOver()) {
    // While the tensors arrived, sender and receiver may have used all cores.
    worker_.lanes.intra_op.Prepare();
    RunPlans();
  } else {
    worker_.lanes.inter_op.Schedule([self] { self->RunPlans(); });
  }
}

void RunGraphCall::ChooseStats() {
  if (!request_.trace_ids.empty() && worker_.options.tracer != nullptr) {
    stats_ = worker_.options.tracer->StatsOf(request_.trace_ids, step_id_);
  }
  if (stats_ == nullptr && WantsStats(request_.exec_options)) {
    stats_ = std::make_shared<StepStatsCollector>(
        std::make_shared<EventBudget>(kMaxEvents));
  }
  if (WantsStats(request_.exec_options)) stats_->KeepAll();
  step_->stats = stats_;
  environment_.stats = stats_.get();
}

Status RunGraphCall::Prepare() {
  ChooseStats();
  rendezvous_ = MakeRef<RemoteRendezvous>(step_id_, session_->key_prefix(),
                                          step_->rendezvous, session_->peers(),
                                          environment_.deadline, stats_);
  // Receives from other tasks end with the step, too. The callback is
  // unregistered in Finish, so it never outlives the step.
  auto abort = [this] {
    worker_.lanes.control.Schedule([self = Ref<RunGraphCall>::Share(this)] {
      self->rendezvous_->StartAbort(MarkDerived(self->scope_.status()));
    });
  };
  CancelScope::Registration registration = scope_.Register(std::move(abort));
  MR_RETURN_IF_ERROR(registration.status);
  abort_token_ = registration.token;
  if (!environment_.deadline.infinite()) {
    scope_.CancelAt(
        environment_.deadline, worker_.lanes.timer,
        DeadlineExceeded("Step ", step_id_, " at ", session_->task().ToString(),
                         " did not end by its deadline"));
  }
  MR_RETURN_IF_ERROR(FillArgs());
  environment_.step_id = step_id_;
  environment_.cancel = &scope_;
  environment_.rendezvous = rendezvous_.get();
  environment_.container = &container_;
  environment_.functions = graph_->functions();
  environment_.files = worker_.files;
  environment_.session_handle = session_->handle();
  environment_.session_tensors = &session_->tensors();
  return OkStatus();
}

Status RunGraphCall::FillArgs() {
  args_.resize(graph_->plans()->num_args());
  size_t filled = 0;
  for (const NamedTensor& value : request_.send) {
    const RegisteredGraph::Slot* slot = graph_->FindArg(value.name);
    if (slot == nullptr) {
      MR_RETURN_IF_ERROR(
          rendezvous_->Send(value.name, {.tensor = value.tensor}));
      continue;
    }
    if (slot->dtype != value.tensor.dtype()) {
      return InvalidArgument("The value fed to ", slot->name, " has type ",
                             DataTypeName(value.tensor.dtype()), ", expected ",
                             DataTypeName(slot->dtype));
    }
    if (args_[slot->index].valid()) {
      return InvalidArgument(slot->name, " is fed twice");
    }
    args_[slot->index] = value.tensor;
    ++filled;
  }
  if (filled == args_.size()) return OkStatus();
  return InvalidArgument(
      "The graph ", request_.graph_handle, " has ", args_.size(),
      " values to be fed, and the request brings ", filled, " of them");
}

void RunGraphCall::StartReceive(const std::string& key, Tensor* place) {
  rendezvous_->RecvAsync(
      key, &scope_,
      [self = Ref<RunGraphCall>::Share(this), &key,
       place](StatusOr<RendezvousValue> received) {
        Status status = received.status();
        if (status.ok() && received->is_dead) {
          const StatusOr<RendezvousKey> parsed = RendezvousKey::Parse(key);
          status = DeadFetch(parsed.ok() ? parsed->tensor_name : key);
        }
        if (status.ok()) *place = std::move(received->tensor);
        self->PartDone(status);
      });
}

void RunGraphCall::RunPlans() {
  PlanRun run;
  run.environment = &environment_;
  run.args = args_;
  run.retvals = &retvals_;
  run.pool = &worker_.lanes.inter_op;
  // TensorFlow sends what is fetched to the master when it is there.
  if (session_->master_is_elsewhere()) {
    run.result_views = ResultViews::kBindAtTheFirstWait;
  }
  PlanSet::Run(graph_->plans(), run,
               [self = Ref<RunGraphCall>::Share(this)](Status status) {
                 self->PartDone(status);
               });
}

void RunGraphCall::PartDone(const Status& status) {
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
  // An error that only follows from a cancellation reports its reason.
  if (IsDerived(outcome) && scope_.cancelled()) outcome = scope_.status();
  Finish(std::move(outcome));
}

Status RunGraphCall::CollectValues(RunGraphReply* reply) {
  for (size_t i = 0; i < request_.recv_key.size(); ++i) {
    const std::string& key = request_.recv_key[i];
    const RegisteredGraph::Slot* slot = graph_->FindRetval(key);
    Tensor& value = slot ? retvals_[slot->index] : received_[i];
    if (!value.valid()) return DeadFetch(slot ? slot->name : key);
    MR_RETURN_IF_ERROR(Bind(&value, nullptr));
    // A key may be asked for twice.
    reply->recv.push_back({key, value});
  }
  return OkStatus();
}

void RunGraphCall::Finish(Status status) {
  const auto self = Ref<RunGraphCall>::Share(this);
  RunGraphReply reply;
  if (status.ok()) status = CollectValues(&reply);
  if (!status.ok()) reply.recv.clear();
  retvals_.clear();
  if (stats_ != nullptr && WantsStats(request_.exec_options)) {
    const StepEvents events = stats_->Events();
    if (request_.exec_options.record_timeline) {
      reply.step_stats = ToStepStats(events);
    }
    if (request_.exec_options.record_costs) {
      reply.cost_graph = ToCostGraph(events, *graph_->plans());
    }
  }
  if (request_.exec_options.record_partition_graphs) {
    reply.partition_graphs.push_back(graph_->ToGraphDef());
  }
  scope_.Unregister(abort_token_);
  worker_.masters->RemoveStep(session_->watch(), step_id_);
  if (step_ != nullptr) worker_.steps->EndRun(*step_, status);
  session_->runs().End(request_.request_id);
  ++(status.ok() ? worker_.steps_done : worker_.steps_failed);
  if (request_.store_errors_in_response_body) {
    reply.status = std::move(status);
    status = OkStatus();
  }
  calls_.Complete(std::move(reply), status);
}

}  // namespace millrace
