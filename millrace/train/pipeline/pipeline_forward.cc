#include "millrace/train/pipeline/pipeline_forward.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "millrace/client/ops.h"
#include "millrace/train/pipeline/micro_batches.h"

namespace millrace::train {
namespace {

bool IsAnyNull(const std::vector<Output>& outputs) {
  return std::any_of(outputs.begin(), outputs.end(),
                     [](const Output& output) { return !output; });
}

Status CheckStages(const std::vector<PipelineStage>& stages,
                   const std::string& name) {
  if (stages.empty()) {
    return InvalidArgument("expected at least one stage, got none");
  }
  for (size_t i = 0; i < stages.size(); ++i) {
    if (!stages[i].layers) {
      return InvalidArgument("stage ", i, " has no function for its layers");
    }
  }
  if (name.empty()) return InvalidArgument("expected a name, got an empty one");
  return OkStatus();
}

// Builds a micro-batch at a stage. Its inputs pass through nodes of their own,
// "start", to which control edges can lead.
ForwardRun BuildRun(const VariableScope& at, const PipelineStage& stage,
                    size_t number, const std::vector<Output>& inputs) {
  const Scope& s = at.scope();
  ForwardRun run;
  for (const Output& input : inputs) {
    run.inputs.push_back(ops::Identity(s.WithOpName("start"), input));
    run.run.starts.push_back(run.inputs.back().op());
  }
  run.outputs = stage.layers(at, run.inputs);
  if (run.outputs.empty() || IsAnyNull(run.outputs)) {
    s.Fail(InvalidArgument("stage ", number,
                           " of a pipeline should return at "
                           "least one output, and none that is null, got ",
                           run.outputs.size()),
           "Pipeline");
    return {};
  }
  for (const Output& output : run.outputs) {
    run.run.ends.push_back(output.op());
  }
  return run;
}

}  // namespace

ForwardPass BuildForward(const VariableScope& variables,
                         const std::vector<PipelineStage>& stages,
                         const std::vector<Output>& inputs,
                         int64_t micro_batches, const std::string& name,
                         const AtTheEnd& at_the_end) {
  const Scope& s = variables.scope();
  ForwardPass forward{.block = s, .runs = {}};
  if (const Status fits = CheckStages(stages, name); !fits.ok()) {
    s.Fail(fits, "Pipeline");
    return forward;
  }
  VariableScope inside = variables.Sub(name);
  forward.block = inside.scope();
  const std::vector<std::vector<Output>> batches = MicroBatches(
      forward.block.WithDevice(stages[0].device), inputs, micro_batches);
  std::vector<std::vector<ForwardRun>> runs;
  for (size_t batch = 0; batch < batches.size(); ++batch) {
    if (batch > 0) {
      // Enters the block of variables again, where names begin anew.
      inside =
          variables.WithScope(forward.block).Sub(name).WithReuse(Reuse::kYes);
    }
    const Scope pass = forward.block.SubScope(absl::StrCat("forward_", batch));
    runs.emplace_back().reserve(stages.size());
    const std::vector<Output>* x = &batches[batch];
    for (size_t i = 0; i < stages.size(); ++i) {
      inside = inside.WithScope(pass.SubScope(absl::StrCat("stage_", i))
                                    .WithDevice(stages[i].device));
      runs.back().push_back(BuildRun(inside, stages[i], i, *x));
      if (runs.back().back().outputs.empty()) return forward;
      x = &runs.back().back().outputs;
    }
    if (at_the_end &&
        !at_the_end(forward.block, inside, batch, &runs.back().back())) {
      return forward;
    }
  }
  forward.runs = std::move(runs);
  return forward;
}

void RunInOrder(const Scope& scope, const std::vector<const StageRun*>& runs) {
  const StageRun* before = nullptr;
  for (const StageRun* run : runs) {
    if (before) {
      for (const Operation& start : run->starts) {
        for (const Operation& end : before->ends) {
          scope.graph().AddControlInput(start, end);
        }
      }
    }
    if (!run->ends.empty()) before = run;
  }
}

std::vector<Output> OutputsOf(const ForwardPass& forward,
                              const PipelineStage& last) {
  std::vector<std::vector<Output>> batches;
  for (const std::vector<ForwardRun>& runs : forward.runs) {
    batches.push_back(runs.back().outputs);
    if (batches.back().size() != batches.front().size()) {
      forward.block.Fail(
          InvalidArgument("the last stage of a pipeline returned ",
                          batches.front().size(),
                          " outputs for one "
                          "micro-batch and ",
                          batches.back().size(), " for another"),
          "Pipeline");
      return {};
    }
  }
  return WholeBatch(forward.block.WithDevice(last.device), batches);
}

}  // namespace millrace::train
