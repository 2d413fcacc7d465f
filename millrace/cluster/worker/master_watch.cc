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
  int misses = 0;
};

// All of it guarded by the watch's lock.
struct MasterWatch::Master : RefCounted {
  explicit Master(Ref<Peer> p) : peer(std::move(p)), heard_nanos(NowNanos()) {}
  const Ref<Peer> peer;
  absl::btree_map<uint64_t, Session> sessions;
  absl::btree_map<std::pair<uint64_t, int64_t>, Step> steps;
  int64_t heard_nanos;  // when it last answered
  Deadline next;        // when it is asked; infinite: nothing is planned
  uint64_t round = 0;   // outdates what was planned before
  bool asking = false;
};

struct MasterWatch::Question {
  CallContext context;
  GetStatusRequest request;
  GetStatusReply reply;
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
  if (master == nullptr) master = MakeRef<Master>(std::move(peer));
  if (master->sessions.empty()) master->heard_nanos = NowNanos();
  master->sessions.emplace(id, Session{master_incarnation, std::move(lost)});
  sessions_.emplace(id, master);
  AskAt(master, Deadline::AfterMillis(10 * times_.interval_ms));
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
  it->second->steps[{session, step_id}] = {std::move(run), 0};
  AskAt(it->second, Deadline::AfterMillis(times_.interval_ms));
}

void MasterWatch::RemoveStep(uint64_t session, int64_t step_id) {
  if (session == 0) return;
  Step ended;  // released after the lock
  MutexLock lock(mu_);
  const auto it = sessions_.find(session);
  if (it == sessions_.end()) return;
  const auto step = it->second->steps.find({session, step_id});
  if (step == it->second->steps.end()) return;
  ended = std::move(step->second);
  it->second->steps.erase(step);
}

void MasterWatch::Stop() {
  absl::btree_map<uint64_t, Ref<Master>> dropped;  // released after the lock
  MutexLock lock(mu_);
  stopped_ = true;
  dropped.swap(sessions_);
  for (const auto& [id, master] : dropped) ++master->round;
  while (calling_ > 0) idle_.Wait(mu_);
}

void MasterWatch::AskAt(const Ref<Master>& master, Deadline when) {
  if (stopped_ || master->asking || master->next <= when) return;
  master->next = when;
  const uint64_t round = ++master->round;
  // What was planned before stays in the timer and does nothing.
  lanes_.timer.RunAt(when,
                     [self = Ref<MasterWatch>::Share(this), master, round] {
                       self->lanes_.control.Schedule(
                           [self, master, round] { self->Ask(master, round); });
                     });
}

void MasterWatch::Ask(const Ref<Master>& master, uint64_t round) {
  {
    MutexLock lock(mu_);
    if (stopped_ || master->round != round) return;
    master->next = Deadline::Infinite();
    if (master->sessions.empty()) return;
    master->asking = true;
  }
  auto question = std::make_shared<Question>();
  question->context.deadline = Deadline::AfterMillis(times_.interval_ms);
  Question& q = *question;
  master->peer->worker().GetStatus(
      q.context, q.request, &q.reply,
      [self = Ref<MasterWatch>::Share(this), master, question](Status status) {
        self->OnReply(master, status, question->reply,
                      question->context.deadline);
      });
}

void MasterWatch::OnReply(const Ref<Master>& master, const Status& status,
                          const GetStatusReply& reply, Deadline next) {
  const std::string name =
      absl::StrCat("master task ", master->peer->task().ToString(), " (",
                   master->peer->address(), ")");
  std::vector<Ref<StepRun>> silent;
  std::vector<absl::AnyInvocable<void(Status)>> lost;
  Status reason;
  {
    MutexLock lock(mu_);
    master->asking = false;
    if (stopped_) return;
    if (status.ok()) {
      master->heard_nanos = NowNanos();
      reason = Aborted("The ", name, " was restarted; its old sessions end.");
      for (auto& [id, session] : master->sessions) {
        const bool same = std::any_of(
            reply.device_attributes.begin(), reply.device_attributes.end(),
            [incarnation = session.incarnation](const auto& d) {
              return static_cast<int64_t>(d.incarnation) == incarnation;
            });
        if (session.incarnation != 0 && !same && session.lost) {
          lost.push_back(std::exchange(session.lost, nullptr));
        }
      }
      for (auto& [key, step] : master->steps) step.misses = 0;
    } else {
      reason = Aborted("The ", name,
                       " does not answer; last error: ", status.message());
      for (auto& [key, step] : master->steps) {
        if (++step.misses == times_.misses) silent.push_back(step.run);
      }
      if (NowNanos() - master->heard_nanos >= times_.lost_ms * 1'000'000) {
        for (auto& [id, session] : master->sessions) {
          if (session.lost)
            lost.push_back(std::exchange(session.lost, nullptr));
        }
      }
    }
    if (!master->sessions.empty()) {
      const bool rests = master->steps.empty() && status.ok();
      AskAt(master,
            rests ? Deadline::AfterMillis(10 * times_.interval_ms) : next);
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
