#include "millrace/cluster/master/close_session.h"

#include <atomic>
#include <utility>

#include "millrace/base/log.h"
#include "millrace/cluster/master/fan_out.h"

namespace millrace {
namespace {

// Long enough for a task that is silent for a while: a worker session that it
// is not told to delete stays for as long as its server lives. Retried every
// other second.
constexpr int64_t kDeleteDeadlineMs = 120'000;

using Delete = FanOut<DeleteWorkerSessionRequest, DeleteWorkerSessionReply>;

// Calls `done` once, after the workers' replies or the timeout.
class Closing final : public RefCounted {
 public:
  Closing(MasterEnvironment& environment, absl::AnyInvocable<void()> done)
      : environment_(environment),
        lanes_(environment.lanes()),
        done_(std::move(done)) {}

  void Start(std::vector<Delete::Call> calls, int64_t wait_ms) {
    timer_ = lanes_.timer.RunAt(
        Deadline::AfterMillis(wait_ms),
        [self = Ref<Closing>::Share(this)]() mutable {
          Lanes& lanes = self->lanes_;
          lanes.control.Schedule([self = std::move(self)] { self->Answer(); });
        });
    Delete::Start(
        std::move(calls), &WorkerApi::DeleteWorkerSession,
        Deadline::AfterMillis(kDeleteDeadlineMs), &environment_.background,
        &environment_.in_flight,
        [self = Ref<Closing>::Share(this)](std::vector<Delete::Call>& done) {
          for (const Delete::Call& call : done) {
            if (call.status.ok()) continue;
            MR_LOG(Info) << "the end of session " << call.request.session_handle
                         << " did not reach " << call.peer->task().ToString()
                         << ": " << call.status;
          }
          self->lanes_.timer.Cancel(self->timer_);
          self->Answer();
        });
  }

 private:
  void Answer() {
    if (!answered_.exchange(true)) std::exchange(done_, nullptr)();
  }

  MasterEnvironment& environment_;
  Lanes& lanes_;
  absl::AnyInvocable<void()> done_;
  std::atomic<bool> answered_{false};
  Timer::Id timer_ = 0;
};

}  // namespace

void DeleteWorkerSessions(MasterEnvironment& environment,
                          const std::string& handle,
                          const std::vector<Ref<Peer>>& tasks,
                          absl::AnyInvocable<void()> done, int64_t wait_ms) {
  if (tasks.empty()) return done();
  std::vector<Delete::Call> calls;
  for (const Ref<Peer>& task : tasks) {
    Delete::Call& call = calls.emplace_back();
    call.peer = task;
    call.request.session_handle = handle;
  }
  MakeRef<Closing>(environment, std::move(done))
      ->Start(std::move(calls), wait_ms);
}

void CloseSession(const Ref<MasterSession>& session, const Status& reason,
                  absl::AnyInvocable<void()> done, int64_t wait_ms) {
  const std::vector<Ref<Peer>> tasks = session->MarkClosed(reason);
  DeleteWorkerSessions(session->environment(), session->handle(), tasks,
                       std::move(done), wait_ms);
}

}  // namespace millrace
