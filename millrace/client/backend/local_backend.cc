// The backend that runs a Session in this process.
#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "millrace/client/backend/session_backend.h"
#include "millrace/client/default_tables.h"
#include "millrace/device/devices.h"
#include "millrace/session/local_session.h"

namespace millrace {
namespace {

// The session and the objects that it uses, in an order in which they can be
// destroyed.
struct LocalRuntime {
  std::unique_ptr<Lanes> lanes;  // null: those of the process
  std::unique_ptr<LocalSession> session;
};

class LocalRun final : public BackendRun {
 public:
  LocalRun(std::shared_ptr<LocalRuntime> runtime,
           std::shared_ptr<const LocalSession::Prepared> prepared,
           const RunOptions& options)
      : runtime_(std::move(runtime)),
        prepared_(std::move(prepared)),
        options_(options) {}

  Status Run(std::vector<Tensor> feeds, const RunContext& context,
             std::vector<Tensor>* fetches) override {
    MR_ASSIGN_OR_RETURN(const RunOptions options,
                        OptionsOfRun(options_, context.options));
    return runtime_->session->RunPrepared(*prepared_, std::move(feeds), options,
                                          context.cancel, fetches,
                                          context.metadata);
  }

 private:
  const std::shared_ptr<LocalRuntime> runtime_;
  const std::shared_ptr<const LocalSession::Prepared> prepared_;
  const RunOptions options_;
};

class LocalBackend final : public SessionBackend {
 public:
  LocalBackend(const OpRegistry& ops, const SessionOptions& options)
      : ops_(ops), options_(options) {}

  Status Extend(const GraphDef& def) override {
    if (!runtime_) MR_RETURN_IF_ERROR(Create());
    return def.nodes.empty() && def.library.functions.empty()
               ? OkStatus()
               : runtime_->session->Extend(def);
  }

  Status Run(const RunTensors& tensors, std::vector<Tensor> feeds,
             const RunContext& context, std::vector<Tensor>* fetches) override {
    MR_ASSIGN_OR_RETURN(const auto prepared, Find(tensors));
    return runtime_->session->RunPrepared(*prepared, std::move(feeds),
                                          context.options, context.cancel,
                                          fetches, context.metadata);
  }

  StatusOr<std::shared_ptr<BackendRun>> Prepare(
      const RunTensors& tensors, const RunOptions& options) override {
    MR_ASSIGN_OR_RETURN(auto prepared, Find(tensors));
    RunOptions run = options;
    if (run.timeout_ms <= 0) {
      run.timeout_ms = options_.config.operation_timeout_ms;
    }
    return std::shared_ptr<BackendRun>(
        std::make_shared<LocalRun>(runtime_, std::move(prepared), run));
  }

  StatusOr<std::string> SetUpPartialRun(const RunTensors& tensors) override {
    return runtime_->session->SetUpPartialRun(NamesOf(tensors));
  }

  Status RunPartially(const std::string& handle, const RunTensors& tensors,
                      std::vector<Tensor> feeds, const RunContext& context,
                      std::vector<Tensor>* fetches) override {
    const RunSignature names = NamesOf(tensors);
    std::vector<std::pair<std::string, Tensor>> named;
    for (size_t i = 0; i < feeds.size(); ++i) {
      named.emplace_back(names.feeds[i], std::move(feeds[i]));
    }
    return runtime_->session->RunPartially(
        handle, std::move(named), names.fetches, context.cancel, fetches);
  }

  StatusOr<std::vector<DeviceAttributes>> ListDevices() override {
    return runtime_->session->ListDevices();
  }

  Status Close() override {
    return runtime_ ? runtime_->session->Close() : OkStatus();
  }

 private:
  Status Create() {
    auto runtime = std::make_shared<LocalRuntime>();
    const ConfigOptions& config = options_.config;
    if (config.use_per_session_threads) {
      LanesOptions lanes;
      lanes.inter_op_threads = config.inter_op_parallelism_threads;
      lanes.intra_op_threads = config.intra_op_parallelism_threads;
      runtime->lanes = std::make_unique<Lanes>(lanes);
    }
    LocalSessionOptions local;
    local.ops = &ops_;
    local.kernels = options_.kernels ? options_.kernels : &DefaultKernels();
    local.config = config;
    local.files = options_.files;
    local.differentiate = options_.differentiate;
    MR_ASSIGN_OR_RETURN(local.devices,
                        MakeDevices({.device_count = config.device_count,
                                     .gpu = GpuSetupOf(config.gpu_options),
                                     .lanes = runtime->lanes.get()},
                                    "localhost", 0));
    MR_ASSIGN_OR_RETURN(runtime->session,
                        LocalSession::Create(std::move(local)));
    runtime_ = std::move(runtime);
    return OkStatus();
  }

  static RunSignature NamesOf(const RunTensors& tensors) {
    RunSignature names;
    for (const Output& feed : tensors.feeds) names.feeds.push_back(feed.name());
    for (const Output& fetch : tensors.fetches)
      names.fetches.push_back(fetch.name());
    for (const Operation& target : tensors.targets)
      names.targets.push_back(target.name());
    return names;
  }

  // Creates and looks up names only for the first run, and for the next one
  // after the session has evicted the prepared run.
  StatusOr<std::shared_ptr<const LocalSession::Prepared>> Find(
      const RunTensors& tensors) {
    {
      MutexLock lock(mu_);
      const auto found = prepared_.find(tensors);
      if (found != prepared_.end()) {
        if (auto prepared = found->second.lock()) return prepared;
      }
    }
    MR_ASSIGN_OR_RETURN(auto prepared,
                        runtime_->session->Prepare(NamesOf(tensors)));
    MutexLock lock(mu_);
    prepared_[tensors] = prepared;
    if (prepared_.size() >= next_look_) {
      absl::erase_if(prepared_,
                     [](const auto& entry) { return entry.second.expired(); });
      next_look_ = 2 * std::max(prepared_.size(), kMaxPreparedRuns);
    }
    return prepared;
  }

  const OpRegistry& ops_;
  const SessionOptions& options_;
  std::shared_ptr<LocalRuntime> runtime_;  // set by the first Extend

  Mutex mu_;  // guards all below
  absl::flat_hash_map<RunTensors, std::weak_ptr<const LocalSession::Prepared>>
      prepared_;
  size_t next_look_ = 2 * kMaxPreparedRuns;  // when to erase expired ones
};

}  // namespace

std::unique_ptr<SessionBackend> MakeLocalBackend(
    const OpRegistry& ops, const SessionOptions& options) {
  return std::make_unique<LocalBackend>(ops, options);
}

}  // namespace millrace
