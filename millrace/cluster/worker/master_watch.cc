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

// All of it guarded by the watch's lock.
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
  WorkerApi& Asked() override { return peer->worker(); }
  void Told(const Heartbeat::Answer& answer) override {
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
  master->heartbeat.AskBy(Deadline::AfterMillis(10 * times_.interval_ms));
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
  master.heartbeat.AskBy(Deadline::AfterMillis(times_.interval_ms));
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

void MasterWatch::OnAnswer(Master& master, const Heartbeat::Answer& answer) {
  const Status& status = answer.status;
  const auto& devices = answer.reply.device_attributes;
  const std::string name =
      absl::StrCat("master task ", master.peer->task().ToString(), " (",
                   master.peer->address(), ")");
  std::vector<Ref<StepRun>> silent;
  std::vector<absl::AnyInvocable<void(Status)>> lost;
  Status reason;
  {
    MutexLock lock(mu_);
    if (stopped_) return;
    if (status.ok()) {
      master.heard_nanos = NowNanos();
      reason = Aborted("The ", name, " was restarted; its old sessions end.");
      for (auto& [id, session] : master.sessions) {
        const bool same = std::any_of(
            devices.begin(), devices.end(),
            [incarnation = session.incarnation](const auto& d) {
              return static_cast<int64_t>(d.incarnation) == incarnation;
            });
        if (session.incarnation != 0 && !same && session.lost) {
          lost.push_back(std::exchange(session.lost, nullptr));
        }
      }
      for (auto& [key, step] : master.steps) step.misses.Forget();
    } else {
      reason = Aborted("The ", name,
                       " does not answer; last error: ", status.message());
      for (auto& [key, step] : master.steps) {
        if (step.misses.Count(false)) silent.push_back(step.run);
      }
      if (NowNanos() - master.heard_nanos >= times_.lost_ms * 1'000'000) {
        for (auto& [id, session] : master.sessions) {
          if (session.lost)
            lost.push_back(std::exchange(session.lost, nullptr));
        }
      }
    }
    if (!master.sessions.empty()) {
      const bool seldom = master.steps.empty() && status.ok();
      master.heartbeat.AskBy(
          seldom ? Deadline::AfterMillis(10 * times_.interval_ms) : answer.due);
    }
    ++calling_;
  }
  if (!silent.empty() || !lost.empty()) {
    MR_LOG(Warning) << "Ending " << silent.size() << " steps and "
                    << lost.size() << " sessions: " << reason;
  }
  for (const Ref<StepRun>& run : silent) run->Cancel(reason);
  for (auto& callback : lost) callback(reason);
  silent.clear();
  lost.clear();
  MutexLock lock(mu_);
  if (--calling_ == 0) idle_.NotifyAll();
}

}  // namespace millrace
