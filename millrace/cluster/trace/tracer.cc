#include "millrace/cluster/trace/tracer.h"

#include <algorithm>
#include <utility>

#include "millrace/base/clock.h"
#include "millrace/cluster/trace/trace_reply.h"
#include "millrace/protocol/method.h"

namespace millrace {
namespace {

bool Wants(int32_t wanted, const std::vector<TracedStep>& steps) {
  return steps.size() < static_cast<size_t>(wanted);
}

}  // namespace

Tracer::Tracer(Options options)
    : lanes_(options.lanes ? *options.lanes : Lanes::Process()),
      clock_skew_nanos_(options.clock_skew_nanos) {}

int64_t Tracer::now_nanos() const { return NowNanos() + clock_skew_nanos_; }

size_t Tracer::num_traces() const {
  MutexLock lock(mu_);
  return traces_.size();
}

void Tracer::UpdateWantsSteps() {
  bool wants = false;
  for (const auto& [id, trace] : traces_) {
    wants |= Wants(trace.steps_wanted, trace.steps);
  }
  wants_steps_.store(wants, std::memory_order_relaxed);
}

std::vector<uint64_t> Tracer::BeginStep(int64_t step_id,
                                        const std::string& session,
                                        int64_t start_nanos) {
  std::vector<uint64_t> chosen;
  MutexLock lock(mu_);
  for (auto& [id, trace] : traces_) {
    if (!Wants(trace.steps_wanted, trace.steps)) continue;
    TracedStep& step = trace.steps.emplace_back();
    step.step_id = step_id;
    step.session = session;
    step.start_nanos = start_nanos + clock_skew_nanos_;
    chosen.push_back(id);
  }
  UpdateWantsSteps();
  return chosen;
}

void Tracer::EndStep(absl::Span<const uint64_t> traces, int64_t step_id,
                     const Status& status) {
  const int64_t now = now_nanos();
  MutexLock lock(mu_);
  for (const uint64_t id : traces) {
    const auto it = traces_.find(id);
    if (it == traces_.end()) continue;
    for (TracedStep& step : it->second.steps) {
      if (step.step_id != step_id) continue;
      step.end_nanos = now;
      if (!status.ok()) step.error = CutMessage(status).ToString();
    }
  }
}

std::shared_ptr<StepStatsCollector> Tracer::StatsOf(
    absl::Span<const uint64_t> traces, int64_t step_id) {
  std::shared_ptr<StepStatsCollector> stats;
  if constexpr (!kTraces) return stats;
  MutexLock lock(mu_);
  for (const uint64_t id : traces) {
    const auto it = traces_.find(id);
    // A step takes room, too, since it may have no events.
    if (it == traces_.end() || !it->second.budget->Take()) continue;
    if (stats == nullptr) {
      stats = std::make_shared<StepStatsCollector>(it->second.budget);
    }
    it->second.recorded.push_back({step_id, stats});
  }
  return stats;
}

Status Tracer::Start(const StartTraceRequest& request) {
  if (!kTraces) {
    return Unimplemented("This server was built without traces");
  }
  if (request.trace_id == 0) {
    return InvalidArgument("A trace needs an id other than 0");
  }
  if (request.steps < 0 || request.steps > kMaxTraceSteps) {
    return InvalidArgument("A trace takes 1 to ", kMaxTraceSteps,
                           " steps, not ", request.steps);
  }
  if (request.max_events < 0 || request.max_events > kMaxTraceEvents) {
    return InvalidArgument("A trace keeps up to ", kMaxTraceEvents,
                           " events a task, not ", request.max_events);
  }
  const Deadline lease = Deadline::AfterMillis(kLeaseMs);
  {
    MutexLock lock(mu_);
    const auto it = traces_.find(request.trace_id);
    if (it != traces_.end()) {
      it->second.steps_wanted = request.steps;
      it->second.lease = lease;
      UpdateWantsSteps();
      return OkStatus();
    }
    if (traces_.size() >= kMaxTraces) {
      return ResourceExhausted(
          "There are ", traces_.size(),
          " traces of this server already; try again when they have ended, or ",
          kLeaseMs / 1000, " s after their takers have died");
    }
    Trace& trace = traces_[request.trace_id];
    trace.steps_wanted = request.steps;
    trace.budget = std::make_shared<EventBudget>(
        request.max_events > 0 ? request.max_events : kDefaultTraceEvents);
    trace.lease = lease;
    UpdateWantsSteps();
  }
  WatchLease(request.trace_id, lease);
  return OkStatus();
}

Status Tracer::Collect(const CollectTraceRequest& request,
                       CollectTraceReply* reply) {
  std::vector<Recorded> recorded;
  Trace ended;  // destroyed after the lock is released
  {
    MutexLock lock(mu_);
    const auto it = traces_.find(request.trace_id);
    if (it == traces_.end()) {
      return NotFound(
          "This server does not know the trace: it was started since, or was "
          "not asked about it for ",
          kLeaseMs / 1000, " s");
    }
    Trace& trace = it->second;
    trace.lease = Deadline::AfterMillis(kLeaseMs);
    reply->steps = trace.steps;
    reply->dropped_events = trace.budget->dropped();
    if (!request.only_progress) recorded = trace.recorded;
    if (request.end) {
      ended = std::move(trace);
      traces_.erase(it);
      UpdateWantsSteps();
    }
  }
  TraceReplyBuilder builder(clock_skew_nanos_, reply);
  for (const Recorded& r : recorded) builder.Add(r.step_id, r.stats->Events());
  reply->now_nanos = now_nanos();
  return OkStatus();
}

void Tracer::WatchLease(uint64_t trace_id, Deadline lease) {
  // Weak: the timer does not keep the tracer alive, which ends with its server.
  lanes_.timer.RunAt(lease,
                     [weak = weak_from_this(), trace_id, lanes = &lanes_] {
                       lanes->control.Schedule([weak, trace_id] {
                         if (const auto self = weak.lock())
                           self->OnLease(trace_id);
                       });
                     });
}

void Tracer::OnLease(uint64_t trace_id) {
  Deadline lease;
  {
    Trace dropped;  // destroyed after the lock is released
    MutexLock lock(mu_);
    const auto it = traces_.find(trace_id);
    if (it == traces_.end()) return;
    lease = it->second.lease;
    if (lease.expired()) {
      dropped = std::move(it->second);
      traces_.erase(it);
      UpdateWantsSteps();
      return;
    }
  }
  WatchLease(trace_id, lease);
}

}  // namespace millrace
