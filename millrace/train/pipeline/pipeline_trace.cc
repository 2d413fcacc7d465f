#include "millrace/train/pipeline/pipeline_trace.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace millrace::train {
namespace {

struct Span {
  int64_t start = std::numeric_limits<int64_t>::max();
  int64_t end = 0;

  void Add(const Span& other) {
    start = std::min(start, other.start);
    end = std::max(end, other.end);
  }
};

// Where a node belongs.
struct PlaceOfNode {
  int64_t stage = 0;
  PipelineTask task;
  bool is_start = false;  // of those to which control edges lead
};

// Reads "forward_3/stage_1/..." and "backward_3/stage_1/...".
std::optional<PlaceOfNode> PlaceOf(absl::string_view name) {
  PlaceOfNode place;
  if (absl::ConsumePrefix(&name, "backward_")) {
    place.task.pass = PipelinePass::kBackward;
  } else if (!absl::ConsumePrefix(&name, "forward_")) {
    return std::nullopt;
  }
  const std::vector<absl::string_view> words =
      absl::StrSplit(name, absl::MaxSplits('/', 2));
  if (words.size() != 3) return std::nullopt;
  absl::string_view stage = words[1];
  if (!absl::SimpleAtoi(words[0], &place.task.micro_batch) ||
      !absl::ConsumePrefix(&stage, "stage_") ||
      !absl::SimpleAtoi(stage, &place.stage)) {
    return std::nullopt;
  }
  place.is_start = words[2] == "start" || absl::StartsWith(words[2], "start_");
  return place;
}

// The nodes of a micro-batch at a stage.
struct NodesOfRun {
  Span all;
  Span starts;
};

// The nodes of a stage.
struct NodesOfStage {
  std::map<std::pair<PipelinePass, int64_t>, NodesOfRun> runs;
  std::vector<Span> spans;
};

// Returns how long at least one of the spans lasts.
int64_t Covered(std::vector<Span> spans) {
  std::sort(spans.begin(), spans.end(),
            [](const Span& a, const Span& b) { return a.start < b.start; });
  int64_t covered = 0;
  int64_t until = 0;
  for (const Span& span : spans) {
    const int64_t from = std::max(span.start, until);
    if (span.end <= from) continue;
    covered += span.end - from;
    until = span.end;
  }
  return covered;
}

StageTrace TraceOf(const NodesOfStage& nodes) {
  StageTrace trace;
  for (const auto& [task, run] : nodes.runs) {
    const bool has_starts = run.starts.end > 0;
    trace.runs.push_back(
        {.task = {task.first, task.second},
         .start_nanos = has_starts ? run.starts.start : run.all.start,
         .end_nanos = run.all.end});
  }
  std::stable_sort(trace.runs.begin(), trace.runs.end(),
                   [](const StageTrace::Run& a, const StageTrace::Run& b) {
                     return a.start_nanos < b.start_nanos;
                   });
  trace.busy_nanos = Covered(nodes.spans);
  return trace;
}

}  // namespace

StatusOr<PipelineTrace> TracePipeline(const StepStats& stats,
                                      const std::string& block) {
  std::map<int64_t, NodesOfStage> stages;
  for (const DeviceStepStats& device : stats.dev_stats) {
    for (const NodeExecStats& node : device.node_stats) {
      absl::string_view name = node.node_name;
      if (!absl::ConsumePrefix(&name, block)) continue;
      const std::optional<PlaceOfNode> place = PlaceOf(name);
      // Constants are there before anything runs.
      if (!place || absl::StrContains(node.timeline_label, " = Const(")) {
        continue;
      }
      const Span span{.start = node.all_start_nanos,
                      .end = node.all_start_nanos + node.all_end_rel_nanos};
      NodesOfStage& stage = stages[place->stage];
      NodesOfRun& run = stage.runs[{place->task.pass, place->task.micro_batch}];
      run.all.Add(span);
      if (place->is_start) run.starts.Add(span);
      stage.spans.push_back(span);
    }
  }
  if (stages.empty()) {
    return NotFound("no node of the pipeline '", block,
                    "' is in the statistics of the step; was it run with a "
                    "trace level?");
  }
  PipelineTrace trace;
  Span whole;
  int64_t busy = 0;
  for (const auto& [number, nodes] : stages) {
    trace.stages.push_back(TraceOf(nodes));
    busy += trace.stages.back().busy_nanos;
    for (const StageTrace::Run& run : trace.stages.back().runs) {
      whole.Add({.start = run.start_nanos, .end = run.end_nanos});
    }
  }
  trace.nanos = whole.end - whole.start;
  if (trace.nanos > 0) {
    trace.idle_share = 1 - static_cast<double>(busy) /
                               (static_cast<double>(trace.nanos) *
                                static_cast<double>(trace.stages.size()));
  }
  return trace;
}

double IdleShareOf(int64_t stages, int64_t micro_batches) {
  return static_cast<double>(stages - 1) /
         static_cast<double>(micro_batches + stages - 1);
}

}  // namespace millrace::train
