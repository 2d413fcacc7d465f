#include "millrace/train/estimator/evaluation.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_join.h"
#include "millrace/base/log.h"
#include "millrace/client/ops.h"
#include "millrace/train/estimator/stop_link.h"

namespace millrace::train {
namespace {

constexpr char kLossMetric[] = "loss";
constexpr char kStepMetric[] = "global_step";
constexpr char kCheckpointTag[] = "checkpoint_path";
constexpr int64_t kProgressLines = 10;

StatusOr<std::map<std::string, Metric>> MetricsOf(const ModelGraph& model) {
  std::map<std::string, Metric> metrics = model.spec.eval_metric_ops;
  for (const char* name : {kLossMetric, kStepMetric}) {
    if (!metrics.contains(name)) continue;
    return InvalidArgument("eval_metric_ops has '", name,
                           "', which each evaluation has by itself; expected "
                           "another name");
  }
  metrics[kLossMetric] = Mean(VariableScope(model.scope), model.spec.loss);
  return metrics;
}

// Runs updates until the input, the number of batches or a stop ends it.
StatusOr<int64_t> RunBatches(MonitoredSession& session,
                             const MonitoredCallable& run,
                             const std::optional<int64_t>& steps) {
  const int64_t every =
      steps ? std::max<int64_t>(*steps / kProgressLines, 1) : 0;
  int64_t batches = 0;
  while (!session.ShouldStop() && (!steps || batches < *steps)) {
    const Status status = run.Run().status();
    if (status.code() == StatusCode::kOutOfRange) break;
    MR_RETURN_IF_ERROR(status);
    ++batches;
    if (every > 0 && batches % every == 0) {
      MR_LOG(Info) << "evaluation: " << batches << " of " << *steps
                   << " batches";
    }
  }
  return batches;
}

}  // namespace

StatusOr<EvaluateResult> RunEvaluation(const ModelGraph& model,
                                       const RunConfig& config,
                                       const EvaluationOptions& options) {
  MR_ASSIGN_OR_RETURN(const auto metrics, MetricsOf(model));
  std::vector<Output> values = {model.global_step};
  std::vector<ControlInput> updates;
  for (const auto& [name, metric] : metrics) {
    values.push_back(metric.value);
    updates.push_back(metric.update);
  }
  const Operation update = ops::Group(model.scope, updates);
  MR_RETURN_IF_ERROR(model.root.status());

  MonitoredSessionOptions monitored =
      SessionOf(config, model.spec, config.place.evaluation_master);
  monitored.restore_from = options.checkpoint;
  monitored.hooks = options.hooks;
  for (SessionHook* hook : PointersTo(model.spec.evaluation_hooks))
    monitored.hooks.push_back(hook);
  MonitoredSession session(model.root, monitored);
  const MonitoredCallable run = session.Prepare(
      {}, {model.global_step, model.spec.loss}, {update}, {.step_fetch = 0});
  const MonitoredCallable read = session.Prepare({}, values);
  const StopLink link(config.stop, session.coordinator());
  MR_RETURN_IF_ERROR(session.Start());
  EvaluateResult result;
  result.checkpoint = options.checkpoint;
  MR_ASSIGN_OR_RETURN(result.batches, RunBatches(session, run, options.steps));
  if (config.stop_requested()) return Cancelled("a stop was requested");
  MR_ASSIGN_OR_RETURN(const std::vector<Tensor> last, read.Run());
  if (session.recoveries() > 0) {
    return Aborted("the session was lost in the middle of the evaluation of ",
                   options.checkpoint, ", with the metrics so far");
  }
  result.global_step = session.global_step();
  result.metrics[kStepMetric] = last[0];
  size_t i = 1;
  for (const auto& [name, metric] : metrics) result.metrics[name] = last[i++];
  if (result.batches == 0) {
    MR_LOG(Warning) << "the evaluation had no batches: the input may be empty";
  }
  MR_RETURN_IF_ERROR(session.Close());
  return result;
}

Status WriteResult(EventWriter* events, const EvaluateResult& result) {
  const int64_t step = result.global_step;
  for (const auto& [name, value] : result.metrics) {
    if (name == kStepMetric) continue;
    const StatusOr<double> number = ScalarValue(value);
    if (number.ok()) {
      MR_RETURN_IF_ERROR(
          events->AddScalar(step, name, static_cast<float>(*number)));
    } else if (value.dtype() == DataType::kString &&
               value.num_elements() == 1 &&
               CheckSerializedSummary(value.flat<StringElement>()[0]).ok()) {
      MR_RETURN_IF_ERROR(events->AddCheckedSummary(
          step, value.flat<StringElement>()[0].view()));
    } else {
      MR_RETURN_IF_ERROR(events->AddTensor(step, name, value));
    }
  }
  MR_RETURN_IF_ERROR(events->AddTensor(step, kCheckpointTag,
                                       Tensor::Scalar(result.checkpoint)));
  return events->Flush();
}

}  // namespace millrace::train
