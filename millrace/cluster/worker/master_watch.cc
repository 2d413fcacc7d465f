#include "millrace/cluster/worker/master_watch.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "millrace/base/log.h"

namespace millrace {

struct MasterWatch::Session {
  int64_t incarnation = 0;
  absl::AnyInvocable<void(Status)> lost;
};

struct MasterWatch::Step {
  Ref<StepRun> run;
  Misses misses;
};

// The steps and sessions that the result of a probe ends.
struct MasterWatch::Ended {
  std::vector<Ref<StepRun>> steps;
  std::vector<absl::AnyInvocable<void(Status)>> sessions;
};

// All members are guarded by the watch's lock.
struct MasterWatch::Master final : RefCounted, Heartbeat::Watcher {
  Master(MasterWatch& w, Ref<Peer> p)
      : watch(w),
        peer(std::move(p)),
        heard_nanos(NowNanos()),
        heartbeat(w.mu_, w.lanes_, w.times_.interval_ms, *this) {}

  struct Kept : RefCounted {
    Kept(Ref<MasterWatch> w, Ref<Master> m)
        : watch(std::move(w)), master(std::move(m)) {}
    const Ref<MasterWatch> watch;
    const Ref<Master> master;
  };
  Ref<RefCounted> Keep() override {
    return MakeRef<Kept>(Ref<MasterWatch>::Share(&watch),
                         Ref<Master>::Share(this));
  }
  bool Waits() override { return !watch.stopped_ && !sessions.empty(); }
  WorkerApi& ProbeTarget() override { return peer->worker(); }
  void OnAnswer(const Heartbeat::Answer& answer) override {
    watch.OnAnswer(*this, answer);
  }

  MasterWatch& watch;
  const Ref<Peer> peer;
  absl::btree_map<uint64_t, Session> sessions;
  absl::btree_map<std::pair<uint64_t, int64_t>, Step> steps;
  int64_t heard_nanos;  // when it last answered
  Heartbeat heartbeat;
};

MasterWatch::MasterWatch(Lanes& lanes, Times times)
    : lanes_(lanes), times_(times) {}

uint64_t MasterWatch::AddSession(Ref<Peer> peer, int64_t master_incarnation,
                                 absl::AnyInvocable<void(Status)> lost) {
  MutexLock lock(mu_);
  const uint64_t id = next_session_++;
  Ref<Master> master;
  for (const auto& [other, m] : sessions_) {
    if (m->peer == peer) master = m;
  }
  if (master == nullptr) master = MakeRef<Master>(*this, std::move(peer));
  if (master->sessions.empty()) master->heard_nanos = NowNanos();
  master->sessions.emplace(id, Session{master_incarnation, std::move(lost)});
  sessions_.emplace(id, master);
  master->heartbeat.ProbeBy(Deadline::AfterMillis(10 * times_.interval_ms));
  return id;
}

void MasterWatch::RemoveSession(uint64_t session) {
  std::vector<Step> steps;  // released after the lock
  Session ended;
  MutexLock lock(mu_);
  const auto it = sessions_.find(session);
  if (it == sessions_.end()) return;
  const Ref<Master> master = std::move(it->second);
  sessions_.erase(it);
  ended = std::move(master->sessions[session]);
  master->sessions.erase(session);
  auto step = master->steps.lower_bound({session, INT64_MIN});
  while (step != master->steps.end() && step->first.first == session) {
    steps.push_back(std::move(step->second));
    step = master->steps.erase(step);
  }
}

void MasterWatch::AddStep(uint64_t session, int64_t step_id, Ref<StepRun> run) {
  if (session == 0) return;
  MutexLock lock(mu_);
  const auto it = sessions_.find(session);
  if (it == sessions_.end()) return;
  Master& master = *it->second;
  master.steps.insert_or_assign(std::make_pair(session, step_id),
                                Step{std::move(run), Misses(times_.misses)});
  master.heartbeat.ProbeBy(Deadline::AfterMillis(times_.interval_ms));
}

void MasterWatch::RemoveStep(uint64_t session, int64_t step_id) {
  if (session == 0) return;
  Ref<StepRun> ended;  // released after the lock
  MutexLock lock(mu_);
  const auto it = sessions_.find(session);
  if (it == sessions_.end()) return;
  const auto step = it->second->steps.find({session, step_id});
  if (step == it->second->steps.end()) return;
  ended = std::move(step->second.run);
  it->second->steps.erase(step);
}

void MasterWatch::Stop() {
  absl::btree_map<uint64_t, Ref<Master>> dropped;  // released after the lock
  MutexLock lock(mu_);
  stopped_ = true;
  dropped.swap(sessions_);
  while (calling_ > 0) idle_.Wait(mu_);
}

// Handles a reply: sessions of another incarnation of the master are lost.
void MasterWatch::OnAlive(Master& master, const GetStatusReply& reply,
                          Ended* ended) {
  const auto& devices = reply.device_attributes;
  master.heard_nanos = NowNanos();
  for (auto& [id, session] : master.sessions) {
    const bool same =
        std::any_of(devices.begin(), devices.end(),
                    [incarnation = session.incarnation](const auto& d) {
                      return static_cast<int64_t>(d.incarnation) == incarnation;
                    });
    if (session.incarnation != 0 && !same && session.lost) {
      ended->sessions.push_back(std::exchange(session.lost, nullptr));
    }
  }
  for (auto& [key, step] : master.steps) step.misses.Forget();
}

// Handles a probe without a reply.
void MasterWatch::OnNoAnswer(Master& master, Ended* ended) {
  for (auto& [key, step] : master.steps) {
    if (step.misses.Count(false)) ended->steps.push_back(step.run);
  }
  if (NowNanos() - master.heard_nanos >= MillisToNanos(times_.lost_ms)) {
    for (auto& [id, session] : master.sessions) {
      if (session.lost)
        ended->sessions.push_back(std::exchange(session.lost, nullptr));
    }
  }
}

void MasterWatch::OnAnswer(Master& master, const Heartbeat::Answer& answer) {
  const std::string name =
      absl::StrCat("master task ", master.peer->task().ToString(), " (",
                   master.peer->address(), ")");
  const bool alive = answer.status.ok();
  const Status reason =
      alive
          ? Aborted("The ", name, " was restarted; its old sessions end.")
          : Aborted("The ", name,
                    " does not answer; last error: ", answer.status.message());
  Ended ended;
  {
    MutexLock lock(mu_);
    if (stopped_) return;
    if (alive) {
      OnAlive(master, answer.reply, &ended);
    } else {
      OnNoAnswer(master, &ended);
    }
    if (!master.sessions.empty()) {
      const bool seldom = alive && master.steps.empty();
      master.heartbeat.ProbeBy(
          seldom ? Deadline::AfterMillis(10 * times_.interval_ms) : answer.due);
    }
    ++calling_;
  }
  if (!ended.steps.empty() || !ended.sessions.empty()) {
    MR_LOG(Warning) << "Ending " << ended.steps.size() << " steps and "
                    << ended.sessions.size() << " sessions: " << reason;
  }
  for (const Ref<StepRun>& run : ended.steps) run->Cancel(reason);
  for (auto& lost : ended.sessions) lost(reason);
  ended = Ended();
  MutexLock lock(mu_);
  if (--calling_ == 0) idle_.NotifyAll();
}

}  // namespace millrace
