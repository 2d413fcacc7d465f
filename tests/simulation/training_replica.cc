#include "tests/simulation/training_replica.h"

#include <algorithm>

#include "millrace/base/log.h"
#include "millrace/client/ops.h"
#include "millrace/client/queues.h"
#include "millrace/train/global_step.h"
#include "millrace/train/monitored_session.h"
#include "millrace/train/replica_device_setter.h"
#include "millrace/train/replicas/async_replicas_hook.h"
#include "millrace/train/replicas/sync_replicas_hook.h"
#include "millrace/train/testing/counting_rule.h"

namespace millrace::sim {
namespace {

constexpr int64_t kTooLongMs = 20'000;

SessionOptions OptionsOf(SimCluster& cluster, int replica) {
  SessionOptions options;
  options.target = cluster.worker_target(replica);
  options.transport =
      cluster.network().Endpoint(absl::StrCat("replica", replica));
  return options;
}

// Stops the training once the global step is enough, and remembers that: a ps
// that is lost then takes the step with it.
class StopAtEnd final : public train::SessionHook {
 public:
  Status AfterCreate(train::HookContext& context) override {
    return AfterRun(context);
  }
  Status AfterRun(train::HookContext& context) override {
    if (context.global_step < kLastTrainingStep) return OkStatus();
    is_reached_ = true;
    context.coordinator.RequestStop();
    return OkStatus();
  }
  bool is_reached() const { return is_reached_; }

 private:
  bool is_reached_ = false;
};

}  // namespace

void ChiefLine::Begin(int replica) {
  MutexLock lock(mu_);
  line_.push_back(replica);
}

void ChiefLine::End(int replica) {
  MutexLock lock(mu_);
  line_.erase(std::remove(line_.begin(), line_.end(), replica), line_.end());
}

bool ChiefLine::IsChief(int replica) const {
  MutexLock lock(mu_);
  return !line_.empty() && line_.front() == replica;
}

// A weight that starts at 0 and whose gradients are 1.
struct TrainingReplica::Graph {
  explicit Graph(int replica)
      : scope(Scope::NewRoot(Ops()).WithDevice(train::ReplicaDeviceSetter(
            {.ps_tasks = 1,
             .worker_device = absl::StrCat("/job:worker/task:", replica)}))) {
    step = train::CreateGlobalStep(scope);
    w = ops::Variable(scope.WithOpName("w"), Tensor::Scalar(0.0f),
                      {.use_resource = true});
    rule.Build(scope, w);
    loss =
        ops::Mul(scope, w, ops::StopGradient(scope, ops::OnesLike(scope, w)));
  }
  const Scope scope;
  train::CountingRule rule;
  ops::Variable step, w;
  Output loss;
  Operation train_op;
  Output staleness, applied;
};

TrainingReplica::TrainingReplica(SimCluster& cluster, Verdict& verdict,
                                 ChiefLine& line, const TrainingPlan& plan,
                                 int index)
    : cluster_(cluster),
      verdict_(verdict),
      line_(line),
      plan_(plan),
      index_(index) {}

void TrainingReplica::Live() {
  for (;;) {
    train::Coordinator coordinator;
    {
      MutexLock lock(mu_);
      running_ = &coordinator;
    }
    line_.Begin(index_);
    RunProgram(coordinator);
    line_.End(index_);
    MutexLock lock(mu_);
    running_ = nullptr;
    if (!lost_) return;
    while (!revived_) changed_.Wait(mu_);
    lost_ = revived_ = false;
  }
}

bool TrainingReplica::Lose() {
  MutexLock lock(mu_);
  if (running_ == nullptr || lost_) return false;
  lost_ = true;
  line_.End(index_);
  running_->RequestStop();
  return true;
}

void TrainingReplica::Revive() {
  MutexLock lock(mu_);
  revived_ = true;
  changed_.NotifyAll();
}

bool TrainingReplica::trains() const {
  MutexLock lock(mu_);
  return running_ != nullptr;
}

void TrainingReplica::RunProgram(train::Coordinator& coordinator) {
  const Status status =
      plan_.is_sync ? RunSync(coordinator) : RunAsync(coordinator);
  MutexLock lock(mu_);
  if (status.ok() || lost_) return;
  verdict_.Fail(
      Prefix(absl::StrCat("end: the training of replica ", index_, " failed: "),
             status));
}

Status TrainingReplica::RunSync(train::Coordinator& coordinator) {
  Graph graph(index_);
  train::SyncReplicas sync(&graph.rule, plan_.sync);
  graph.train_op =
      sync.Minimize(graph.scope, graph.loss, {.global_step = graph.step});
  graph.staleness = sync.ops().staleness;
  graph.applied = ops::Const(graph.scope, true);
  train::SyncReplicasHook hook(
      sync, {.is_chief = [this] { return line_.IsChief(index_); },
             .too_few_ms = kTooLongMs});
  const Status status = Train(graph, hook, coordinator);
  deeds_.replaced_tokens += hook.replaced_tokens();
  return status;
}

Status TrainingReplica::RunAsync(train::Coordinator& coordinator) {
  Graph graph(index_);
  train::AsyncReplicasOptions options = plan_.async;
  options.replica = index_;
  train::AsyncReplicas async(&graph.rule, options);
  graph.train_op =
      async.Minimize(graph.scope, graph.loss, {.global_step = graph.step});
  graph.staleness = async.ops().staleness;
  graph.applied = async.ops().applied;
  train::AsyncReplicasHook hook(async, {.too_long_ms = kTooLongMs});
  return Train(graph, hook, coordinator);
}

Status TrainingReplica::Train(Graph& graph, train::SessionHook& hook,
                              train::Coordinator& coordinator) {
  MR_RETURN_IF_ERROR(graph.scope.status());
  StopAtEnd stop;
  train::MonitoredSessionOptions options;
  options.session = OptionsOf(cluster_, index_);
  options.is_chief = [this] { return line_.IsChief(index_); };
  options.checkpoint_dir = "/checkpoints/replicas";
  options.save_steps = 8;
  options.saver.write_meta_graph = false;
  options.hooks = {&hook, &stop};
  options.coordinator = &coordinator;
  train::MonitoredSession session(graph.scope, options);
  const train::MonitoredCallable train = session.Prepare(
      {}, {graph.train_op.output(0), graph.staleness, graph.applied}, {},
      {.step_fetch = 0});
  MR_RETURN_IF_ERROR(session.Start());
  for (int64_t runs = 0; runs < plan_.most_runs[index_]; ++runs) {
    if (session.ShouldStop()) break;
    const StatusOr<std::vector<Tensor>> ran = train.Run();
    // A run may also fail after the end, or when it is ready again by then.
    if (!ran.ok() && stop.is_reached()) break;
    MR_RETURN_IF_ERROR(ran.status());
    const std::vector<Tensor>& values = *ran;
    ++deeds_.runs;
    if (!values[2].scalar<bool>()) continue;
    ++deeds_.applied;
    deeds_.greatest_applied =
        std::max(deeds_.greatest_applied, values[1].scalar<int64_t>());
  }
  const bool was_stopped = session.ShouldStop();
  // A ps may be lost meanwhile, with the end that was to be saved.
  session.Close().IgnoreError();
  if (was_stopped && !stop.is_reached()) {
    return Internal("it was stopped before step ", kLastTrainingStep);
  }
  return OkStatus();
}

StatusOr<TrainedModel> ReadTrainedModel(SimCluster& cluster) {
  const Scope s = Scope::NewRoot(Ops()).WithDevice("/job:ps/task:0");
  const ops::VariableOptions kept = {.use_resource = true};
  const ops::Variable step = train::CreateGlobalStep(s);
  const ops::Variable w(s.WithOpName("w"), Tensor::Scalar(0.0f), kept);
  const ops::Variable worst(s.WithOpName("worst"), Tensor::Scalar(0.0f), kept);
  const FIFOQueue tokens(
      s, {DataType::kInt64},
      {.shapes = {PartialShape({})}, .shared_name = "sync_token_q"});
  Session session(s, OptionsOf(cluster, 0));
  MR_ASSIGN_OR_RETURN(
      const std::vector<Tensor> values,
      session.Run({step.value(), w.value(), worst.value(), tokens.Size(s)}));
  return TrainedModel{
      .global_step = values[0].scalar<int64_t>(),
      .updates = static_cast<int64_t>(-values[1].scalar<float>()),
      .most_missed = static_cast<int64_t>(values[2].scalar<float>()),
      .tokens = values[3].scalar<int32_t>()};
}

}  // namespace millrace::sim
