#include "millrace/train/estimator/model_graph.h"

#include <utility>

#include "millrace/client/ops.h"
#include "millrace/train/estimator/pause.h"
#include "millrace/train/global_step.h"
#include "millrace/train/replica_device_setter.h"

namespace millrace::train {
namespace {

constexpr char kCpuDevice[] = "/device:CPU:0";
constexpr double kMillisPerSecond = 1000;

std::string TaskDeviceOf(const ClusterEnvironment& place) {
  return absl::StrCat("/job:", place.task.job, "/task:", place.task.index);
}

// Evaluations and predictions do not use the cluster.
Scope ModelScope(const Scope& root, ModelMode mode, const RunConfig& config) {
  if (mode != ModelMode::kTrain) return root;
  if (config.device_function) return root.WithDevice(config.device_function);
  if (config.place.num_ps_replicas == 0) return root;
  return root.WithDevice(
      ReplicaDeviceSetter({.ps_tasks = config.place.num_ps_replicas,
                           .cluster = config.place.cluster,
                           .worker_device = TaskDeviceOf(config.place)}));
}

Scope InputScope(const Scope& scope, ModelMode mode, const RunConfig& config) {
  const bool on_task =
      mode == ModelMode::kTrain && config.place.num_ps_replicas > 0;
  return scope.WithDevice(
      on_task ? absl::StrCat(TaskDeviceOf(config.place), kCpuDevice)
              : std::string(kCpuDevice));
}

class SpecCheck {
 public:
  explicit SpecCheck(const ModelGraph& graph) : graph_(graph) {}

  Status Check(ModelMode mode) const {
    const EstimatorSpec& spec = graph_.spec;
    switch (mode) {
      case ModelMode::kTrain:
        MR_RETURN_IF_ERROR(CheckLoss("training"));
        if (!spec.train_op) return Missing("train_op", "training");
        return CheckGraph(spec.train_op.graph(), "train_op");
      case ModelMode::kEvaluate:
        MR_RETURN_IF_ERROR(CheckLoss("evaluation"));
        for (const auto& [name, metric] : spec.eval_metric_ops) {
          const std::string what =
              absl::StrCat("eval_metric_ops['", name, "']");
          MR_RETURN_IF_ERROR(CheckOutput(metric.value, what));
          MR_RETURN_IF_ERROR(CheckOutput(metric.update, what));
        }
        return OkStatus();
      case ModelMode::kPredict:
        if (spec.predictions.empty())
          return Missing("predictions", "prediction");
        for (const auto& [name, output] : spec.predictions) {
          MR_RETURN_IF_ERROR(
              CheckOutput(output, absl::StrCat("predictions['", name, "']")));
        }
        return OkStatus();
    }
    return Internal("no such mode");
  }

 private:
  static Status Missing(const char* field, const char* why) {
    return InvalidArgument("the model function returned no ", field, ", which ",
                           why, " needs: expected EstimatorSpec with .", field);
  }
  Status CheckLoss(const char* why) const {
    const Output& loss = graph_.spec.loss;
    if (!loss) return Missing("loss", why);
    MR_RETURN_IF_ERROR(CheckOutput(loss, "the loss"));
    if (!IsFloating(loss.dtype())) {
      return InvalidArgument("the loss has type ", DataTypeName(loss.dtype()),
                             ", expected a floating-point type");
    }
    const auto shape = loss.shape().AsTensorShape();
    if (!shape.ok() || shape->num_elements() == 1) return OkStatus();
    return InvalidArgument("the loss has shape ", shape->DebugString(),
                           ", expected one number");
  }
  Status CheckOutput(const Output& output, const std::string& what) const {
    if (!output) return InvalidArgument(what, " is null, expected a tensor");
    return CheckGraph(output.graph(), what);
  }
  Status CheckGraph(const ClientGraph* graph, const std::string& what) const {
    if (graph == &graph_.root.graph()) return OkStatus();
    return InvalidArgument(
        what,
        " is of another graph, expected that of the scope in ModelArguments");
  }

  const ModelGraph& graph_;
};

}  // namespace

StatusOr<ModelGraph> BuildModelGraph(const ModelFunction& model,
                                     const InputFunction& input, ModelMode mode,
                                     const RunConfig& config) {
  if (!model || !input) {
    return InvalidArgument(
        "an estimator needs a model function and an input "
        "function, got an empty ",
        model ? "input" : "model", " function");
  }
  const Scope root = Scope::NewRoot();
  if (config.tf_random_seed) root.graph().SetRandomSeed(*config.tf_random_seed);
  ModelGraph graph = {.root = root, .scope = ModelScope(root, mode, config)};
  // First, as in TensorFlow, so that it is on the first parameter server.
  graph.global_step = CreateGlobalStep(graph.scope);
  const EstimatorInput given =
      input(InputScope(graph.scope, mode, config), mode);
  for (const Operation& op : given.initializers) {
    if (op) root.graph().AddToCollection(graph_keys::kTableInitializers, op);
  }
  if (!root.ok()) return Prefix("the input: ", root.status());
  graph.spec = model({.scope = graph.scope,
                      .mode = mode,
                      .features = given.features,
                      .labels = given.labels,
                      .global_step = graph.global_step,
                      .config = config});
  if (!root.ok()) return Prefix("the model: ", root.status());
  MR_RETURN_IF_ERROR(SpecCheck(graph).Check(mode));
  // What is told of it; the model's own stays as it is.
  Output& loss = graph.spec.loss;
  if (loss && !(loss.shape() == PartialShape({}))) {
    loss = ops::Reshape(graph.scope, loss,
                        Tensor::Zeros(DataType::kInt32, TensorShape({0})));
  }
  if (loss && loss.dtype() != DataType::kDouble &&
      loss.dtype() != DataType::kFloat) {
    loss = ops::Cast(graph.scope, loss, DataType::kFloat);
  }
  MR_RETURN_IF_ERROR(root.status());
  return graph;
}

MonitoredSessionOptions SessionOf(const RunConfig& config,
                                  const EstimatorSpec& spec,
                                  const std::string& target) {
  MonitoredSessionOptions options;
  options.session = config.session;
  options.session.target = target;
  // Filters name tasks of a cluster.
  if (target.empty()) options.session.config.device_filters.clear();
  if (!options.session.files) options.session.files = config.files;
  options.saver = spec.saver;
  options.saver.files = config.files;
  options.saver.history = {
      .max_to_keep = config.keep_checkpoint_max,
      .keep_checkpoint_every_n_hours = config.keep_checkpoint_every_n_hours};
  options.save_seconds = 0;
  options.ready_timeout_ms =
      CountOf(config.session_creation_timeout_secs, kMillisPerSecond);
  return options;
}

std::vector<SessionHook*> PointersTo(
    const std::vector<std::shared_ptr<SessionHook>>& hooks) {
  std::vector<SessionHook*> pointers;
  for (const auto& hook : hooks) {
    if (hook) pointers.push_back(hook.get());
  }
  return pointers;
}

}  // namespace millrace::train
