#include "millrace/cluster/trace/take_trace.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "millrace/base/clock.h"
#include "millrace/base/memory/checked_size.h"
#include "millrace/base/random.h"
#include "millrace/base/threads/thread.h"
#include "millrace/base/threads/wait.h"

namespace millrace {
namespace {

constexpr int64_t kStartMs = 3'000;
constexpr int64_t kPollMs = 1'000;       // until a task counts as silent
constexpr int64_t kCollectMs = 20'000;   // there may be many events
constexpr int64_t kPollIntervalMs = 50;  // well below Tracer::kLeaseMs
constexpr int kMissesToLose = 2;
// Round trips before the first step and after the last, one after the other.
constexpr int kProbes = 8;

class TraceTaker {
 public:
  TraceTaker(AdminApi& server, const TakeTraceOptions& options)
      : server_(server), options_(options), trace_id_(RandomUint64() | 1) {}

  StatusOr<ClusterTrace> Take(
      absl::FunctionRef<void(const TraceProgress&)> progress) {
    MR_RETURN_IF_ERROR(FindTasks());
    // First all tasks reserve room: a step that one of them chooses may begin
    // on the others before these hear of the trace.
    StartAll(0);
    for (int i = 0; i < kProbes; ++i) Poll();
    StartAll(options_.steps);
    const Deadline deadline = Deadline::AfterMillis(options_.timeout_ms);
    while (true) {
      Poll();
      const TraceProgress now = Progress(deadline);
      progress(now);
      if (now.steps_done >= options_.steps || deadline.expired() || AllLost()) {
        break;
      }
      SleepUntil(
          Deadline::Min(deadline, Deadline::AfterMillis(kPollIntervalMs)));
    }
    for (int i = 0; i < kProbes; ++i) Poll();
    Collect();
    ChooseSteps();
    return std::move(trace_);
  }

 private:
  template <class Request, class Reply>
  struct Asked {
    size_t task;
    CallContext context;
    Request request;
    Reply reply;
    Status status;
  };

  // Calls every task that is not lost, all at once, and waits for the replies.
  template <class Request, class Reply>
  std::vector<Asked<Request, Reply>> AskAll(
      void (AdminApi::*method)(CallContext&, const Request&, Reply*, Done),
      const Request& request, int64_t deadline_ms) {
    std::vector<Asked<Request, Reply>> calls;
    for (size_t i = 0; i < trace_.tasks.size(); ++i) {
      if (trace_.tasks[i].missing.empty()) calls.push_back({.task = i});
    }
    if (calls.empty()) return calls;
    std::atomic<size_t> left{calls.size()};
    Notification answered;
    const Deadline deadline = Deadline::AfterMillis(deadline_ms);
    for (Asked<Request, Reply>& call : calls) {
      call.context.deadline = deadline;
      call.request = request;
      call.request.task = trace_.tasks[call.task].task;
      call.request.trace_id = trace_id_;
      (server_.*method)(call.context, call.request, &call.reply,
                        Done([&](Status status) {
                          call.status = std::move(status);
                          if (left.fetch_sub(1) == 1) answered.Notify();
                        }));
    }
    WaitScope wait("the cluster's tasks to answer about a trace");
    answered.Wait();
    return calls;
  }

  Status FindTasks() {
    StartTraceRequest request;
    request.trace_id = trace_id_;
    request.max_events = options_.max_events;
    StartTraceReply reply;
    CallContext context;
    context.deadline = Deadline::AfterMillis(kStartMs);
    Status status;
    Notification answered;
    server_.StartTrace(context, request, &reply, Done([&](Status s) {
                         status = std::move(s);
                         answered.Notify();
                       }));
    {
      WaitScope wait("the server to begin a trace");
      answered.Wait();
    }
    MR_RETURN_IF_ERROR(status);
    machine_ = reply.machine;
    for (TraceTask& task : reply.tasks) {
      ClusterTrace::Task& added = trace_.tasks.emplace_back();
      added.task = std::move(task.task);
      added.address = std::move(task.address);
    }
    misses_.resize(trace_.tasks.size());
    return OkStatus();
  }

  void StartAll(int32_t steps) {
    StartTraceRequest request;
    request.steps = steps;
    request.max_events = options_.max_events;
    for (auto& call : AskAll(&AdminApi::StartTrace, request, kStartMs)) {
      ClusterTrace::Task& task = trace_.tasks[call.task];
      if (!call.status.ok()) {
        Lose(task, call.status, kStartMs);
        continue;
      }
      task.version = call.reply.version;
      if (!machine_.empty() && call.reply.machine == machine_) {
        task.clock.SetSameMachine();
      }
      AddProbe(task, call.reply.relay, call.reply.now_nanos);
    }
  }

  void Poll() {
    CollectTraceRequest request;
    request.only_progress = true;
    for (auto& call : AskAll(&AdminApi::CollectTrace, request, kPollMs)) {
      ClusterTrace::Task& task = trace_.tasks[call.task];
      int& misses = misses_[call.task];
      if (call.status.ok()) {
        misses = 0;
        AddProbe(task, call.reply.relay, call.reply.now_nanos);
        task.events.steps = std::move(call.reply.steps);
      } else if (call.status.code() != StatusCode::kDeadlineExceeded ||
                 ++misses == kMissesToLose) {
        Lose(task, call.status, kMissesToLose * kPollMs);
      }
    }
  }

  void Collect() {
    CollectTraceRequest request;
    request.end = true;
    for (auto& call : AskAll(&AdminApi::CollectTrace, request, kCollectMs)) {
      ClusterTrace::Task& task = trace_.tasks[call.task];
      if (call.status.ok()) {
        AddProbe(task, call.reply.relay, call.reply.now_nanos);
        task.events = std::move(call.reply);
      } else {
        Lose(task, call.status, kCollectMs);
      }
    }
  }

  static void AddProbe(ClusterTrace::Task& task, const RelayTimes& relay,
                       int64_t now_nanos) {
    task.clock.Add({relay.sent_nanos, now_nanos, relay.received_nanos});
  }

  static void Lose(ClusterTrace::Task& task, const Status& status,
                   int64_t after_ms) {
    switch (status.code()) {
      case StatusCode::kDeadlineExceeded:
        task.missing =
            absl::StrCat("it did not answer within ", after_ms / 1000, " s");
        return;
      case StatusCode::kUnimplemented:
        task.missing = absl::StrCat("it takes no traces: ", status.message());
        return;
      default:
        task.missing = std::string(status.message());
        if (task.missing.empty()) task.missing = status.ToString();
    }
  }

  bool AllLost() const {
    return std::all_of(
        trace_.tasks.begin(), trace_.tasks.end(),
        [](const ClusterTrace::Task& task) { return !task.missing.empty(); });
  }

  TraceProgress Progress(Deadline deadline) const {
    TraceProgress progress;
    progress.left_ms = deadline.remaining_millis();
    for (const ClusterTrace::Task& task : trace_.tasks) {
      for (const TracedStep& step : task.events.steps) {
        ++(step.end_nanos != 0 ? progress.steps_done : progress.steps_running);
      }
    }
    return progress;
  }

  void ChooseSteps() {
    std::vector<ClusterTrace::Step>& steps = trace_.steps;
    for (size_t i = 0; i < trace_.tasks.size(); ++i) {
      const ClusterTrace::Task& task = trace_.tasks[i];
      for (const TracedStep& step : task.events.steps) {
        const bool running = step.end_nanos == 0;
        steps.push_back(
            {.step_id = step.step_id,
             .master = i,
             .session = step.session,
             .start_nanos = task.clock.ToLocalNanos(step.start_nanos),
             .end_nanos = task.clock.ToLocalNanos(
                 running ? std::max(step.start_nanos, task.events.now_nanos)
                         : step.end_nanos),
             .running = running,
             .error = step.error,
             .waits_for = step.waits_for});
      }
    }
    const auto by_start = [](const auto& a, const auto& b) {
      return a.start_nanos < b.start_nanos;
    };
    std::sort(steps.begin(), steps.end(), by_start);
    std::stable_partition(
        steps.begin(), steps.end(),
        [](const ClusterTrace::Step& step) { return !step.running; });
    const auto wanted = static_cast<size_t>(options_.steps);
    if (steps.size() > wanted) steps.resize(wanted);
    std::sort(steps.begin(), steps.end(), by_start);
  }

  AdminApi& server_;
  const TakeTraceOptions options_;
  const uint64_t trace_id_;
  ClusterTrace trace_;
  std::string machine_;  // of the server that is asked
  std::vector<int> misses_;
};

}  // namespace

int32_t ClusterTrace::steps_done() const {
  return static_cast<int32_t>(
      std::count_if(steps.begin(), steps.end(),
                    [](const Step& step) { return !step.running; }));
}

int64_t ClusterTrace::dropped_events() const {
  int64_t dropped = 0;
  for (const Task& task : tasks) {
    dropped = SaturatingAdd(dropped, task.events.dropped_events);
  }
  return dropped;
}

int64_t ClusterTrace::clock_error_nanos() const {
  int64_t error = 0;
  for (const Task& task : tasks) {
    error = std::max(error, task.clock.error_nanos());
  }
  return error;
}

StatusOr<ClusterTrace> TakeTrace(
    AdminApi& server, const TakeTraceOptions& options,
    absl::FunctionRef<void(const TraceProgress&)> progress) {
  return TraceTaker(server, options).Take(progress);
}

}  // namespace millrace
