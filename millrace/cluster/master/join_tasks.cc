#include "millrace/cluster/master/join_tasks.h"

#include <atomic>
#include <memory>
#include <utility>

#include "absl/strings/str_join.h"
#include "millrace/base/log.h"

namespace millrace {
namespace {

constexpr int64_t kLogIntervalMs = 10'000;

class Join final : public RefCounted {
 public:
  Join(MasterEnvironment& environment, JoinOptions options, CancelScope* cancel,
       JoinDone done)
      : environment_(environment),
        lanes_(environment.lanes()),
        options_(std::move(options)),
        scope_(cancel),
        started_nanos_(NowNanos()),
        done_(std::move(done)),
        left_(options_.peers.size()) {
    for (const Ref<Peer>& peer : options_.peers) {
      waits_.push_back(std::make_unique<Wait>());
      waits_.back()->peer = peer;
      waits_.back()->answered_before = !peer->devices().empty();
    }
  }

  void Start() {
    environment_.in_flight.Add();
    SetTimer(&log_timer_, kLogIntervalMs, [this] { LogWaits(); });
    if (options_.abort_for_lost_tasks) {
      SetTimer(&lost_timer_, environment_.options.lost_task_wait_ms,
               [this] { CheckLostTasks(); });
    }
    // They may all be gone after the last one was asked.
    const size_t count = waits_.size();
    for (size_t i = 0; i < count; ++i) {
      Wait& wait = *waits_[i];
      wait.context.deadline = options_.deadline;
      wait.context.cancel = &scope_;
      wait.peer->Identify(
          wait.context, Done([self = Ref<Join>::Share(this), &wait](Status s) {
            self->OnAnswer(wait, std::move(s));
          }));
    }
  }

 private:
  struct Wait {
    Ref<Peer> peer;
    CallContext context;
    bool answered_before = false;
    std::atomic<bool> ended{false};
    Status status;  // set before `ended`
  };

  void OnAnswer(Wait& wait, Status status) {
    wait.status = std::move(status);
    wait.ended.store(true, std::memory_order_release);
    if (left_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    {
      MutexLock lock(mu_);
      finished_ = true;
    }
    // A timer's callback holds a reference; those that are not due are released
    // now.
    CancelTimer(&log_timer_);
    CancelTimer(&lost_timer_);
    std::vector<Status> statuses;
    for (const auto& w : waits_) statuses.push_back(w->status);
    std::exchange(done_, nullptr)(std::move(statuses));
    environment_.in_flight.Remove();
  }

  template <class F>
  void SetTimer(Timer::Id* id, int64_t delay_ms, F f) {
    MutexLock lock(mu_);
    if (finished_) return;
    // The timer's thread only posts.
    *id = lanes_.timer.RunAt(
        Deadline::AfterMillis(delay_ms),
        [self = Ref<Join>::Share(this), f]() mutable {
          Lanes& lanes = self->lanes_;
          lanes.control.Schedule([self = std::move(self), f] { f(); });
        });
  }
  void CancelTimer(const Timer::Id* id) {
    Timer::Id timer;
    {
      MutexLock lock(mu_);
      timer = *id;
    }
    if (timer != 0) lanes_.timer.Cancel(timer);
  }

  static std::string Describe(const Wait& wait) {
    const Status error = wait.peer->last_error();
    return absl::StrCat(wait.peer->task().ToString(), " at ",
                        wait.peer->address(), " (",
                        error.ok() ? "no answer yet" : error.message(), ")");
  }

  void LogWaits() {
    std::vector<std::string> missing;
    for (const auto& wait : waits_) {
      if (!wait->ended.load(std::memory_order_acquire)) {
        missing.push_back(Describe(*wait));
      }
    }
    if (missing.empty()) return;
    MR_LOG(Info) << options_.who << " has been waiting for "
                 << (NowNanos() - started_nanos_) / 1'000'000'000
                 << " s for: " << absl::StrJoin(missing, ", ");
    SetTimer(&log_timer_, kLogIntervalMs, [this] { LogWaits(); });
  }

  void CheckLostTasks() {
    for (const auto& wait : waits_) {
      if (wait->ended.load(std::memory_order_acquire)) continue;
      if (!wait->answered_before) continue;
      scope_.Cancel(
          Aborted("Lost a task that answered before: ", Describe(*wait)));
      return;
    }
  }

  MasterEnvironment& environment_;  // not for late timers, which outlive it
  Lanes& lanes_;
  const JoinOptions options_;
  CancelScope scope_;
  const int64_t started_nanos_;
  std::vector<std::unique_ptr<Wait>> waits_;
  JoinDone done_;
  std::atomic<size_t> left_;

  Mutex mu_;  // guards all below
  bool finished_ = false;
  Timer::Id log_timer_ = 0;
  Timer::Id lost_timer_ = 0;
};

}  // namespace

void JoinTasks(MasterEnvironment& environment, JoinOptions options,
               CancelScope* cancel, JoinDone done) {
  if (options.peers.empty()) {
    std::move(done)({});
    return;
  }
  MakeRef<Join>(environment, std::move(options), cancel, std::move(done))
      ->Start();
}

Status JoinStatus(const std::vector<Status>& statuses) {
  std::vector<Status> errors;
  for (const Status& status : statuses) {
    if (!status.ok()) errors.push_back(status);
  }
  if (errors.empty()) return OkStatus();
  // All waits ended for the same reason, so several may have one text.
  std::vector<std::string> texts;
  for (const Status& error : errors) {
    std::string text(error.message());
    if (texts.empty() || texts.back() != text) texts.push_back(std::move(text));
  }
  return Status(errors[0].code(), absl::StrJoin(texts, "\n"));
}

}  // namespace millrace
