#include "millrace/cluster/worker/step_table.h"

#include <algorithm>
#include <utility>

#include "millrace/base/clock.h"

namespace millrace {
namespace {

constexpr size_t kStepsRemembered = 4096;

}  // namespace

StepTable::StepTable(Lanes& lanes, std::string task, int64_t early_ms)
    : lanes_(lanes),
      task_(std::move(task)),
      early_ms_(early_ms),
      over_(kStepsRemembered) {}

Status StepTable::IfOver(int64_t step_id) const {
  if (!over_.Contains(step_id)) return OkStatus();
  const auto error = errors_.find(step_id);
  if (error != errors_.end()) return error->second;
  return Aborted("Step ", step_id, " is over at ", task_, ".");
}

StatusOr<Ref<StepTable::Step>> StepTable::BeginRun(int64_t step_id,
                                                   const std::string& session,
                                                   Ref<StepRun> run) {
  Timer::Id timer = 0;
  Ref<Step> step;
  {
    MutexLock lock(mu_);
    // Later calls of a step that has failed meanwhile, as in partial runs, get
    // its error.
    MR_RETURN_IF_ERROR(IfOver(step_id));
    Ref<Step>& entry = steps_[step_id];
    if (entry == nullptr) {
      entry = MakeRef<Step>(step_id);
    } else if (entry->state_ == Step::kEnded && !entry->status_.ok()) {
      return entry->status_;
    } else if (entry->state_ != Step::kEarly) {
      return Aborted("Step ", step_id, " has begun before at ", task_, ".");
    }
    step = entry;
    timer = std::exchange(step->timer_, 0);
    step->state_ = Step::kRunning;
    step->session_ = session;
    step->run_ = std::move(run);
    step->since_nanos_ = NowNanos();
  }
  if (timer != 0) lanes_.timer.Cancel(timer);
  return step;
}

void StepTable::EndRun(Step& step, const Status& status, bool keep_run) {
  Ref<StepRun> run;  // released after the lock
  {
    MutexLock lock(mu_);
    if (!keep_run) run = std::move(step.run_);
    step.state_ = Step::kEnded;
    step.status_ = status;
    // Cleaned up while it ran: late calls get its error.
    if (!status.ok() && over_.Contains(step.id)) errors_[step.id] = status;
  }
  if (!status.ok()) step.rendezvous->StartAbort(MarkDerived(status));
}

StatusOr<Ref<StepTable::Step>> StepTable::BeginReceive(int64_t step_id) {
  Ref<Step> made;
  {
    MutexLock lock(mu_);
    MR_RETURN_IF_ERROR(IfOver(step_id));
    Ref<Step>& step = steps_[step_id];
    if (step != nullptr) {
      if (!step->status_.ok()) return step->status_;
      ++step->receiving_;
      return step;
    }
    step = MakeRef<Step>(step_id);
    step->receiving_ = 1;
    step->since_nanos_ = NowNanos();
    made = step;
  }
  // The callback may run late: it keeps what it needs alive.
  auto expire = [self = Ref<StepTable>::Share(this), made] {
    self->lanes_.control.Schedule([self, made] { self->OnEarlyTimeout(made); });
  };
  const Timer::Id timer =
      lanes_.timer.RunAt(Deadline::AfterMillis(early_ms_), std::move(expire));
  MutexLock lock(mu_);
  const auto it = steps_.find(step_id);
  if (it != steps_.end() && it->second == made &&
      made->state_ == Step::kEarly) {
    made->timer_ = timer;
  } else {
    lock.Unlock();
    lanes_.timer.Cancel(timer);
  }
  return made;
}

void StepTable::EndReceive(Step& step) {
  Ref<Step> removed;
  Timer::Id timer = 0;
  {
    MutexLock lock(mu_);
    if (--step.receiving_ > 0 || step.state_ != Step::kEarly) return;
    // An early step is removed with the last receive that asked for it.
    const auto it = steps_.find(step.id);
    if (it == steps_.end() || it->second.get() != &step) return;
    timer = std::exchange(step.timer_, 0);
    removed = std::move(it->second);
    steps_.erase(it);
  }
  if (timer != 0) lanes_.timer.Cancel(timer);
}

void StepTable::OnEarlyTimeout(const Ref<Step>& step) {
  {
    MutexLock lock(mu_);
    step->timer_ = 0;
    const auto it = steps_.find(step->id);
    if (step->state_ != Step::kEarly || it == steps_.end() ||
        it->second != step)
      return;
    steps_.erase(it);
  }
  step->rendezvous->StartAbort(Aborted("Step ", step->id, " did not begin at ",
                                       task_, " within ", early_ms_, " ms."));
}

void StepTable::Remember(int64_t step_id, const Status& status) {
  const RecentSet<int64_t>::Inserted inserted = over_.Insert(step_id);
  if (inserted.forgotten.has_value()) errors_.erase(*inserted.forgotten);
  if (inserted.is_new && !status.ok()) errors_.emplace(step_id, status);
}

void StepTable::Finish(std::vector<Ref<Step>> steps,
                       std::vector<Ref<StepRun>> runs, const Status& reason) {
  for (const Ref<StepRun>& run : runs) run->Cancel(reason);
  for (const Ref<Step>& step : steps) step->rendezvous->StartAbort(reason);
}

void StepTable::CleanUp(int64_t step_id) {
  Ref<Step> step;
  Ref<StepRun> run;
  Timer::Id timer = 0;
  bool in_use = false;
  {
    MutexLock lock(mu_);
    const auto it = steps_.find(step_id);
    Status status;
    if (it != steps_.end()) {
      step = std::move(it->second);
      steps_.erase(it);
      status = step->status_;
      timer = std::exchange(step->timer_, 0);
      run = std::move(step->run_);
      in_use = run != nullptr || step->receiving_ > 0;
    }
    // A RunGraph or a RecvTensor may still be in flight.
    Remember(step_id, std::move(status));
  }
  if (timer != 0) lanes_.timer.Cancel(timer);
  // A step whose run has ended and from which nobody receives, as most are, has
  // nobody to tell.
  if (!in_use) return;
  const Status reason =
      Aborted("Step ", step_id, " was cleaned up at ", task_, ".");
  if (run != nullptr) run->Cancel(reason);
  step->rendezvous->StartAbort(reason);
}

void StepTable::EndSession(const std::string& session, const Status& reason) {
  std::vector<Ref<Step>> steps;
  std::vector<Ref<StepRun>> runs;
  {
    MutexLock lock(mu_);
    for (auto it = steps_.begin(); it != steps_.end();) {
      Step& step = *it->second;
      if (step.state_ == Step::kEarly || step.session_ != session) {
        ++it;
        continue;
      }
      if (step.run_ != nullptr) runs.push_back(std::move(step.run_));
      Remember(step.id, step.status_.ok() ? reason : step.status_);
      steps.push_back(std::move(it->second));
      it = steps_.erase(it);
    }
  }
  Finish(std::move(steps), std::move(runs), reason);
}

void StepTable::EndAll(const Status& reason) {
  std::vector<Ref<Step>> steps;
  std::vector<Ref<StepRun>> runs;
  std::vector<Timer::Id> timers;
  {
    MutexLock lock(mu_);
    for (auto& [id, step] : steps_) {
      if (step->run_ != nullptr) runs.push_back(std::move(step->run_));
      if (step->timer_ != 0) timers.push_back(std::exchange(step->timer_, 0));
      Remember(id, step->status_.ok() ? reason : step->status_);
      steps.push_back(std::move(step));
    }
    steps_.clear();
  }
  for (Timer::Id timer : timers) lanes_.timer.Cancel(timer);
  Finish(std::move(steps), std::move(runs), reason);
}

StepTable::Counts StepTable::counts() const {
  std::vector<Ref<Step>> steps;
  Counts counts;
  {
    MutexLock lock(mu_);
    for (const auto& [id, step] : steps_) {
      steps.push_back(step);
      if (step->state_ == Step::kRunning) ++counts.running;
    }
  }
  counts.steps = static_cast<int64_t>(steps.size());
  for (const Ref<Step>& step : steps) {
    const LocalRendezvous::Counts entries = step->rendezvous->counts();
    counts.rendezvous_entries += entries.values + entries.waiters;
  }
  return counts;
}

void StepTable::AppendWaits(size_t max, std::vector<ServerWait>* waits) const {
  std::vector<std::pair<int64_t, ServerWait>> found;
  const int64_t now = NowNanos();
  {
    MutexLock lock(mu_);
    for (const auto& [id, step] : steps_) {
      if (step->state_ == Step::kEnded) continue;
      ServerWait wait;
      wait.kind = step->state_ == Step::kEarly ? "RecvTensor" : "RunGraph";
      wait.text =
          step->state_ == Step::kEarly
              ? absl::StrCat(step->receiving_,
                             " receives of a step that has not begun")
              : absl::StrCat("step of session ", step->session_, ", ",
                             step->receiving_, " receives by other tasks");
      wait.waiting_ms = (now - step->since_nanos_) / 1'000'000;
      wait.step_id = id;
      found.emplace_back(step->since_nanos_, std::move(wait));
    }
  }
  std::stable_sort(
      found.begin(), found.end(),
      [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [since, wait] : found) {
    if (waits->size() >= max) break;
    waits->push_back(std::move(wait));
  }
}

}  // namespace millrace
