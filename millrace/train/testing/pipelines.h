// For tests: the output of a pipeline of queue runners.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "millrace/client/ops.h"
#include "millrace/client/variables/variables.h"
#include "millrace/train/input/queue_threads.h"

namespace millrace::train {

// Runs the graph's initializers and queue runners, and `outputs` until they
// end, or `limit` times. Returns one text per run, its tensors separated by " |
// ". `*reason` is set to the status of the end; if it is null, any status other
// than OUT_OF_RANGE is added as a last text.
inline std::vector<std::string> PipelineValues(
    const Scope& scope, const std::vector<Output>& outputs, size_t limit = 1000,
    Status* reason = nullptr) {
  const Operation init =
      ops::Group(scope, {ops::GlobalVariablesInitializer(scope),
                         ops::LocalVariablesInitializer(scope)});
  Session session(scope);
  Status status = session.RunTargets({init});
  Coordinator coordinator;
  QueueThreads threads = StartQueueRunners(session, coordinator);
  std::vector<std::string> values;
  while (status.ok() && values.size() < limit) {
    const auto run = session.Run(outputs);
    status = run.status();
    if (!status.ok()) break;
    values.push_back(
        absl::StrJoin(*run, " | ", [](std::string* out, const Tensor& tensor) {
          absl::StrAppend(out, tensor.SummarizeValue(100));
        }));
  }
  threads.Stop();
  if (!coordinator.status().ok()) status = coordinator.status();
  if (reason) {
    *reason = status;
  } else if (!status.ok() && status.code() != StatusCode::kOutOfRange) {
    values.push_back(status.ToString());
  }
  return values;
}

}  // namespace millrace::train
