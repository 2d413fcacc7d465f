#include "millrace/cluster/master/master_session.h"

#include <utility>

#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "millrace/base/random.h"
#include "millrace/cluster/master/run/master_step.h"
#include "millrace/cluster/master/run/prepare_run.h"

namespace millrace {
namespace {

// Number of ended requests that are remembered.
constexpr size_t kRequestsRemembered = 4096;

// Returns the task of `cluster` that the client means by `target`.
StatusOr<TaskName> TaskAt(const ClusterSpec& cluster,
                          absl::string_view target) {
  absl::string_view address = target;
  absl::ConsumePrefix(&address, "grpc://");
  for (const TaskName& task : cluster.Tasks()) {
    const StatusOr<std::string> at = cluster.Address(task);
    if (at.ok() && *at == address) return task;
  }
  return InvalidArgument(
      "The session's cluster_def has no task at the session's target '", target,
      "': ", cluster.ToString());
}

}  // namespace

MasterSession::MasterSession(MasterEnvironment& environment,
                             ConfigOptions config)
    : environment_(environment),
      handle_(absl::StrFormat("%016x", RandomUint64())),
      config_(std::move(config)),
      step_seed_(RandomUint64()),
      graph_release_(MakeRef<GraphRelease>(environment, handle_)),
      graph_turns_(&environment.lanes().control),
      graph_(environment.options.ops, environment.options.kernels),
      runs_(environment.options.max_prepared_runs),
      requests_(kRequestsRemembered) {}

MasterSession::~MasterSession() = default;

StatusOr<Ref<MasterSession>> MasterSession::Make(MasterEnvironment& environment,
                                                 ConfigOptions config,
                                                 const std::string& target) {
  const MasterOptions& options = environment.options;
  Ref<MasterSession> session = Ref<MasterSession>::Adopt(
      new MasterSession(environment, std::move(config)));
  session->self_ = options.self;
  session->shared_peers_ = options.peers;
  if (!session->config_.cluster_def.jobs.empty()) {
    if (options.transport == nullptr) {
      return Unimplemented("this server takes no cluster_def from sessions");
    }
    MR_ASSIGN_OR_RETURN(ClusterSpec cluster,
                        ClusterSpec::FromDef(session->config_.cluster_def));
    MR_ASSIGN_OR_RETURN(session->self_, TaskAt(cluster, target));
    session->own_peers_ =
        MakePeers({.self = session->self_,
                   .cluster = std::move(cluster),
                   .transport = options.transport,
                   .self_worker = options.worker,
                   .rename_devices = true,
                   .lanes = options.lanes,
                   .probe_interval_ms = options.probe_interval_ms,
                   .traffic = options.traffic});
  }
  MR_ASSIGN_OR_RETURN(
      session->filter_,
      TaskFilter::Make(session->config_.device_filters, session->self_));
  return session;
}

Ref<PreparedRun> MasterSession::Prepare(const RunStepRequest& request) {
  Ref<PreparedRun> run;
  std::vector<Ref<PreparedRun>> evicted;  // released after the lock
  {
    MutexLock lock(mu_);
    run = runs_.Find(request);
    if (run) return run;
    run = MakeRef<PreparedRun>(SignatureOf(request));
    run->collective_graph_key =
        request.options.experimental.collective_graph_key;
    evicted = runs_.Add(run);
  }
  PrepareRun(Ref<MasterSession>::Share(this), run);
  return run;
}

Ref<PreparedRun> MasterSession::Prepare(const CallableOptions& options) {
  RunSignature signature{options.feeds, options.fetches, options.targets};
  Ref<PreparedRun> run;
  std::vector<Ref<PreparedRun>> evicted;  // released after the lock
  {
    MutexLock lock(mu_);
    // With connections the graph is a different one, which RunStep must not
    // find.
    const bool shared = options.tensor_connections.empty();
    if (shared) run = runs_.Find(signature);
    if (run) return run;
    run = MakeRef<PreparedRun>(std::move(signature));
    run->connections = options.tensor_connections;
    run->collective_graph_key =
        options.run_options.experimental.collective_graph_key;
    if (shared) evicted = runs_.Add(run);
  }
  PrepareRun(Ref<MasterSession>::Share(this), run);
  return run;
}

void MasterSession::Forget(const PreparedRun* run) {
  Ref<PreparedRun> removed;  // released after the lock
  MutexLock lock(mu_);
  removed = runs_.Remove(run);
}

int64_t MasterSession::num_prepared_runs() {
  MutexLock lock(mu_);
  auto count = static_cast<int64_t>(runs_.size());
  for (const auto& [handle, callable] : callables_) {
    count += callable->run->connections.empty() ? 0 : 1;
  }
  return count;
}

int64_t MasterSession::AddCallable(CallableOptions options,
                                   Ref<PreparedRun> run) {
  auto callable = std::make_shared<Callable>();
  callable->options = std::move(options);
  callable->run = std::move(run);
  MutexLock lock(mu_);
  const int64_t handle = next_callable_++;
  callables_[handle] = std::move(callable);
  return handle;
}

StatusOr<std::shared_ptr<const MasterSession::Callable>>
MasterSession::FindCallable(int64_t handle) {
  MutexLock lock(mu_);
  const auto found = callables_.find(handle);
  if (found == callables_.end()) {
    return InvalidArgument("No such callable handle: ", handle);
  }
  return found->second;
}

void MasterSession::RemoveCallable(int64_t handle) {
  std::shared_ptr<const Callable> removed;  // released after the lock
  MutexLock lock(mu_);
  const auto found = callables_.find(handle);
  if (found == callables_.end()) return;
  removed = std::move(found->second);
  callables_.erase(found);
}

Status MasterSession::Enter(MasterStep* step, int64_t request_id,
                            Ref<MasterStep>* twin) {
  MutexLock lock(mu_);
  MR_RETURN_IF_ERROR(closed_);
  StatusOr<Ref<MasterStep>> running =
      requests_.Begin(request_id, Ref<MasterStep>::Share(step));
  if (!running.ok()) {
    return Aborted("The request ", request_id,
                   " was received before, its step has ended, and its answer "
                   "is not kept");
  }
  if (*running != nullptr) {
    *twin = *std::move(running);
    return OkStatus();
  }
  step->previous_ = last_step_;
  (last_step_ ? last_step_->next_ : first_step_) = step;
  last_step_ = step;
  ++num_steps_;
  return OkStatus();
}

void MasterSession::Leave(MasterStep* step) {
  MutexLock lock(mu_);
  requests_.End(step->request_id());
  (step->previous_ ? step->previous_->next_ : first_step_) = step->next_;
  (step->next_ ? step->next_->previous_ : last_step_) = step->previous_;
  step->previous_ = step->next_ = nullptr;
  --num_steps_;
}

std::vector<Ref<MasterStep>> MasterSession::Steps() {
  std::vector<Ref<MasterStep>> steps;
  MutexLock lock(mu_);
  for (MasterStep* step = first_step_; step; step = step->next_) {
    steps.push_back(Ref<MasterStep>::Share(step));
  }
  return steps;
}

int64_t MasterSession::num_steps() {
  MutexLock lock(mu_);
  return num_steps_;
}

int64_t MasterSession::NewStepId() {
  // A bijection of a counter from a random start: no two steps of a session
  // have the same id, and those of two masters collide only by chance.
  const uint64_t n = next_step_.fetch_add(1, std::memory_order_relaxed);
  const uint64_t id =
      (step_seed_ + n * 0x9E3779B97F4A7C15) & ((uint64_t{1} << 56) - 1);
  return id != 0 ? static_cast<int64_t>(id) : NewStepId();
}

bool MasterSession::AddWorkerSession(Ref<Peer> peer) {
  MutexLock lock(mu_);
  if (!closed_.ok()) return false;
  for (const Ref<Peer>& there : worker_sessions_) {
    if (there == peer) return true;
  }
  worker_sessions_.push_back(std::move(peer));
  return true;
}

std::vector<Ref<Peer>> MasterSession::MarkClosed(const Status& reason) {
  std::vector<Ref<Peer>> tasks;
  {
    MutexLock lock(mu_);
    if (!closed_.ok()) return tasks;
    closed_ = reason;
    graph_release_->End();
    tasks.swap(worker_sessions_);
    callables_.clear();
    runs_.Clear();
  }
  scope_.Cancel(reason);
  partial_steps_.Close();
  for (const Ref<MasterStep>& step : Steps()) step->Cancel(reason);
  return tasks;
}

Status MasterSession::closed() {
  MutexLock lock(mu_);
  return closed_;
}

}  // namespace millrace
