#include "millrace/cluster/master/run/partial_step.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "millrace/cluster/master/fan_out.h"
#include "millrace/cluster/master/run/edge_values.h"
#include "millrace/cluster/master/run/partial_steps.h"
#include "millrace/cluster/master/run/step_limit.h"
#include "millrace/pass/run_signature.h"

namespace millrace {
namespace {

using CleanupGraphs = FanOut<CleanupGraphRequest, CleanupGraphReply>;
using RunGraphs = FanOut<RunGraphRequest, RunGraphReply>;

absl::flat_hash_map<std::string, int> ByName(
    const std::vector<std::string>& names) {
  absl::flat_hash_map<std::string, int> result;
  for (size_t i = 0; i < names.size(); ++i) {
    result.emplace(names[i], static_cast<int>(i));
  }
  return result;
}

// Where a call has its feeds or fetches, by their number in the run.
using Places = absl::flat_hash_map<int, size_t>;

Places PlacesOf(const std::vector<int>& numbers) {
  Places places;
  for (size_t i = 0; i < numbers.size(); ++i) places.emplace(numbers[i], i);
  return places;
}

// Traverses a graph backwards from what a run gives, up to its feeds. Lives for
// one call.
class NeedFinder {
 public:
  explicit NeedFinder(const Graph& graph) : graph_(graph) {}

  Status AddFeed(const std::string& name) {
    MR_ASSIGN_OR_RETURN(const OutputRef feed,
                        FindOutput(graph_, name, "FeedInputs:"));
    feeds_.emplace(std::pair(feed.node, feed.port), num_feeds_++);
    return OkStatus();
  }

  // Returns the numbers of the feeds that outputs need. Returns
  // INVALID_ARGUMENT if a value needs that of a placeholder which is no feed.
  StatusOr<std::vector<int>> NeedsOf(absl::Span<const OutputRef> outputs) {
    reached_.assign(static_cast<size_t>(graph_.num_ids()), Reached::kNot);
    needed_.assign(static_cast<size_t>(num_feeds_), false);
    needs_.clear();
    for (const OutputRef& output : outputs) {
      Need(output, Reached::kForItsValue);
    }
    while (!open_.empty()) {
      const Node& node = *graph_.node(open_.back());
      open_.pop_back();
      const Reached how = reached_[static_cast<size_t>(node.id)];
      if (how == Reached::kForItsValue &&
          node.op->role == OpRole::kPlaceholder) {
        open_.clear();
        return InvalidArgument("You must feed a value for placeholder tensor '",
                               node.name, "' with dtype ",
                               DataTypeName(node.output_types[0]),
                               ", which no feed of the partial run gives");
      }
      // A shape may be known without the value.
      const bool asks_for_shape = node.op->ints_of_shapes != nullptr;
      for (const OutputRef& input : node.inputs) {
        Need(input, asks_for_shape ? Reached::kToWait : how);
      }
      // What is only waited for may be left out of the run.
      for (const NodeId control : node.control_inputs) {
        Visit(control, Reached::kToWait);
      }
    }
    return std::move(needs_);
  }

 private:
  enum class Reached : uint8_t { kNot, kToWait, kForItsValue };

  void Visit(NodeId node, Reached how) {
    if (node == kNoNode || reached_[static_cast<size_t>(node)] >= how) return;
    reached_[static_cast<size_t>(node)] = how;
    open_.push_back(node);
  }

  void Need(const OutputRef& output, Reached how) {
    const auto feed = feeds_.find(std::pair(output.node, output.port));
    if (feed == feeds_.end()) return Visit(output.node, how);
    if (needed_[static_cast<size_t>(feed->second)]) return;
    needed_[static_cast<size_t>(feed->second)] = true;
    needs_.push_back(feed->second);
  }

  const Graph& graph_;
  absl::flat_hash_map<std::pair<NodeId, int>, int> feeds_;
  int num_feeds_ = 0;
  std::vector<Reached> reached_;  // by node
  std::vector<bool> needed_;      // by feed
  std::vector<int> needs_;
  std::vector<NodeId> open_;
};

}  // namespace

PartialStep::PartialStep(Ref<MasterSession> session, Ref<PreparedRun> run)
    : session_(std::move(session)),
      run_(std::move(run)),
      step_id_(session_->NewStepId()),
      scope_(session_->scope()),
      feeds_(ByName(run_->signature.feeds)),
      fetches_(ByName(run_->signature.fetches)),
      fed_(run_->signature.feeds.size()),
      fetched_(run_->signature.fetches.size()) {}

void PartialStep::Setup(Ref<MasterSession> session,
                        const PartialRunSetupRequest& request, SetupDone done) {
  RunStepRequest run_request;
  for (const std::string& feed : request.feeds) {
    run_request.feeds.push_back({.name = feed, .tensor = {}});
  }
  run_request.fetches = request.fetches;
  run_request.targets = request.targets;
  const Ref<PreparedRun> run = session->Prepare(run_request);
  session->environment().in_flight.Add();
  run->WhenReady([session, run, done = std::move(done)](Status status) mutable {
    if (!status.ok()) {
      std::move(done)(std::move(status));
      return session->environment().in_flight.Remove();
    }
    // Each fetch traverses the graph: not on a thread for short calls.
    session->graph_turns().Run(
        [session, run, done = std::move(done)](SerialQueue::Turn turn) mutable {
          Lanes& lanes = session->environment().lanes();
          lanes.inter_op.Schedule([session, run, done = std::move(done),
                                   turn = std::move(turn)]() mutable {
            StatusOr<std::string> handle = Begin(session, run, std::move(turn));
            std::move(done)(std::move(handle));
            session->environment().in_flight.Remove();
          });
        });
  });
}

StatusOr<std::string> PartialStep::Begin(const Ref<MasterSession>& session,
                                         const Ref<PreparedRun>& run,
                                         SerialQueue::Turn turn) {
  const auto step = Ref<PartialStep>::Adopt(new PartialStep(session, run));
  const Status found = step->FindNeeds(session->graph().state.graph());
  turn.End();
  MR_RETURN_IF_ERROR(found);
  MR_RETURN_IF_ERROR(session->closed());
  if (!session->partial_steps().Add(step)) {
    return ResourceExhausted("The session has ", kMaxPerSession,
                             " partial runs that have not ended");
  }
  return step->handle();
}

Status PartialStep::FindNeeds(const Graph& graph) {
  NeedFinder finder(graph);
  for (const std::string& name : run_->signature.feeds) {
    MR_RETURN_IF_ERROR(finder.AddFeed(name));
  }
  const std::vector<std::string>& fetches = run_->signature.fetches;
  needs_.resize(fetches.size());
  for (size_t i = 0; i < fetches.size(); ++i) {
    if (fetches_.at(fetches[i]) != static_cast<int>(i)) {
      fetched_[i] = true;  // with the first one of its name
      continue;
    }
    MR_RETURN_IF_ERROR(session_->closed());
    MR_ASSIGN_OR_RETURN(const OutputRef fetch,
                        FindOutput(graph, fetches[i], "FetchOutputs"));
    MR_ASSIGN_OR_RETURN(needs_[i], finder.NeedsOf({fetch}));
  }
  std::vector<OutputRef> targets;
  for (const std::string& name : run_->signature.targets) {
    const StatusOr<TensorName> parsed = ParseTensorName(name);
    const Node* const target = parsed.ok() ? graph.Find(parsed->node) : nullptr;
    // Preparing the run has found all targets.
    if (target != nullptr) targets.push_back({target->id, 0});
  }
  return finder.NeedsOf(targets).status();
}

// Checks everything before anything changes.
Status PartialStep::Take(const RunStepRequest& request, int64_t start_nanos,
                         std::vector<int>* feeds, std::vector<int>* fetches,
                         bool* is_last) {
  MutexLock lock(mu_);
  if (ended_) return Aborted("The partial run ", handle_, " has ended");
  std::vector<bool> fed = fed_;
  std::vector<bool> fetched = fetched_;
  for (const NamedTensor& feed : request.feeds) {
    const auto found = feeds_.find(feed.name);
    if (found == feeds_.end()) {
      return InvalidArgument("The feed ", feed.name,
                             " was not specified in partial_run_setup.");
    }
    const auto index = static_cast<size_t>(found->second);
    if (fed[index]) {
      return InvalidArgument("The feed ", feed.name, " has already been fed.");
    }
    if (feed.tensor.dtype() != run_->feed_types[index]) {
      return InvalidArgument("The feed for ", feed.name, " has type ",
                             DataTypeName(feed.tensor.dtype()), ", expected ",
                             DataTypeName(run_->feed_types[index]));
    }
    fed[index] = true;
    feeds->push_back(found->second);
  }
  for (const std::string& fetch : request.fetches) {
    const auto found = fetches_.find(fetch);
    if (found == fetches_.end()) {
      return InvalidArgument("The fetch ", fetch,
                             " was not specified in partial_run_setup.");
    }
    const auto index = static_cast<size_t>(found->second);
    if (fetched[index]) {
      return InvalidArgument("The fetch ", fetch, " has already been fetched.");
    }
    for (int need : needs_[index]) {
      if (!fed[static_cast<size_t>(need)]) {
        return InvalidArgument(
            "Fetch ", fetch,
            " can't be computed from the feeds that have been fed so far.");
      }
    }
    fetched[index] = true;
    fetches->push_back(found->second);
  }
  fed_ = std::move(fed);
  fetched_ = std::move(fetched);
  *is_last =
      std::find(fed_.begin(), fed_.end(), false) == fed_.end() &&
      std::find(fetched_.begin(), fetched_.end(), false) == fetched_.end();
  calls_.insert(start_nanos);
  return OkStatus();
}

// One call, from its RunGraphs to its reply.
class PartialStep::Call final : public RefCounted {
 public:
  // `feeds` and `fetches` are the numbers of those of the call, in its order.
  Call(Ref<PartialStep> step, CallContext& context,
       const std::vector<int>& feeds, std::vector<int> fetches, bool is_last,
       int64_t start_nanos, CallDone done)
      : step_(std::move(step)),
        client_(context.cancel),
        client_deadline_(context.deadline),
        scope_(&step_->scope_),
        fetches_(std::move(fetches)),
        feed_places_(PlacesOf(feeds)),
        fetch_places_(PlacesOf(fetches_)),
        is_last_(is_last),
        start_nanos_(start_nanos),
        done_(std::move(done)) {}

  void Start(const RunStepRequest& request) {
    MasterEnvironment& environment = step_->session_->environment();
    environment.steps.Add();
    const StepLimit limit =
        LimitOf(request.options, step_->session_->config(), client_deadline_);
    CancelAtLimit(limit, scope_, environment.lanes().timer);
    if (client_ != nullptr) {
      CancelScope::Registration gone =
          client_->Register([this] { scope_.Cancel(client_->status()); });
      if (!gone.ok()) return Finish(gone.status);
      client_token_ = gone.token;
    }
    std::vector<RunGraphs::Call> calls;
    for (const PreparedRun::Part& part : step_->run_->parts) {
      RunGraphs::Call& call = calls.emplace_back();
      call.peer = part.peer;
      const Status made = MakeRequest(part, request, &call.request);
      if (!made.ok()) return Finish(made);
    }
    RunGraphs::Start(
        std::move(calls), &WorkerApi::RunGraph, limit.calls, &scope_,
        &environment.in_flight,
        [self = Ref<Call>::Share(this)](std::vector<RunGraphs::Call>& done) {
          self->OnParts(done);
        });
  }

 private:
  Status MakeRequest(const PreparedRun::Part& part, const RunStepRequest& from,
                     RunGraphRequest* request) {
    request->session_handle = step_->session_->handle();
    request->graph_handle = part.graph_handle;
    request->step_id = step_->step_id_;
    request->create_worker_session_called = true;
    request->store_errors_in_response_body = true;
    request->is_partial = true;
    request->is_last_partial_run = is_last_;
    request->request_id = step_->session_->NewStepId();
    for (const ClientEdge& edge : part.edges.feeds) {
      const auto place = feed_places_.find(edge.index);
      if (place == feed_places_.end()) continue;
      MR_RETURN_IF_ERROR(
          PutFeed(edge, from.feeds[place->second].tensor, request));
    }
    for (const ClientEdge& edge : part.edges.fetches) {
      if (fetch_places_.contains(edge.index)) {
        request->recv_key.push_back(edge.key);
      }
    }
    return OkStatus();
  }

  void OnParts(std::vector<RunGraphs::Call>& calls) {
    Status status;
    std::vector<Tensor> values(step_->run_->signature.fetches.size());
    for (size_t i = 0; i < calls.size(); ++i) {
      const PreparedRun::Part& part = step_->run_->parts[i];
      Status one = calls[i].status.ok() ? std::move(calls[i].reply.status)
                                        : std::move(calls[i].status);
      if (one.ok()) one = TakeValues(part, calls[i].reply, &values);
      if (!one.ok() && !part.peer->is_self() &&
          !absl::StrContains(one.message(), part.task)) {
        one = Prefix(absl::StrCat("From ", part.task, ":\n"), one);
      }
      UpdateStatus(status, one);
    }
    if (!status.ok() && scope_.cancelled()) {
      Status reason = scope_.status();
      if (!IsDerived(reason)) status = std::move(reason);
    }
    for (int fetch : fetches_) {
      result_.push_back(std::move(values[static_cast<size_t>(fetch)]));
    }
    Finish(std::move(status));
  }

  Status TakeValues(const PreparedRun::Part& part, RunGraphReply& reply,
                    std::vector<Tensor>* values) {
    size_t expected = 0;
    for (const ClientEdge& edge : part.edges.fetches) {
      if (!fetch_places_.contains(edge.index)) continue;
      const auto index = static_cast<size_t>(edge.index);
      MR_ASSIGN_OR_RETURN(
          (*values)[index],
          TakeFetch(edge, expected++, step_->run_->signature.fetches[index],
                    part.task, reply.recv));
    }
    return OkStatus();
  }

  void Finish(Status status) {
    if (client_ != nullptr) client_->Unregister(client_token_);
    step_->RemoveCall(start_nanos_);
    if (!status.ok() || is_last_) step_->End(status);
    MasterEnvironment& environment = step_->session_->environment();
    if (!status.ok()) result_.clear();
    std::exchange(done_, nullptr)(std::move(status), std::move(result_));
    environment.steps.Remove();
  }

  const Ref<PartialStep> step_;
  CancelScope* const client_;
  CancelScope::Token client_token_ = 0;
  const Deadline client_deadline_;
  CancelScope scope_;
  const std::vector<int> fetches_;
  const Places feed_places_;
  const Places fetch_places_;
  const bool is_last_;
  const int64_t start_nanos_;
  std::vector<Tensor> result_;
  CallDone done_;
};

void PartialStep::Run(CallContext& context, const RunStepRequest& request,
                      CallDone done) {
  if (!request.targets.empty()) {
    return std::move(done)(InvalidArgument("A partial run takes its targets in "
                                           "partial_run_setup, but got ",
                                           request.targets[0]),
                           {});
  }
  std::vector<int> feeds;
  std::vector<int> fetches;
  bool is_last = false;
  const int64_t start_nanos = NowNanos();
  const Status taken = Take(request, start_nanos, &feeds, &fetches, &is_last);
  if (!taken.ok()) return std::move(done)(taken, {});
  MakeRef<Call>(Ref<PartialStep>::Share(this), context, feeds,
                std::move(fetches), is_last, start_nanos, std::move(done))
      ->Start(request);
}

void PartialStep::RemoveCall(int64_t start_nanos) {
  MutexLock lock(mu_);
  calls_.erase(calls_.find(start_nanos));
}

int64_t PartialStep::waiting_since_nanos() {
  MutexLock lock(mu_);
  return calls_.empty() ? 0 : *calls_.begin();
}

void PartialStep::End(const Status& reason) {
  {
    MutexLock lock(mu_);
    if (std::exchange(ended_, true)) return;
  }
  session_->partial_steps().Remove(handle_);
  if (!reason.ok()) {
    scope_.Cancel(MarkDerived(
        Cancelled("The partial run was cancelled because a call of it failed: ",
                  reason.message())));
  }
  std::vector<CleanupGraphs::Call> calls;
  for (const PreparedRun::Part& part : run_->parts) {
    CleanupGraphs::Call& call = calls.emplace_back();
    call.peer = part.peer;
    call.request.step_id = step_id_;
  }
  MasterEnvironment& environment = session_->environment();
  CleanupGraphs::Start(std::move(calls), &WorkerApi::CleanupGraph,
                       Deadline::AfterMillis(10'000), &environment.background,
                       &environment.in_flight,
                       [](std::vector<CleanupGraphs::Call>&) {});
}

}  // namespace millrace
