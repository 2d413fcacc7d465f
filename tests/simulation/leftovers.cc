#include "tests/simulation/leftovers.h"

#include "millrace/base/clock.h"

namespace millrace::sim {
namespace {

// A step that lost its master or its client ends after three probes; a receive
// of a step that never begins after 30 s.
constexpr int64_t kStepsEndMs = 35'000;
// Workers are told of the end of a session at once.
constexpr int64_t kSessionsEndMs = 5'000;
// Sessions of a dead master end after 60 s of silence; it is probed every 10 s.
constexpr int64_t kMastersEndMs = 85'000;

}  // namespace

std::vector<ServerStatusReply> Leftovers::WaitUntil(int64_t wait_ms,
                                                    const char* when,
                                                    Good good) {
  const Deadline limit = Deadline::AfterMillis(wait_ms);
  while (true) {
    std::vector<ServerStatusReply> replies;
    std::string bad;
    for (int task = 0; task < cluster_.num_tasks(); ++task) {
      ServerStatusReply& reply = replies.emplace_back();
      if (!cluster_.running(task)) continue;
      StatusOr<ServerStatusReply> got = cluster_.ServerStatus(task);
      if (!got.ok()) {
        absl::StrAppend(&bad, " ", cluster_.name(task).ToString(), ": ",
                        got.status().message());
        continue;
      }
      reply = *std::move(got);
      if (good(task, reply)) continue;
      absl::StrAppend(&bad, " ", reply.task, " has ", reply.master_sessions,
                      " sessions as master, ", reply.worker_sessions,
                      " as worker, ", reply.prepared_runs, " kinds of runs, ",
                      reply.registered_graphs, " graphs, ", reply.plans,
                      " plans, ", reply.running_steps, " running steps, ",
                      reply.rendezvous_entries, " tensors or waits for them;");
      for (const ServerWait& wait : reply.waits) {
        absl::StrAppend(&bad, " [", wait.text, "]");
      }
    }
    if (bad.empty()) return replies;
    if (limit.expired()) {
      verdict_.Fail(Internal("left: ", when, ":", bad));
      return {};
    }
    SleepUntil(Deadline::AfterMillis(500));
  }
}

void Leftovers::Look() {
  // Everything that ends by itself has ended.
  SleepUntil(Deadline::AfterMillis(kStepsEndMs));
  int64_t sessions = 0;
  int64_t runs = 0;
  for (int task = 0; task < cluster_.num_tasks(); ++task) {
    const auto status = cluster_.ServerStatus(task);
    if (!status.ok()) continue;
    sessions += status->master_sessions;
    runs += status->prepared_runs;
  }
  // A kind of run has one graph per task; graphs that masters have evicted are
  // freed.
  before_ = WaitUntil(0, "without any client",
                      [sessions, runs](int, const ServerStatusReply& s) {
                        return s.running_steps == 0 &&
                               s.rendezvous_entries == 0 &&
                               s.worker_sessions <= sessions &&
                               s.registered_graphs <= runs &&
                               s.plans <= s.registered_graphs;
                      });
}

void Leftovers::CheckNoSteps() {
  WaitUntil(kSessionsEndMs, "when clients rest, their sessions open",
            [](int, const ServerStatusReply& s) {
              return s.running_steps == 0 && s.rendezvous_entries == 0;
            });
}

void Leftovers::CheckNothingAdded() {
  if (before_.empty()) return;
  WaitUntil(kSessionsEndMs, "after all clients have ended",
            [this](int task, const ServerStatusReply& s) {
              const ServerStatusReply& b = before_[static_cast<size_t>(task)];
              return s.running_steps == 0 &&
                     s.master_sessions <= b.master_sessions &&
                     s.worker_sessions <= b.worker_sessions &&
                     s.rendezvous_entries == 0;
            });
}

void Leftovers::CheckAfterMasters() {
  std::vector<int> again;
  for (int task = cluster_.num_ps(); task < cluster_.num_tasks(); ++task) {
    cluster_.Kill(task);
    if (SimRandom(2) == 0) again.push_back(task);
  }
  for (const int task : again) cluster_.Start(task);
  WaitUntil(kMastersEndMs, "after the end of their masters",
            [](int, const ServerStatusReply& s) {
              return s.master_sessions == 0 && s.worker_sessions == 0 &&
                     s.running_steps == 0 && s.rendezvous_entries == 0;
            });
}

}  // namespace millrace::sim
