#include "millrace/session/local_session.h"

#include <atomic>

#include "absl/strings/str_cat.h"
#include "millrace/base/log.h"
#include "millrace/base/threads/wait.h"
#include "millrace/exec/cost_graph.h"
#include "millrace/exec/local_rendezvous.h"
#include "millrace/exec/step_stats.h"
#include "millrace/exec/step_stats_report.h"
#include "millrace/kernel/device_retirement.h"
#include "millrace/kernel/resource.h"
#include "millrace/kernel/step_container.h"
#include "millrace/session/partial_run.h"
#include "millrace/session/prepared.h"

namespace millrace {

namespace {

// The devices of a session.
class LocalTargets final : public FunctionTargets {
 public:
  explicit LocalTargets(const std::vector<std::unique_ptr<Device>>& devices) {
    for (const auto& device : devices) devices_.push_back(device.get());
  }
  Device* Find(absl::string_view name) override {
    MutexLock lock(mu_);
    for (Device* const device : devices_) {
      if (device->name() == name) return device;
    }
    return nullptr;
  }
  void RunRemote(const StepEnvironment&, const RemoteFunction& function,
                 std::vector<Tensor>, FunctionRunner::RunDone done) override {
    std::move(done)(NoFunctionTarget(function.device), {});
  }
  void End() override {
    MutexLock lock(mu_);
    devices_.clear();
  }

 private:
  Mutex mu_;
  std::vector<Device*> devices_;  // guarded by mu_
};

Status CheckFeeds(const LocalSession::Prepared& prepared,
                  const std::vector<Tensor>& feeds) {
  if (feeds.size() != prepared.feed_types.size()) {
    return InvalidArgument("got ", feeds.size(), " feeds, expected ",
                           prepared.feed_types.size());
  }
  for (size_t i = 0; i < feeds.size(); ++i) {
    if (feeds[i].dtype() != prepared.feed_types[i]) {
      return InvalidArgument("feed ", prepared.signature.feeds[i], " has type ",
                             DataTypeName(feeds[i].dtype()), ", expected ",
                             DataTypeName(prepared.feed_types[i]));
    }
  }
  return OkStatus();
}

// Makes feeds whose memory is the program's own.
Status CopyLent(std::vector<Tensor>* feeds, Allocator* allocator) {
  for (Tensor& feed : *feeds) {
    if (feed.buffer() == nullptr || !feed.buffer()->is_lent()) continue;
    MR_ASSIGN_OR_RETURN(feed, feed.DeepCopy(allocator));
  }
  return OkStatus();
}

Status CheckFetches(const LocalSession::Prepared& prepared,
                    const std::vector<Tensor>& values) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (!values[i].valid()) {
      return InvalidArgument(
          "Retval[", i, "] does not have value: the tensor returned for ",
          prepared.signature.fetches[i], " was not valid (a dead branch)");
    }
  }
  return OkStatus();
}

// Returns whether a step updates the cost model: every `build_cost_model` steps
// of a kind, after the first `build_cost_model_after` ones.
bool MeasuresCosts(const GraphOptions& options, int64_t steps_before) {
  if (steps_before < options.build_cost_model_after) return false;
  const uint64_t step = static_cast<uint64_t>(steps_before) -
                        static_cast<uint64_t>(options.build_cost_model_after);
  return (step + 1) % static_cast<uint64_t>(options.build_cost_model) == 0;
}

Status RunAndWait(const std::shared_ptr<const PlanSet>& plans,
                  const PlanRun& run) {
  Status status;
  // Most runs complete on this thread before Run returns.
  std::atomic<bool> completed{false};
  Notification done;
  PlanSet::Run(plans, run, Done([&](Status s) {
                 status = std::move(s);
                 completed.store(true, std::memory_order_release);
                 done.Notify();
               }));
  if (!completed.load(std::memory_order_acquire)) {
    WaitScope wait(
        absl::StrCat("local session: step ", run.environment->step_id));
    done.Wait();
  } else {
    done.Wait();
  }
  return status;
}

}  // namespace

LocalSession::LocalSession(LocalSessionOptions options)
    : options_(std::move(options)), graph_(options_.ops, options_.kernels) {
  for (const auto& device : options_.devices) {
    placeable_.push_back(
        {device->name(), device->parsed_name(), device->type()});
  }
  targets_ = std::make_shared<LocalTargets>(options_.devices);
  placement_.default_task = options_.devices[0]->parsed_name();
  placement_.default_task.type.reset();
  placement_.default_task.index.reset();
  placement_.allow_soft_placement = options_.config.allow_soft_placement;
}

StatusOr<std::unique_ptr<LocalSession>> LocalSession::Create(
    LocalSessionOptions options) {
  if (options.devices.empty())
    return InvalidArgument("a session needs at least one device");
  if (options.ops == nullptr || options.kernels == nullptr) {
    return InvalidArgument("a session needs the tables of ops and kernels");
  }
  if (options.files == nullptr) options.files = DefaultFiles();
  std::unique_ptr<LocalSession> session(new LocalSession(std::move(options)));
  session->kernels_ = std::make_unique<KernelCache>(session->options_.kernels);
  return session;
}

LocalSession::~LocalSession() {
  Close().IgnoreError();
  // Those that nobody has ended, without the lock, which their ends take.
  decltype(partial_runs_) cancelled;
  {
    MutexLock lock(mu_);
    cancelled.swap(partial_runs_);
  }
  cancelled.clear();
  {
    MutexLock lock(mu_);
    while (running_ > 0) {
      WaitScope wait("local session: runs in progress");
      idle_.Wait(mu_);
    }
  }
  // The devices are destroyed last, or later: iterators may still be working
  // there.
  targets_->End();
  prepared_.clear();
  kernels_ = nullptr;
  const DeviceRetirement retirement(options_.devices);
}

Status LocalSession::Close() {
  {
    MutexLock lock(mu_);
    if (closed_) return OkStatus();
    closed_ = true;
  }
  scope_.Cancel(
      Cancelled("Step was cancelled by an explicit call to "
                "`Session::Close()`. Session has been closed."));
  for (auto& device : options_.devices) device->resources().ClearAll();
  return OkStatus();
}

Device* LocalSession::FindDevice(absl::string_view name) const {
  for (const auto& device : options_.devices) {
    if (device->name() == name) return device.get();
  }
  return nullptr;
}

Status LocalSession::Extend(const GraphDef& def) {
  MutexLock lock(mu_);
  if (closed_) return Cancelled("Session has been closed.");
  absl::AnyInvocable<void(const std::string&)> log =
      [](const std::string& line) { MR_LOG(Info) << line; };
  PlacementOptions placement;
  placement.default_task = placement_.default_task;
  placement.allow_soft_placement = placement_.allow_soft_placement;
  if (options_.config.log_device_placement) placement.log = &log;
  MR_RETURN_IF_ERROR(graph_.Extend(def, placeable_, placement));
  kernels_->SetLibrary(graph_.library());
  return OkStatus();
}

std::vector<DeviceAttributes> LocalSession::ListDevices() const {
  std::vector<DeviceAttributes> list;
  for (const auto& device : options_.devices)
    list.push_back(device->attributes());
  return list;
}

LocalSession::Counts LocalSession::counts() {
  Counts counts;
  counts.kernels = kernels_->num_kernels();
  MutexLock lock(mu_);
  counts.prepared = static_cast<int64_t>(prepared_.size());
  return counts;
}

Status LocalSession::Run(const RunRequest& request,
                         std::vector<Tensor>* outputs, RunMetadata* metadata) {
  RunSignature signature;
  std::vector<Tensor> feeds;
  signature.feeds.reserve(request.feeds.size());
  feeds.reserve(request.feeds.size());
  for (const auto& [name, value] : request.feeds) {
    signature.feeds.push_back(name);
    feeds.push_back(value);
  }
  signature.fetches = request.fetches;
  signature.targets = request.targets;
  MR_ASSIGN_OR_RETURN(const std::shared_ptr<const Prepared> prepared,
                      Prepare(signature));
  return RunPrepared(*prepared, std::move(feeds), request.options,
                     request.cancel, outputs, metadata);
}

Status LocalSession::RunPrepared(const Prepared& prepared,
                                 std::vector<Tensor> feeds,
                                 const RunOptions& options, CancelScope* cancel,
                                 std::vector<Tensor>* outputs,
                                 RunMetadata* metadata) {
  MR_RETURN_IF_ERROR(CheckFeeds(prepared, feeds));
  if (prepared.keeps_inputs) {
    MR_RETURN_IF_ERROR(CopyLent(&feeds, options_.devices[0]->allocator()));
  }
  const GraphOptions& graph_options = options_.config.graph_options;
  const bool measures_costs =
      graph_options.build_cost_model > 0 &&
      MeasuresCosts(graph_options, prepared.steps.fetch_add(1));
  std::unique_ptr<StepStatsCollector> stats;
  if (metadata != nullptr &&
      (measures_costs || options.trace_level != TraceLevel::kNone)) {
    stats = std::make_unique<StepStatsCollector>();
    stats->KeepAll();
  }
  std::vector<Tensor> retvals(prepared.signature.fetches.size());
  MR_ASSIGN_OR_RETURN(const int64_t step_id, BeginStep(prepared));
  const Status status =
      RunStep(prepared, step_id, feeds, options, cancel, stats.get(), &retvals);
  EndStep();
  MR_RETURN_IF_ERROR(status);
  MR_RETURN_IF_ERROR(CheckFetches(prepared, retvals));
  if (outputs) *outputs = std::move(retvals);
  if (metadata) {
    if (stats) {
      const StepEvents events = stats->Events();
      metadata->step_stats = ToStepStats(events);
      if (measures_costs) {
        metadata->cost_graph = ToCostGraph(events, *prepared.plans);
      }
    }
    if (options.output_partition_graphs)
      metadata->partition_graphs = prepared.partition_graphs;
  }
  return OkStatus();
}

StatusOr<int64_t> LocalSession::BeginStep(const Prepared& prepared) {
  MutexLock lock(mu_);
  if (closed_) return Cancelled("Session has been closed.");
  ++running_;
  return prepared.last_step = next_step_++;
}

void LocalSession::EndStep() {
  MutexLock lock(mu_);
  if (--running_ == 0) idle_.NotifyAll();
}

Status LocalSession::RunStep(const Prepared& prepared, int64_t step_id,
                             absl::Span<const Tensor> feeds,
                             const RunOptions& options, CancelScope* cancel,
                             StepStatsCollector* stats,
                             std::vector<Tensor>* retvals) {
  CancelScope scope(&scope_);
  CancelScope::Registration outer;
  if (cancel != nullptr) {
    outer =
        cancel->Register([&scope, cancel] { scope.Cancel(cancel->status()); });
    if (!outer.ok()) scope.Cancel(outer.status);
  }
  StepContainer container;
  auto rendezvous = MakeRef<LocalRendezvous>();
  StepEnvironment environment;
  environment.step_id = step_id;
  environment.cancel = &scope;
  environment.rendezvous = rendezvous.get();
  environment.container = &container;
  environment.functions = prepared.functions.get();
  environment.files = options_.files;
  environment.session_tensors = &tensors_;
  environment.stats = stats;
  Lanes& lanes = options_.devices[0]->lanes();
  const int64_t timeout_ms = options.timeout_ms > 0
                                 ? options.timeout_ms
                                 : options_.config.operation_timeout_ms;
  if (timeout_ms > 0) {
    environment.deadline = Deadline::AfterMillis(timeout_ms);
    scope.CancelAt(environment.deadline, lanes.timer, RunTimedOut(timeout_ms));
  }
  PlanRun run;
  run.environment = &environment;
  run.args = feeds;
  run.retvals = retvals;
  run.pool = &lanes.inter_op;
  run.may_use_caller = true;
  Status status = RunAndWait(prepared.plans, run);
  if (cancel != nullptr) cancel->Unregister(outer.token);
  // A derived error after a cancellation is reported as the cancellation's
  // reason.
  if (!status.ok() && IsDerived(status) && scope.cancelled())
    status = scope.status();
  return status;
}

}  // namespace millrace
