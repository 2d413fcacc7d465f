// The backend that runs a Session on the master of a cluster.
#include <limits>

#include "absl/container/flat_hash_map.h"
#include "millrace/base/random.h"
#include "millrace/client/backend/remote_master.h"
#include "millrace/client/backend/session_backend.h"

namespace millrace {
namespace {

// Returns the time limit of one run: its own, otherwise the session's.
int64_t RunTimeout(const RunOptions& options, const RemoteMaster& master) {
  return options.timeout_ms > 0 ? options.timeout_ms : master.timeout_ms();
}

Deadline After(int64_t timeout_ms) {
  return timeout_ms > 0 ? Deadline::AfterMillis(timeout_ms)
                        : Deadline::Infinite();
}

// Returns the deadline of a call whose request tells the server this limit:
// the server's error says what took so long.
Deadline AfterTheServers(int64_t timeout_ms) {
  constexpr int64_t kForTheAnswerMs = 500;
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  if (timeout_ms > kMost - kForTheAnswerMs) return Deadline::Infinite();
  return After(timeout_ms > 0 ? timeout_ms + kForTheAnswerMs : 0);
}

int64_t NewRequestId() { return static_cast<int64_t>(RandomUint64()); }

class RemoteRun final : public BackendRun {
 public:
  RemoteRun(std::shared_ptr<RemoteMaster> master, std::string session,
            int64_t handle, RunOptions options)
      : master_(std::move(master)),
        session_(std::move(session)),
        handle_(handle),
        options_(std::move(options)) {}

  ~RemoteRun() override {
    if (master_->session_is_closing()) return;  // which releases all
    const ReleaseCallableRequest request{session_, handle_};
    ReleaseCallableReply reply;
    master_
        ->Call(&MasterApi::ReleaseCallable, request, &reply,
               Deadline::AfterMillis(5000), nullptr, "ReleaseCallable",
               /*closes=*/true)
        .IgnoreError();
  }

  Status Run(std::vector<Tensor> feeds, const RunContext& context,
             std::vector<Tensor>* fetches) override {
    RunCallableRequest request{session_, handle_, std::move(feeds),
                               NewRequestId()};
    RunCallableReply reply;
    MR_ASSIGN_OR_RETURN(const RunOptions options,
                        OptionsOfRun(options_, context.options));
    // The request carries no limit: one of this run is the call's deadline.
    const Deadline deadline = options.timeout_ms == options_.timeout_ms
                                  ? AfterTheServers(options.timeout_ms)
                                  : After(options.timeout_ms);
    MR_RETURN_IF_ERROR(master_->Call(&MasterApi::RunCallable, request, &reply,
                                     deadline, context.cancel, "RunCallable"));
    *fetches = std::move(reply.fetches);
    if (context.metadata)
      *context.metadata = std::move(reply.metadata).value_or(RunMetadata());
    return OkStatus();
  }

 private:
  const std::shared_ptr<RemoteMaster> master_;
  const std::string session_;
  const int64_t handle_;
  const RunOptions options_;
};

class RemoteBackend final : public SessionBackend {
 public:
  explicit RemoteBackend(const SessionOptions& options) : options_(options) {}

  Status Extend(const GraphDef& def) override {
    if (!master_) return Create(def);
    if (def.nodes.empty() && def.library.functions.empty()) return OkStatus();
    const ExtendSessionRequest request{handle_, def, graph_version_};
    ExtendSessionReply reply;
    // The master recognizes a duplicate of the last extension.
    MR_RETURN_IF_ERROR(master_->CallUntilAnswered(
        &MasterApi::ExtendSession, request, &reply,
        master_->OperationDeadline(), "ExtendSession"));
    graph_version_ = reply.new_graph_version;
    return OkStatus();
  }

  Status Run(const RunTensors& tensors, std::vector<Tensor> feeds,
             const RunContext& context, std::vector<Tensor>* fetches) override {
    return RunStep(/*partial_run=*/"", tensors, std::move(feeds), context,
                   fetches);
  }

  StatusOr<std::shared_ptr<BackendRun>> Prepare(
      const RunTensors& tensors, const RunOptions& options) override {
    MakeCallableRequest request;
    request.session_handle = handle_;
    request.request_id = NewRequestId();
    for (const Output& feed : tensors.feeds)
      request.options.feeds.push_back(feed.name());
    for (const Output& fetch : tensors.fetches)
      request.options.fetches.push_back(fetch.name());
    for (const Operation& target : tensors.targets) {
      request.options.targets.push_back(target.name());
    }
    RunOptions& run = request.options.run_options;
    run = options;
    run.timeout_ms = RunTimeout(options, *master_);
    MakeCallableReply reply;
    MR_RETURN_IF_ERROR(master_->Call(&MasterApi::MakeCallable, request, &reply,
                                     master_->OperationDeadline(), nullptr,
                                     "MakeCallable"));
    return std::shared_ptr<BackendRun>(
        std::make_shared<RemoteRun>(master_, handle_, reply.handle, run));
  }

  StatusOr<std::string> SetUpPartialRun(const RunTensors& tensors) override {
    PartialRunSetupRequest request;
    request.session_handle = handle_;
    for (const Output& feed : tensors.feeds)
      request.feeds.push_back(feed.name());
    for (const Output& fetch : tensors.fetches)
      request.fetches.push_back(fetch.name());
    for (const Operation& target : tensors.targets)
      request.targets.push_back(target.name());
    request.request_id = NewRequestId();
    PartialRunSetupReply reply;
    MR_RETURN_IF_ERROR(master_->Call(&MasterApi::PartialRunSetup, request,
                                     &reply, master_->OperationDeadline(),
                                     nullptr, "PartialRunSetup"));
    return std::move(reply.partial_run_handle);
  }

  Status RunPartially(const std::string& handle, const RunTensors& tensors,
                      std::vector<Tensor> feeds, const RunContext& context,
                      std::vector<Tensor>* fetches) override {
    return RunStep(handle, tensors, std::move(feeds), context, fetches);
  }

  StatusOr<std::vector<DeviceAttributes>> ListDevices() override {
    const ListDevicesRequest request{handle_};
    ListDevicesReply reply;
    MR_RETURN_IF_ERROR(master_->Call(&MasterApi::ListDevices, request, &reply,
                                     master_->OperationDeadline(), nullptr,
                                     "ListDevices"));
    std::vector<DeviceAttributes> devices = std::move(reply.local_devices);
    for (DeviceAttributes& device : reply.remote_devices)
      devices.push_back(std::move(device));
    return devices;
  }

  void CancelAll() override {
    closing_->Cancel(
        Cancelled("Step was cancelled by an explicit call to "
                  "`Session::Close()`. Session has been closed."));
  }

  Status Close() override {
    if (!master_) return OkStatus();
    // A live server answers at once.
    const Deadline deadline = Deadline::Min(master_->OperationDeadline(),
                                            Deadline::AfterMillis(10'000));
    const CloseSessionRequest request{handle_};
    CloseSessionReply reply;
    return master_->Call(&MasterApi::CloseSession, request, &reply, deadline,
                         nullptr, "CloseSession", /*closes=*/true);
  }

 private:
  // Runs a step, or a part of the partial run of that handle.
  Status RunStep(const std::string& partial_run, const RunTensors& tensors,
                 std::vector<Tensor> feeds, const RunContext& context,
                 std::vector<Tensor>* fetches) {
    RunStepRequest request;
    request.session_handle = handle_;
    request.partial_run_handle = partial_run;
    for (size_t i = 0; i < feeds.size(); ++i) {
      request.feeds.push_back({tensors.feeds[i].name(), std::move(feeds[i])});
    }
    // A tensor that is fetched twice is sent once.
    absl::flat_hash_map<std::string, size_t> positions;
    std::vector<size_t> place;
    for (const Output& fetch : tensors.fetches) {
      const auto [it, is_new] =
          positions.emplace(fetch.name(), positions.size());
      if (is_new) request.fetches.push_back(it->first);
      place.push_back(it->second);
    }
    for (const Operation& target : tensors.targets)
      request.targets.push_back(target.name());
    request.options = context.options;
    request.options.timeout_ms = RunTimeout(context.options, *master_);
    request.store_errors_in_response_body = true;
    request.request_id = NewRequestId();
    RunStepReply reply;
    MR_RETURN_IF_ERROR(
        master_->Call(&MasterApi::RunStep, request, &reply,
                      AfterTheServers(request.options.timeout_ms),
                      context.cancel, "RunStep"));
    MR_RETURN_IF_ERROR(reply.status);
    if (context.metadata)
      *context.metadata = std::move(reply.metadata).value_or(RunMetadata());
    return TakeFetches(request.fetches, place, &reply.tensors, fetches);
  }

  Status Create(const GraphDef& def) {
    MR_ASSIGN_OR_RETURN(auto master, RemoteMaster::Connect(options_, closing_));
    const CreateSessionRequest request{def, options_.config, options_.target};
    CreateSessionReply reply;
    MR_RETURN_IF_ERROR(master->CallWhenUp(
        &MasterApi::CreateSession, request, &reply, master->OperationDeadline(),
        Deadline::AfterMillis(options_.connect_timeout_ms), "CreateSession"));
    master_ = std::move(master);
    handle_ = std::move(reply.session_handle);
    graph_version_ = reply.graph_version;
    return OkStatus();
  }

  static Status TakeFetches(const std::vector<std::string>& names,
                            const std::vector<size_t>& place,
                            std::vector<NamedTensor>* tensors,
                            std::vector<Tensor>* fetches) {
    // Servers answer in the order of the fetches, but the names decide.
    absl::flat_hash_map<std::string, Tensor> by_name;
    for (NamedTensor& named : *tensors)
      by_name[named.name] = std::move(named.tensor);
    for (size_t i : place) {
      const auto found = by_name.find(names[i]);
      if (found == by_name.end()) {
        return Internal("the server's answer lacks the fetched tensor ",
                        names[i]);
      }
      fetches->push_back(found->second);
    }
    return OkStatus();
  }

  const SessionOptions& options_;
  const std::shared_ptr<CancelScope> closing_ = std::make_shared<CancelScope>();
  // Set by the first Extend that succeeds.
  std::shared_ptr<RemoteMaster> master_;
  std::string handle_;
  int64_t graph_version_ = 0;
};

}  // namespace

std::unique_ptr<SessionBackend> MakeRemoteBackend(
    const SessionOptions& options) {
  return std::make_unique<RemoteBackend>(options);
}

Status ResetContainers(const SessionOptions& options,
                       const std::vector<std::string>& containers) {
  MR_ASSIGN_OR_RETURN(
      const auto master,
      RemoteMaster::Connect(options, std::make_shared<CancelScope>()));
  const ResetRequest request{containers, options.config.device_filters};
  ResetReply reply;
  return master->CallWhenUp(
      &MasterApi::Reset, request, &reply, master->OperationDeadline(),
      Deadline::AfterMillis(options.connect_timeout_ms), "Reset");
}

}  // namespace millrace
