#include "millrace/session/partial_run.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "millrace/base/threads/wait.h"
#include "millrace/graph/builtin_ops.h"
#include "millrace/kernel/variable_view.h"
#include "millrace/session/local_session.h"
#include "millrace/session/prepared.h"

namespace millrace {
namespace {

int NumberOf(const std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

// Traverses a graph backwards from one output, up to the feeds.
std::vector<int> NeedsOf(const Graph& graph, OutputRef fetch,
                         const absl::flat_hash_map<OutputRef, int>& feeds) {
  std::vector<bool> reached(static_cast<size_t>(graph.num_ids()));
  std::vector<int> needs;
  std::vector<NodeId> open;
  const auto need = [&](OutputRef output) {
    if (output.node == kNoNode) return;
    const auto feed = feeds.find(output);
    if (feed != feeds.end()) {
      if (std::find(needs.begin(), needs.end(), feed->second) == needs.end()) {
        needs.push_back(feed->second);
      }
    } else if (!reached[static_cast<size_t>(output.node)]) {
      reached[static_cast<size_t>(output.node)] = true;
      open.push_back(output.node);
    }
  };
  need(fetch);
  while (!open.empty()) {
    const Node& node = *graph.node(open.back());
    open.pop_back();
    for (const OutputRef& input : node.inputs) need(input);
  }
  return needs;
}

}  // namespace

Status SendFetchesOneByOne(const std::string& device, uint64_t incarnation,
                           Graph* graph, LocalSession::Prepared* prepared) {
  prepared->feed_keys.resize(prepared->signature.feeds.size());
  prepared->fetch_keys.resize(prepared->signature.fetches.size());
  for (NodeId id = 0; id < graph->num_ids(); ++id) {
    Node* const node = graph->node(id);
    if (node == nullptr) continue;
    const bool is_arg = node->IsOp(builtin::kArg);
    if (!is_arg && !node->IsOp(builtin::kRetval)) continue;
    MR_ASSIGN_OR_RETURN(const int64_t index,
                        GetAttr<int64_t>(node->attrs, "index"));
    const DataType type =
        is_arg ? node->output_types[0] : RemoveRef(node->input_types[0]);
    const std::string name = absl::StrCat(is_arg ? "feed_" : "fetch_", index);
    // Changes the node in place: its edges stay, and the types are the same.
    MR_ASSIGN_OR_RETURN(
        node->op, graph->LookupOp(is_arg ? builtin::kRecv : builtin::kSend));
    node->attrs =
        AttrMap({{is_arg ? "tensor_type" : "T", type},
                 {"tensor_name", name},
                 {"send_device", device},
                 {"send_device_incarnation", static_cast<int64_t>(incarnation)},
                 {"recv_device", device},
                 {"client_terminated", true}});
    MR_RETURN_IF_ERROR(CompleteAttrs(*node->op, &node->attrs));
    RendezvousKey key;
    key.send_device = key.recv_device = device;
    key.send_incarnation = incarnation;
    key.tensor_name = name;
    if (is_arg) {
      prepared->feed_keys[static_cast<size_t>(index)].push_back(key.ToString());
    } else {
      prepared->fetch_keys[static_cast<size_t>(index)] = key.ToString();
    }
  }
  return OkStatus();
}

StatusOr<std::vector<std::vector<int>>> FindNeeds(
    const Graph& graph, const RunSignature& signature) {
  absl::flat_hash_map<OutputRef, int> feeds;
  for (size_t i = 0; i < signature.feeds.size(); ++i) {
    MR_ASSIGN_OR_RETURN(const OutputRef feed,
                        FindOutput(graph, signature.feeds[i], "FeedInputs:"));
    feeds.emplace(feed, static_cast<int>(i));
  }
  std::vector<std::vector<int>> needs;
  for (const std::string& name : signature.fetches) {
    MR_ASSIGN_OR_RETURN(const OutputRef fetch,
                        FindOutput(graph, name, "FetchOutputs"));
    needs.push_back(NeedsOf(graph, fetch, feeds));
  }
  return needs;
}

LocalPartialRun::LocalPartialRun(
    std::shared_ptr<const LocalSession::Prepared> prepared,
    std::vector<std::vector<int>> needs, CancelScope* parent)
    : prepared_(std::move(prepared)),
      needs_(std::move(needs)),
      scope_(parent),
      rendezvous_(MakeRef<LocalRendezvous>()),
      retvals_(static_cast<size_t>(prepared_->plans->num_retvals())),
      fed_(prepared_->signature.feeds.size()),
      fetched_(prepared_->signature.fetches.size()) {}

void LocalPartialRun::Start(const StepEnvironment& environment, Lanes& lanes) {
  environment_ = environment;
  environment_.cancel = &scope_;
  environment_.rendezvous = rendezvous_.get();
  environment_.container = &container_;
  environment_.functions = prepared_->functions.get();
  const CancelScope::Registration registration = scope_.Register(
      [this] { rendezvous_->StartAbort(MarkDerived(scope_.status())); });
  abort_ = registration.token;
  if (!registration.ok()) rendezvous_->StartAbort(registration.status);
  lanes.inter_op.Schedule([self = shared_from_this(), pool = &lanes.inter_op] {
    PlanRun run;
    run.environment = &self->environment_;
    run.retvals = &self->retvals_;
    run.pool = pool;
    PlanSet::Run(self->prepared_->plans, run,
                 Done([self](const Status& status) {
                   self->scope_.Unregister(self->abort_);
                   {
                     MutexLock lock(self->mu_);
                     self->ended_ = true;
                     self->status_ = status;
                     self->end_.NotifyAll();
                   }
                   if (!status.ok()) self->rendezvous_->StartAbort(status);
                 }));
  });
}

// Checks everything before anything changes.
Status LocalPartialRun::Take(
    const std::vector<std::pair<std::string, Tensor>>& feeds,
    const std::vector<std::string>& fetches, std::vector<int>* feed_numbers,
    std::vector<int>* fetch_numbers, bool* last) {
  MutexLock lock(mu_);
  std::vector<bool> fed = fed_, fetched = fetched_;
  for (const auto& [name, value] : feeds) {
    const int number = NumberOf(prepared_->signature.feeds, name);
    if (number < 0) {
      return InvalidArgument("The feed ", name,
                             " was not specified in partial_run_setup.");
    }
    if (fed[static_cast<size_t>(number)]) {
      return InvalidArgument("The feed ", name, " has already been fed.");
    }
    fed[static_cast<size_t>(number)] = true;
    feed_numbers->push_back(number);
  }
  for (const std::string& name : fetches) {
    const int number = NumberOf(prepared_->signature.fetches, name);
    if (number < 0) {
      return InvalidArgument("The fetch ", name,
                             " was not specified in partial_run_setup.");
    }
    if (fetched[static_cast<size_t>(number)]) {
      return InvalidArgument("The fetch ", name, " has already been fetched.");
    }
    for (int need : needs_[static_cast<size_t>(number)]) {
      if (fed[static_cast<size_t>(need)]) continue;
      return InvalidArgument(
          "Fetch ", name,
          " can't be computed from the feeds that have been fed so far.");
    }
    fetched[static_cast<size_t>(number)] = true;
    fetch_numbers->push_back(number);
  }
  fed_ = std::move(fed);
  fetched_ = std::move(fetched);
  const auto all = [](const std::vector<bool>& v) {
    return std::all_of(v.begin(), v.end(), [](bool b) { return b; });
  };
  *last = all(fed_) && all(fetched_);
  return OkStatus();
}

Status LocalPartialRun::Exchange(
    const std::vector<std::pair<std::string, Tensor>>& feeds,
    const std::vector<int>& feed_numbers, const std::vector<int>& fetch_numbers,
    std::vector<Tensor>* outputs) {
  for (size_t i = 0; i < feeds.size(); ++i) {
    const auto number = static_cast<size_t>(feed_numbers[i]);
    for (const std::string& key : prepared_->feed_keys[number]) {
      MR_RETURN_IF_ERROR(rendezvous_->Send(key, {.tensor = feeds[i].second}));
    }
  }
  struct Received {
    Mutex mu;
    Status status;
    Notification done;
    std::atomic<size_t> pending;
  } received;
  received.pending = fetch_numbers.size();
  outputs->resize(fetch_numbers.size());
  for (size_t i = 0; i < fetch_numbers.size(); ++i) {
    const auto number = static_cast<size_t>(fetch_numbers[i]);
    rendezvous_->RecvAsync(prepared_->fetch_keys[number], &scope_,
                           [&, i, number](StatusOr<RendezvousValue> value) {
                             Status status = value.status();
                             if (status.ok() && value->is_dead) {
                               status = InvalidArgument(
                                   "The tensor returned for ",
                                   prepared_->signature.fetches[number],
                                   " was not valid (a dead branch)");
                             }
                             if (status.ok()) {
                               (*outputs)[i] = std::move(value->tensor);
                             } else {
                               MutexLock lock(received.mu);
                               UpdateStatus(received.status, status);
                             }
                             if (received.pending.fetch_sub(1) == 1)
                               received.done.Notify();
                           });
  }
  if (!fetch_numbers.empty()) {
    WaitScope wait("local session: a partial run");
    received.done.Wait();
  }
  MR_RETURN_IF_ERROR(received.status);
  return BindAll(absl::MakeSpan(*outputs), nullptr);
}

Status LocalPartialRun::Run(
    const std::vector<std::pair<std::string, Tensor>>& feeds,
    const std::vector<std::string>& fetches, CancelScope* cancel,
    std::vector<Tensor>* outputs, bool* over) {
  std::vector<int> feed_numbers, fetch_numbers;
  bool last = false;
  MR_RETURN_IF_ERROR(
      Take(feeds, fetches, &feed_numbers, &fetch_numbers, &last));
  CancelScope::Registration outer;
  if (cancel != nullptr) {
    outer =
        cancel->Register([this, cancel] { scope_.Cancel(cancel->status()); });
    if (!outer.ok()) scope_.Cancel(outer.status);
  }
  Status status = Exchange(feeds, feed_numbers, fetch_numbers, outputs);
  if (!status.ok()) scope_.Cancel(MarkDerived(status));
  *over = last || !status.ok();
  if (*over) {
    WaitScope wait("local session: the end of a partial run");
    MutexLock lock(mu_);
    while (!ended_) end_.Wait(mu_);
    UpdateStatus(status, status_);
  }
  if (cancel != nullptr) cancel->Unregister(outer.token);
  if (!status.ok() && IsDerived(status) && cancel != nullptr &&
      cancel->cancelled()) {
    return cancel->status();
  }
  return status;
}

StatusOr<std::string> LocalSession::SetUpPartialRun(
    const RunSignature& signature) {
  std::shared_ptr<LocalPartialRun> run;
  std::string handle;
  StepEnvironment environment;
  {
    MutexLock lock(mu_);
    if (closed_) return Cancelled("Session has been closed.");
    MR_ASSIGN_OR_RETURN(Parts parts, Split(signature, /*partial=*/true));
    MR_ASSIGN_OR_RETURN(auto needs, FindNeeds(graph_.graph(), signature));
    lock.Unlock();
    MR_ASSIGN_OR_RETURN(const auto prepared, BuildPlans(std::move(parts)));
    lock.Lock();
    if (closed_) return Cancelled("Session has been closed.");
    ++running_;
    // With the last reference its kernels go, which use the session's devices:
    // the session waits for that, not for the end of the plans.
    run = std::shared_ptr<LocalPartialRun>(
        new LocalPartialRun(prepared, std::move(needs), &scope_),
        [this](LocalPartialRun* ended) {
          delete ended;
          EndStep();
        });
    environment.step_id = next_step_++;
    handle = absl::StrCat("partial_", environment.step_id);
    partial_runs_.emplace(handle, run);
  }
  environment.files = options_.files;
  environment.session_tensors = &tensors_;
  run->Start(environment, options_.devices[0]->lanes());
  return handle;
}

Status LocalSession::RunPartially(
    const std::string& handle,
    std::vector<std::pair<std::string, Tensor>> feeds,
    const std::vector<std::string>& fetches, CancelScope* cancel,
    std::vector<Tensor>* outputs) {
  std::shared_ptr<LocalPartialRun> run;
  {
    MutexLock lock(mu_);
    if (closed_) return Cancelled("Session has been closed.");
    const auto found = partial_runs_.find(handle);
    if (found == partial_runs_.end()) {
      return InvalidArgument(
          "Must run 'setup' before performing partial runs!");
    }
    run = found->second;
  }
  for (auto& [name, value] : feeds) {
    if (value.buffer() == nullptr || !value.buffer()->is_lent()) continue;
    MR_ASSIGN_OR_RETURN(value,
                        value.DeepCopy(options_.devices[0]->allocator()));
  }
  CancelScope limited(cancel);
  const int64_t timeout_ms = options_.config.operation_timeout_ms;
  if (timeout_ms > 0) {
    limited.CancelAt(Deadline::AfterMillis(timeout_ms),
                     options_.devices[0]->lanes().timer,
                     RunTimedOut(timeout_ms));
  }
  bool over = false;
  Status status = run->Run(feeds, fetches, &limited, outputs, &over);
  if (over) {
    MutexLock lock(mu_);
    partial_runs_.erase(handle);
  }
  return status;
}

}  // namespace millrace
