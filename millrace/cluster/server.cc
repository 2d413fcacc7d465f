#include "millrace/cluster/server.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "millrace/base/files/rooted_files.h"
#include "millrace/base/log.h"
#include "millrace/base/memory/memory_budget.h"
#include "millrace/base/memory/retire.h"
#include "millrace/base/threads/wait.h"
#include "millrace/base/version.h"
#include "millrace/cluster/address.h"
#include "millrace/cluster/admin_service.h"
#include "millrace/cluster/master/master_service.h"
#include "millrace/cluster/service_gate.h"
#include "millrace/cluster/trace/tracer.h"
#include "millrace/cluster/trim_waits.h"
#include "millrace/cluster/worker/worker_service.h"
#include "millrace/device/devices.h"
#include "millrace/protocol/caller.h"

namespace millrace {
namespace {

constexpr int64_t kMaxGraceMs = 1'200;
// Time for telling the workers that their sessions have ended.
constexpr int64_t kFarewellMs = 300;
constexpr int64_t kShutdownMs = 300;
constexpr int kAllWaits = std::numeric_limits<int>::max();

int64_t ProcessThreads() {
  const StatusOr<std::string> text =
      ReadFileToString(DefaultFiles(), "/proc/self/status");
  if (!text.ok()) return 0;  // a simulation
  for (absl::string_view line : absl::StrSplit(*text, '\n')) {
    int64_t threads = 0;
    if (absl::ConsumePrefix(&line, "Threads:") &&
        absl::SimpleAtoi(absl::StripAsciiWhitespace(line), &threads)) {
      return threads;
    }
  }
  return 0;
}

class ServerImpl final : public Server, public AdminTarget {
 public:
  explicit ServerImpl(ServerOptions options)
      : options_(std::move(options)), admin_(this), start_nanos_(NowNanos()) {}

  ~ServerImpl() override {
    Stop(0);
    if (stopper_.joinable()) stopper_.Join();
    listener_.reset();
    master_.reset();
    worker_.reset();
    peers_.reset();
  }

  Status Init() {
    if (options_.transport == nullptr || options_.ops == nullptr ||
        options_.kernels == nullptr) {
      return InvalidArgument(
          "A server needs a transport and the tables of ops and kernels");
    }
    if (options_.lanes == nullptr) options_.lanes = &Lanes::Process();
    if (options_.files == nullptr) options_.files = DefaultFiles();
    tracer_ = std::make_shared<Tracer>(
        Tracer::Options{.lanes = options_.lanes,
                        .clock_skew_nanos = options_.clock_skew_nanos});
    MR_ASSIGN_OR_RETURN(ListenOptions listen, WhereToListen());
    if (!options_.file_root.empty()) {
      MR_ASSIGN_OR_RETURN(
          std::unique_ptr<RootedFiles> rooted,
          RootedFiles::Make(options_.files, options_.file_root));
      rooted_files_.reset(rooted.release());
      options_.files = rooted_files_.get();
    }
    MR_RETURN_IF_ERROR(MakeWorker());
    if (!options_.cluster_later) {
      MR_RETURN_IF_ERROR(OpenServices(options_.cluster));
    }
    MR_ASSIGN_OR_RETURN(listener_,
                        options_.transport->Listen(listen, {.master = &gate_,
                                                            .worker = &gate_,
                                                            .peer = nullptr,
                                                            .admin = &admin_}));
    host_ = listen.host;
    LogStart();
    return OkStatus();
  }

  Status SetCluster(ClusterSpec cluster) override {
    if (peers_ != nullptr) {
      return FailedPrecondition("The server has its cluster already");
    }
    MR_RETURN_IF_ERROR(OpenServices(cluster));
    options_.cluster = std::move(cluster);
    MR_LOG(Info) << task().ToString()
                 << " has its cluster: " << options_.cluster.ToString();
    return OkStatus();
  }

  std::string target() const override {
    return absl::StrCat("grpc://", AdvertisedAddress());
  }
  int port() const override { return listener_->port(); }
  const TaskName& task() const override { return options_.task; }

  void Stop(int64_t grace_ms) override {
    {
      MutexLock lock(mu_);
      if (std::exchange(stopping_, true)) {
        lock.Unlock();
        return Join();
      }
    }
    const Status reason = Aborted("The server ", task().ToString(), " at ",
                                  AdvertisedAddress(), " was stopped");
    if (master_ != nullptr) {
      master_->Stop(reason);
      master_->WaitForSteps(
          Deadline::AfterMillis(std::clamp<int64_t>(grace_ms, 0, kMaxGraceMs)));
      master_->CancelRuns(reason, MasterService::Workers::kTold);
    }
    EndServices(reason, Deadline::AfterMillis(kFarewellMs));
    if (listener_ != nullptr) MR_LOG(Info) << task().ToString() << " stopped";
    stopped_.Notify();
  }

  void Kill() override {
    {
      MutexLock lock(mu_);
      if (std::exchange(stopping_, true)) {
        lock.Unlock();
        return Join();
      }
    }
    if (listener_ != nullptr) listener_->Kill();
    const Status reason = Unavailable("The server was killed");
    if (master_ != nullptr) {
      master_->Stop(reason);
      master_->CancelRuns(reason, MasterService::Workers::kNotTold);
    }
    EndServices(reason, Deadline::AfterMillis(0));
    stopped_.Notify();
  }

  void Join() override {
    WaitScope wait("the server's end");
    stopped_.Wait();
  }

  // ---- AdminTarget.

  void BeginStop(int64_t grace_ms, const std::string&) override {
    MutexLock lock(mu_);
    if (stopping_ || stopper_.joinable()) return;
    stopper_ = Thread("stop", [this, grace_ms] { Stop(grace_ms); });
  }

  void FillStatus(int max_waits, ServerStatusReply* reply) override {
    reply->task = task().ToString();
    reply->incarnation = worker_->devices()[0]->attributes().incarnation;
    reply->version = kVersion;
    reply->uptime_ms = (NowNanos() - start_nanos_) / 1'000'000;
    const WorkerCounts worker = worker_->counts();
    reply->worker_sessions = worker.sessions;
    reply->registered_graphs = worker.graphs;
    reply->plans = worker.plans;
    reply->kernels = worker.kernels;
    reply->running_steps = worker.running_steps;
    reply->rendezvous_entries = worker.rendezvous_entries;
    reply->queues = worker.queues;
    reply->variables = worker.variables;
    reply->variable_bytes = worker.variable_bytes;
    reply->steps_done = worker.steps_done;
    reply->steps_failed = worker.steps_failed;
    reply->bytes_sent = traffic_->sent();
    reply->bytes_received = traffic_->received();
    const MemoryBudget& memory = MemoryBudget::Process();
    reply->memory_used_bytes = memory.used();
    reply->memory_peak_bytes = memory.peak();
    reply->memory_limit_bytes = memory.limit();
    reply->threads = ProcessThreads();
    std::vector<std::vector<ServerWait>> waits;
    if (MasterService* master = ready_master_.load(std::memory_order_acquire)) {
      const MasterCounts counts = master->counts();
      reply->master_sessions = counts.sessions;
      reply->prepared_runs = counts.prepared_runs;
      waits.push_back(master->waits(kAllWaits));
    }
    waits.push_back(worker_->waits(kAllWaits));
    waits.push_back(NamedWaits());
    for (const auto& device : worker_->devices()) {
      const DeviceMemoryUse use = device->memory_use();
      reply->devices.push_back(
          {.name = device->name(),
           .description = device->attributes().physical_description,
           .memory_used_bytes = use.used_bytes,
           .memory_peak_bytes = use.peak_bytes,
           .memory_limit_bytes = use.limit_bytes});
    }
    reply->waits = TrimWaits(std::move(waits), static_cast<size_t>(max_waits));
  }

  std::string TaskText() const override { return task().ToString(); }
  const std::shared_ptr<Tracer>& tracer() const override { return tracer_; }

  StatusOr<std::vector<TraceTask>> ClusterTasks() const override {
    if (ready_master_.load(std::memory_order_acquire) == nullptr) {
      return FailedPrecondition("The server has not learned its cluster yet");
    }
    const ClusterSpec& cluster = peers_->cluster();
    std::vector<TraceTask> tasks;
    for (const TaskName& name : cluster.Tasks()) {
      MR_ASSIGN_OR_RETURN(std::string address, cluster.Address(name));
      tasks.push_back({name.ToString(), std::move(address)});
    }
    return tasks;
  }

  std::shared_ptr<AdminApi> StubFor(const std::string& address) override {
    struct Link {
      std::shared_ptr<Caller> caller;
      std::unique_ptr<AdminApi> api;
    };
    MutexLock lock(mu_);
    std::shared_ptr<AdminApi>& known = admins_[address];
    if (known == nullptr) {
      auto link = std::make_shared<Link>();
      link->caller = options_.transport->Connect(address);
      link->api = MakeAdminStub(link->caller.get());
      known = std::shared_ptr<AdminApi>(link, link->api.get());
    }
    return known;
  }

  std::vector<ServerWait> StepWaits(int max) override {
    MasterService* master = ready_master_.load(std::memory_order_acquire);
    return master == nullptr ? std::vector<ServerWait>() : master->waits(max);
  }

 private:
  StatusOr<ListenOptions> WhereToListen() const {
    HostPort entry{.host = "127.0.0.1", .port = 0};
    if (!options_.cluster_later) {
      MR_ASSIGN_OR_RETURN(const std::string address,
                          options_.cluster.Address(options_.task));
      MR_ASSIGN_OR_RETURN(entry, HostPort::Parse(address));
    }
    ListenOptions listen;
    listen.host = options_.bind.empty() ? entry.host : options_.bind;
    if (IsAnyHost(listen.host)) listen.host = "0.0.0.0";
    listen.port = options_.port >= 0 ? options_.port : entry.port;
    if (!IsLoopback(listen.host) && !options_.insecure) {
      return FailedPrecondition(
          "Listening on ", listen.host,
          " would let anybody who reaches it run graphs and read files: say "
          "--insecure if the network is trusted, or --bind 127.0.0.1");
    }
    return listen;
  }

  Status MakeWorker() {
    DeviceOptions devices;
    for (const auto& [type, count] : options_.device_count) {
      devices.device_count[type] = count;
    }
    devices.fake_gpu = options_.fake_gpu;
    devices.gpu = options_.gpu;
    if (!devices.device_count.contains("GPU") && IsParameterServer()) {
      devices.device_count["GPU"] = 0;
    }
    devices.lanes = options_.lanes;
    WorkerServiceOptions worker;
    worker.task = options_.task;
    MR_ASSIGN_OR_RETURN(worker.devices, MakeDevices(devices, options_.task.job,
                                                    options_.task.index));
    worker.ops = options_.ops;
    worker.kernels = options_.kernels;
    worker.differentiate = options_.differentiate;
    worker.files = options_.files;
    worker.lanes = options_.lanes;
    worker.transport = options_.transport;
    worker.traffic = traffic_;
    worker.tracer = tracer_.get();
    worker.probe_interval_ms = options_.probe_interval_ms;
    MR_ASSIGN_OR_RETURN(worker_, WorkerService::Make(std::move(worker)));
    return OkStatus();
  }

  // Parameters lie in the memory of the machine unless somebody asks for GPUs:
  // a process that only keeps them would take the memory of all cards.
  bool IsParameterServer() const {
    if (options_.task.job != "ps" || !options_.gpu.visible_devices.empty() ||
        !options_.gpu.virtual_devices_mb.empty()) {
      return false;
    }
    if (options_.gpu.memory_fraction != 0 || options_.gpu.allow_growth) {
      MR_LOG(Warning) << "a server of job ps takes no GPU: how much of its "
                         "memory it may take has no effect without "
                         "--visible_devices or --device_count GPU=N";
    }
    return true;
  }

  Status OpenServices(const ClusterSpec& cluster) {
    MR_RETURN_IF_ERROR(cluster.Address(options_.task).status());
    peers_ = MakePeers({.self = options_.task,
                        .cluster = cluster,
                        .transport = options_.transport,
                        .self_worker = worker_.get(),
                        .rename_devices = false,
                        .lanes = options_.lanes,
                        .probe_interval_ms = options_.probe_interval_ms,
                        .traffic = traffic_});
    worker_->SetPeers(peers_.get());
    MasterOptions master;
    master.self = options_.task;
    master.incarnation = worker_->devices()[0]->attributes().incarnation;
    master.peers = peers_.get();
    master.worker = worker_.get();
    master.transport = options_.transport;
    master.traffic = traffic_;
    master.tracer = tracer_.get();
    master.ops = options_.ops;
    master.kernels = options_.kernels;
    master.device = worker_->devices()[0].get();
    master.lanes = options_.lanes;
    master.default_session_config = options_.default_session_config;
    master.session_wait_ms = options_.session_wait_ms;
    master.probe_interval_ms = options_.probe_interval_ms;
    master.max_prepared_runs = options_.max_prepared_runs;
    master_ = MasterService::Make(std::move(master));
    ready_master_.store(master_.get(), std::memory_order_release);
    gate_.Open(master_.get(), worker_.get());
    return OkStatus();
  }

  // All steps were cancelled or have ended; ends the services.
  void EndServices(const Status& reason, Deadline farewell) {
    if (worker_ != nullptr) {
      worker_->Stop(reason);
      worker_->CancelRuns(reason);
    }
    if (master_ != nullptr) master_->Join(farewell);
    if (listener_ != nullptr) {
      listener_->Shutdown(Deadline::AfterMillis(kShutdownMs));
    }
    if (worker_ != nullptr) worker_->Join();
  }

  std::vector<ServerWait> NamedWaits() const {
    std::vector<ServerWait> waits;
    const int64_t now = NowNanos();
    for (const WaitInfo& wait : ListWaits()) {
      waits.push_back({.kind = "thread",
                       .text = absl::StrCat(wait.thread_name, ": ", wait.what),
                       .waiting_ms = (now - wait.since_nanos) / 1'000'000,
                       .step_id = 0});
    }
    return waits;
  }

  std::string AdvertisedAddress() const {
    const int port = listener_ == nullptr ? 0 : listener_->port();
    if (options_.advertise.empty()) {
      return HostPort{.host = IsAnyHost(host_) ? "127.0.0.1" : host_,
                      .port = port}
          .ToString();
    }
    const StatusOr<HostPort> given = HostPort::Parse(options_.advertise);
    if (!given.ok()) {
      return HostPort{.host = options_.advertise, .port = port}.ToString();
    }
    return HostPort{.host = given->host,
                    .port = given->port == 0 ? port : given->port}
        .ToString();
  }

  void LogStart() const {
    MR_LOG(Info) << "Millrace " << kVersion << " " << task().ToString()
                 << " listens on " << listener_->address() << ", for clients "
                 << target();
    for (const auto& device : worker_->devices()) {
      const DeviceAttributes& of = device->attributes();
      MR_LOG(Info) << "device " << of.name << ", up to "
                   << (of.memory_limit_bytes >> 20) << " MiB"
                   << (of.physical_description.empty() ? "" : ", ")
                   << of.physical_description;
    }
    if (!IsLoopback(host_)) {
      MR_LOG(Warning) << "--insecure: whoever reaches " << listener_->address()
                      << " may run graphs and use files"
                      << (options_.file_root.empty()
                              ? ""
                              : absl::StrCat(" below ", options_.file_root));
    }
  }

  ServerOptions options_;
  std::unique_ptr<RootedFiles, RetireDelete> rooted_files_;
  const std::shared_ptr<Traffic> traffic_ = std::make_shared<Traffic>();
  ServiceGate gate_{traffic_};
  std::shared_ptr<Tracer> tracer_;
  AdminService admin_;
  const int64_t start_nanos_;
  std::string host_;
  std::unique_ptr<WorkerService> worker_;
  std::unique_ptr<Peers> peers_;
  std::unique_ptr<MasterService> master_;
  // Like master_, for calls that may arrive while SetCluster runs.
  std::atomic<MasterService*> ready_master_{nullptr};
  std::unique_ptr<Listener> listener_;

  Mutex mu_;  // guards stopping_, stopper_ and admins_
  bool stopping_ = false;
  Thread stopper_;
  std::map<std::string, std::shared_ptr<AdminApi>> admins_;  // by address
  Notification stopped_;
};

}  // namespace

StatusOr<std::unique_ptr<Server>> Server::Start(const ServerOptions& options) {
  auto server = std::make_unique<ServerImpl>(options);
  MR_RETURN_IF_ERROR(server->Init());
  return std::unique_ptr<Server>(std::move(server));
}

}  // namespace millrace
