#include "tools/millrace/trace_command.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "absl/strings/str_format.h"
#include "millrace/base/json/json_text.h"
#include "tools/millrace/admin_client.h"
#include "tools/millrace/exit_codes.h"

namespace millrace {
namespace {

constexpr double kMaxTimeoutSeconds = 24 * 3600;

// A line that shows the progress while the trace is taken.
class ProgressLine {
 public:
  explicit ProgressLine(int steps)
      : steps_(steps), shown_(isatty(STDERR_FILENO) == 1) {}
  ~ProgressLine() {
    if (shown_) std::fputs("\r\x1b[K", stderr);
  }
  void Show(const TraceProgress& progress) const {
    if (!shown_) return;
    std::fprintf(stderr, "\r\x1b[K%d of %d steps, %d running, %.0f s left",
                 std::min(progress.steps_done, steps_), steps_,
                 progress.steps_running,
                 static_cast<double>(progress.left_ms) / 1000);
    std::fflush(stderr);
  }

 private:
  const int steps_;
  const bool shown_;
};

Status CheckFlags(const TraceFlags& flags) {
  if (flags.steps < 1 || flags.steps > kMaxTraceSteps) {
    return InvalidArgument("--steps is from 1 to ", kMaxTraceSteps, ", not ",
                           flags.steps);
  }
  if (!(flags.timeout > 0 && flags.timeout <= kMaxTimeoutSeconds)) {
    return InvalidArgument("--timeout is in seconds, above 0 and up to ",
                           kMaxTimeoutSeconds, ", not ", flags.timeout);
  }
  if (flags.max_events < 0 || flags.max_events > kMaxTraceEvents) {
    return InvalidArgument("--max_events is from 1 to ", kMaxTraceEvents,
                           ", not ", flags.max_events);
  }
  if (flags.output.empty()) {
    return InvalidArgument("--output is the path of a file");
  }
  // Reported before the wait, not after it.
  const std::string folder(Dirname(flags.output));
  if (!folder.empty() && !DefaultFiles()->IsDirectory(folder).ok()) {
    return InvalidArgument("--output: there is no directory ", folder);
  }
  return OkStatus();
}

std::string BytesText(int64_t bytes) {
  if (bytes < 1024) return absl::StrCat(bytes, " bytes");
  if (bytes < 1 << 20) {
    return absl::StrFormat("%.1f KiB", static_cast<double>(bytes) / 1024);
  }
  return absl::StrFormat("%.1f MiB", static_cast<double>(bytes) / (1 << 20));
}

double Millis(int64_t nanos) { return static_cast<double>(nanos) / 1e6; }

std::string Count(int64_t n, absl::string_view what) {
  return absl::StrCat(n, " ", what, n == 1 ? "" : "s");
}

int Write(const TraceFlags& flags, const ClusterTrace& trace) {
  const std::string lacks = TraceLacks(trace, flags.steps, flags.timeout);
  std::fputs(lacks.c_str(), stderr);
  if (trace.steps.empty()) return kStartError;
  const StatusOr<TraceTotals> totals =
      WriteTraceFile(trace, DefaultFiles(), flags.output);
  if (!totals.ok()) return Fail("trace", totals.status(), kStartError);
  const std::string text = flags.json ? TraceJson(trace, *totals, flags.output)
                                      : TraceText(trace, *totals, flags.output);
  std::fputs((text + "\n").c_str(), stdout);
  return trace.steps_done() == flags.steps ? 0 : kStartError;
}

}  // namespace

std::string TraceText(const ClusterTrace& trace, const TraceTotals& totals,
                      const std::string& path) {
  return absl::StrCat(
      path, ": ", Count(static_cast<int64_t>(trace.steps.size()), "step"), ", ",
      Count(totals.tasks, "task"), ", ", Count(totals.nodes, "node"), ", ",
      Count(totals.transfers, "transfer"), " (", BytesText(totals.bytes),
      absl::StrFormat("), clocks within %.2f ms; ",
                      Millis(trace.clock_error_nanos())),
      "open ui.perfetto.dev and load it");
}

std::string TraceJson(const ClusterTrace& trace, const TraceTotals& totals,
                      const std::string& path) {
  JsonObjectText missing;
  for (const ClusterTrace::Task& task : trace.tasks) {
    if (!task.missing.empty()) missing.Add(task.task, task.missing);
  }
  return JsonObjectText()
      .Add("path", path)
      .Add("steps", static_cast<int64_t>(trace.steps.size()))
      .Add("steps_done", trace.steps_done())
      .Add("tasks", totals.tasks)
      .Add("nodes", totals.nodes)
      .Add("transfers", totals.transfers)
      .Add("arrows", totals.arrows)
      .Add("bytes", totals.bytes)
      .Add("dropped_events", trace.dropped_events())
      .AddJson("clock_error_ms",
               absl::StrFormat("%.6f", Millis(trace.clock_error_nanos())))
      .AddJson("missing", missing.Text())
      .Text();
}

std::string TraceLacks(const ClusterTrace& trace, int wanted, double seconds) {
  std::string text;
  for (const ClusterTrace::Task& task : trace.tasks) {
    if (!task.missing.empty()) {
      absl::StrAppend(&text, "missing: ", task.task, " (", task.address,
                      "): ", task.missing, "\n");
    }
    if (task.events.dropped_events > 0) {
      absl::StrAppend(&text, "dropped: ", task.events.dropped_events,
                      " events of ", task.task,
                      "; --max_events keeps more, --steps asks for less\n");
    }
  }
  if (trace.steps_done() < wanted) {
    absl::StrAppend(
        &text, absl::StrFormat("%d of %d steps", trace.steps_done(), wanted),
        trace.steps.empty() ? ": no step began" : " ended",
        absl::StrFormat(" within %.4g s\n", seconds));
  }
  for (const ClusterTrace::Step& step : trace.steps) {
    if (!step.running) continue;
    absl::StrAppend(
        &text, "not ended: step ", step.step_id, " of ",
        trace.tasks[step.master].task,
        absl::StrFormat(", for %.1f s: ",
                        Millis(step.end_nanos - step.start_nanos) / 1000),
        step.waits_for.empty() ? "its master does not say what it waits for"
                               : step.waits_for,
        "\n");
  }
  return text;
}

int RunTrace(const TraceFlags& flags) {
  const Status checked = CheckFlags(flags);
  if (!checked.ok()) return Fail("trace", checked, kUsageError);
  StatusOr<std::unique_ptr<AdminClient>> client =
      AdminClient::Connect(flags.address);
  if (!client.ok()) return Fail("trace", client.status(), kStartError);
  TakeTraceOptions options;
  options.steps = flags.steps;
  options.timeout_ms = static_cast<int64_t>(flags.timeout * 1000);
  options.max_events = flags.max_events;
  StatusOr<ClusterTrace> trace = Unavailable("not taken");
  {
    const ProgressLine line(flags.steps);
    trace = TakeTrace((*client)->api(), options,
                      [&](const TraceProgress& p) { line.Show(p); });
  }
  if (trace.status().code() == StatusCode::kUnimplemented) {
    return Fail(
        "trace",
        Unimplemented((*client)->address(), " is no server that takes traces: ",
                      trace.status().message()),
        kStartError);
  }
  if (!trace.ok()) return Fail("trace", trace.status(), kStartError);
  return Write(flags, *trace);
}

}  // namespace millrace
