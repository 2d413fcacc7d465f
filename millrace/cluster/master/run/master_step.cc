#include "millrace/cluster/master/run/master_step.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "millrace/base/log.h"
#include "millrace/cluster/master/run/client_transfers.h"
#include "millrace/cluster/master/run/edge_values.h"
#include "millrace/cluster/master/run/prepare_run.h"
#include "millrace/cluster/master/run/run_parts.h"
#include "millrace/cluster/trace/tracer.h"

namespace millrace {
namespace {

// How long a derived error waits for its cause to arrive before everything is
// cancelled.
constexpr int64_t kUnderivedGraceMs = 1'000;

}  // namespace

struct MasterStep::Part {
  const PreparedRun::Part* plan = nullptr;
  PartTransfers transfers;  // if the step is traced
  RunGraphRequest request;
  RunGraphReply reply;
  CallContext context;
  CleanupGraphRequest cleanup_request;
  CleanupGraphReply cleanup_reply;
  CallContext cleanup_context;
  std::atomic<bool> ended{false};
};

MasterStep::MasterStep(Ref<MasterSession> session, Ref<PreparedRun> run,
                       CallContext& context, StepRequest request)
    : session_(std::move(session)),
      run_(std::move(run)),
      step_id_(session_->NewStepId()),
      request_id_(request.request_id),
      start_nanos_(NowNanos()),
      options_(*request.options),
      limit_(LimitOf(options_, session_->config(), context.deadline)),
      scope_(context.cancel),
      feeds_(std::move(request.feeds)) {}

MasterStep::~MasterStep() = default;

void MasterStep::Start(Ref<MasterSession> session, Ref<PreparedRun> run,
                       CallContext& context, StepRequest request,
                       StepDone done) {
  const Ref<MasterStep> step = Ref<MasterStep>::Adopt(new MasterStep(
      std::move(session), std::move(run), context, std::move(request)));
  Ref<MasterStep> twin;
  const Status entered =
      step->session_->Enter(step.get(), step->request_id_, &twin);
  if (!entered.ok()) return std::move(done)(entered, {}, nullptr);
  if (twin && !(twin->run_->signature == step->run_->signature)) {
    return std::move(done)(
        InvalidArgument("The request ", step->request_id_,
                        " was received before, with other feeds, fetches or "
                        "targets, and is running"),
        {}, nullptr);
  }
  if (twin) return twin->Attach(std::move(done));
  step->done_ = std::move(done);
  step->session_->environment().in_flight.Add();
  step->session_->environment().steps.Add();
  CancelAtLimit(step->limit_, step->scope_,
                step->session_->environment().lanes().timer);
  if (step->run_->ready()) {
    step->Launch();
  } else {
    step->WaitForPreparation();
  }
}

void MasterStep::Attach(StepDone done) {
  {
    MutexLock lock(mu_);
    if (!answered_) {
      attached_.push_back(std::move(done));
      return;
    }
  }
  std::move(done)(Aborted("The request ", request_id_,
                          " was received before, its step has ended, and its "
                          "answer is not kept"),
                  {}, nullptr);
}

void MasterStep::WaitForPreparation() {
  Lanes& lanes = session_->environment().lanes();
  // A cancellation must not take long on the thread that cancels: post.
  CancelScope::Registration registration =
      scope_.Register([self = Ref<MasterStep>::Share(this), &lanes]() mutable {
        lanes.control.Schedule([self = std::move(self)] {
          if (!self->left_preparation_.exchange(true)) {
            self->FinishWith(self->scope_.status());
          }
        });
      });
  if (!registration.ok()) return FinishWith(registration.status);
  preparation_token_ = registration.token;
  run_->WhenReady([self = Ref<MasterStep>::Share(this)](Status) {
    if (self->left_preparation_.exchange(true)) return;
    self->scope_.Unregister(self->preparation_token_);
    self->Launch();
  });
}

Status MasterStep::CheckFeeds() const {
  if (feeds_.size() != run_->feed_types.size()) {
    return InvalidArgument("The run has ", run_->feed_types.size(),
                           " feeds, but got ", feeds_.size());
  }
  for (size_t i = 0; i < feeds_.size(); ++i) {
    if (feeds_[i].dtype() == run_->feed_types[i]) continue;
    return InvalidArgument("The feed for ", run_->signature.feeds[i],
                           " has type ", DataTypeName(feeds_[i].dtype()),
                           ", expected ", DataTypeName(run_->feed_types[i]));
  }
  return OkStatus();
}

void MasterStep::Launch() {
  Status status = run_->status();
  if (status.ok()) status = CheckFeeds();
  if (!status.ok()) return FinishWith(std::move(status));
  const size_t count = run_->parts.size();
  // Nothing to run: no fetches, or none that comes from a node.
  if (count == 0) return FinishWith(OkStatus());
  BeginTraces();
  measures_costs_ = run_->CountStep(session_->config().graph_options);
  parts_ = std::make_unique<Part[]>(count);
  for (size_t i = 0; i < count; ++i) {
    parts_[i].plan = &run_->parts[i];
    status = MakeRequest(parts_[i]);
    if (!status.ok()) return FinishWith(std::move(status));
  }
  feeds_.clear();
  left_.store(count, std::memory_order_relaxed);
  num_parts_.store(count, std::memory_order_release);
  const Ref<MasterStep> self = Ref<MasterStep>::Share(this);
  const auto start = [&](Part& part) {
    part.plan->peer->worker().RunGraph(
        part.context, part.request, &part.reply,
        Done([self, &part](Status s) { self->OnPart(part, std::move(s)); }));
  };
  // This task's own part is last: it may run inline to its end.
  Part* own = nullptr;
  for (size_t i = 0; i < count; ++i) {
    Part& part = parts_[i];
    if (part.plan->peer->is_self()) {
      own = &part;
    } else {
      start(part);
    }
  }
  if (own != nullptr) start(*own);
}

void MasterStep::BeginTraces() {
  Tracer* const tracer = session_->environment().options.tracer;
  if (tracer != nullptr && tracer->wants_steps()) [[unlikely]] {
    trace_ids_ = tracer->BeginStep(step_id_, session_->handle(), start_nanos_);
  }
}

void MasterStep::EndTraces(const Status& status) {
  if (trace_ids_.empty()) return;
  session_->environment().options.tracer->EndStep(trace_ids_, step_id_, status);
}

Status MasterStep::MakeRequest(Part& part) {
  RunGraphRequest& request = part.request;
  request.session_handle = session_->handle();
  request.graph_handle = part.plan->graph_handle;
  request.step_id = step_id_;
  request.create_worker_session_called = true;
  request.store_errors_in_response_body = true;
  // The id must differ from all other requests to the same worker: a step has
  // one RunGraph per worker, and step ids are unique and never 0. A call within
  // this process arrives once, and needs none.
  request.request_id = part.plan->peer->is_self() ? 0 : step_id_;
  request.trace_ids = trace_ids_;
  request.exec_options.record_timeline = is_traced();
  request.exec_options.record_costs = measures_costs_;
  request.exec_options.report_tensor_allocations_upon_oom =
      options_.report_tensor_allocations_upon_oom;
  const ClientEdges& edges = part.plan->edges;
  request.send.reserve(edges.feeds.size());
  for (const ClientEdge& edge : edges.feeds) {
    MR_RETURN_IF_ERROR(PutFeed(edge, feeds_[edge.index], &request));
  }
  request.recv_key.reserve(edges.fetches.size());
  for (const ClientEdge& edge : edges.fetches) {
    request.recv_key.push_back(edge.key);
  }
  part.context.deadline = limit_.calls;
  part.context.cancel = &scope_;
  part.context.request_id = request.request_id;
  if (is_traced() && !part.plan->peer->is_self()) {
    part.transfers.Begin(request.send);
  }
  return OkStatus();
}

void MasterStep::OnPart(Part& part, Status status) {
  if (status.ok()) status = std::move(part.reply.status);
  if (!status.ok()) OnError(WithTaskName(*part.plan, status));
  part.transfers.End(part.reply.recv);
  // The fed values are not needed any more.
  part.request.send.clear();
  part.ended.store(true, std::memory_order_release);
  if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) Finish();
}

void MasterStep::OnError(Status error) {
  // An error caused by a cancellation follows from its reason.
  const bool cancelled = scope_.cancelled();
  if (cancelled && error.code() == StatusCode::kCancelled) {
    error = MarkDerived(error);
  }
  bool cancel_now = false;
  {
    MutexLock lock(mu_);
    UpdateStatus(error_, error);
    cancel_now = !IsDerived(error_);
    if (!cancelled && !cancel_now && grace_timer_ == 0 &&
        left_.load(std::memory_order_relaxed) > 1) {
      Lanes& lanes = session_->environment().lanes();
      grace_timer_ = lanes.timer.RunAt(
          Deadline::AfterMillis(kUnderivedGraceMs),
          [self = Ref<MasterStep>::Share(this), &lanes]() mutable {
            lanes.control.Schedule(
                [self = std::move(self)] { self->CancelParts(); });
          });
    }
  }
  if (cancel_now && !cancelled) CancelParts();
}

void MasterStep::CancelParts() {
  scope_.Cancel(MarkDerived(
      Cancelled("The step was cancelled because another part of it failed")));
}

void MasterStep::Finish() {
  Timer::Id timer;
  Status status;
  {
    MutexLock lock(mu_);
    timer = grace_timer_;
    status = error_;
  }
  if (timer != 0) session_->environment().lanes().timer.Cancel(timer);
  if (!status.ok() && scope_.cancelled()) {
    // The first reason of the scope: ours is derived; any other one is why the
    // step ended, whatever errors the parts returned.
    Status reason = scope_.status();
    if (!IsDerived(reason)) status = std::move(reason);
  }
  FinishWith(std::move(status));
}

void MasterStep::FinishWith(Status status) {
  std::vector<Tensor> fetches;
  std::unique_ptr<RunMetadata> metadata;
  if (status.ok()) status = CollectFetches(&fetches);
  if (status.ok() && wants_metadata()) {
    metadata = std::make_unique<RunMetadata>();
    CollectMetadata(metadata.get());
    if (options_.output_partition_graphs) {
      return AnswerWithPartitionGraphs(std::move(fetches), std::move(metadata));
    }
  }
  Answer(std::move(status), std::move(fetches), metadata.get());
}

Status MasterStep::CollectFetches(std::vector<Tensor>* fetches) {
  fetches->resize(run_->signature.fetches.size());
  const size_t count = num_parts_.load(std::memory_order_relaxed);
  for (size_t i = 0; i < count; ++i) {
    MR_RETURN_IF_ERROR(CollectPart(parts_[i], fetches));
  }
  return OkStatus();
}

Status MasterStep::CollectPart(Part& part, std::vector<Tensor>* fetches) {
  const std::vector<ClientEdge>& edges = part.plan->edges.fetches;
  for (size_t i = 0; i < edges.size(); ++i) {
    MR_ASSIGN_OR_RETURN(
        (*fetches)[edges[i].index],
        TakeFetch(edges[i], i, run_->signature.fetches[edges[i].index],
                  part.plan->task, part.reply.recv));
  }
  return OkStatus();
}

void MasterStep::CollectMetadata(RunMetadata* metadata) {
  const size_t count = num_parts_.load(std::memory_order_relaxed);
  if (is_traced()) {
    ClientTransferStats transfers(
        absl::StrCat(session_->self().ToString(), "/device:CPU:0"));
    if (count == 0) transfers.AddSource(start_nanos_);
    for (size_t i = 0; i < count; ++i) {
      transfers.Add(parts_[i].transfers);
    }
    metadata->step_stats = transfers.Take();
  }
  for (size_t i = 0; i < count; ++i) {
    RunGraphReply& reply = parts_[i].reply;
    for (DeviceStepStats& device : reply.step_stats.dev_stats) {
      metadata->step_stats.dev_stats.push_back(std::move(device));
    }
    for (CostGraph::Node& node : reply.cost_graph.nodes) {
      metadata->cost_graph.nodes.push_back(std::move(node));
    }
  }
}

// They are not kept with the prepared run, since few clients ask for them.
void MasterStep::AnswerWithPartitionGraphs(
    std::vector<Tensor> fetches, std::unique_ptr<RunMetadata> metadata) {
  session_->graph_turns().Run(
      [self = Ref<MasterStep>::Share(this), fetches = std::move(fetches),
       metadata = std::move(metadata)](SerialQueue::Turn turn) mutable {
        // Takes as long as compiling: not on this thread, whichever it is.
        Lanes& lanes = self->session_->environment().lanes();
        lanes.inter_op.Schedule([self, fetches = std::move(fetches),
                                 metadata = std::move(metadata),
                                 turn = std::move(turn)]() mutable {
          StatusOr<std::vector<GraphDef>> graphs = BuildPartitionGraphs(
              self->session_->graph().state, self->run_->signature,
              PartsOptions(*self->session_, *self->run_));
          turn.End();
          if (graphs.ok()) metadata->partition_graphs = *std::move(graphs);
          self->Answer(graphs.status(), std::move(fetches), metadata.get());
        });
      });
}

void MasterStep::Answer(Status status, std::vector<Tensor> fetches,
                        RunMetadata* metadata) {
  EndTraces(status);
  session_->Leave(this);
  std::vector<StepDone> attached;
  {
    MutexLock lock(mu_);
    answered_ = true;
    attached.swap(attached_);
  }
  for (StepDone& other : attached) {
    // The caller of the first call gave up, this one did not.
    std::move(other)(status.code() == StatusCode::kCancelled
                         ? Aborted("The request ", request_id_,
                                   " was sent twice, and its first call was "
                                   "cancelled: ",
                                   status.message())
                         : status,
                     fetches, metadata);
  }
  attached.clear();
  std::exchange(done_, nullptr)(std::move(status), std::move(fetches),
                                metadata);
  session_->environment().steps.Remove();
  Cleanup();
}

// The reply does not wait for it.
void MasterStep::Cleanup() {
  MasterEnvironment& environment = session_->environment();
  const size_t count = num_parts_.load(std::memory_order_relaxed);
  if (count == 0) return environment.in_flight.Remove();
  left_.store(count, std::memory_order_relaxed);
  const Ref<MasterStep> self = Ref<MasterStep>::Share(this);
  for (size_t i = 0; i < count; ++i) {
    Part& part = parts_[i];
    part.reply = {};
    part.cleanup_request.step_id = step_id_;
    part.cleanup_context.deadline = Deadline::AfterMillis(10'000);
    part.cleanup_context.cancel = &environment.background;
    part.plan->peer->worker().CleanupGraph(
        part.cleanup_context, part.cleanup_request, &part.cleanup_reply,
        Done([self](Status) {
          if (self->left_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
            self->session_->environment().in_flight.Remove();
          }
        }));
  }
}

std::string MasterStep::Describe() {
  if (!run_->ready()) return "waits for its graph to be prepared";
  std::vector<std::string> tasks;
  const size_t count = num_parts_.load(std::memory_order_acquire);
  for (size_t i = 0; i < count; ++i) {
    if (!parts_[i].ended.load(std::memory_order_acquire)) {
      tasks.push_back(parts_[i].plan->task);
    }
  }
  if (tasks.empty()) return "is about to answer";
  return absl::StrCat("waits for RunGraph on ", absl::StrJoin(tasks, ", "));
}

}  // namespace millrace
