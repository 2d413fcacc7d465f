#include "millrace/train/input/queue_threads.h"

#include <deque>
#include <utility>
#include <vector>

#include "millrace/base/threads/thread.h"

namespace millrace::train {
namespace {

// A cancel op does nothing that takes time, but its servers may be gone.
constexpr int64_t kCancelOpTimeoutMs = 10'000;

}  // namespace

class QueueThreads::Impl {
 public:
  Impl(Session& session, Coordinator& coordinator,
       std::function<bool(const Status&)> on_error)
      : session_(session),
        coordinator_(coordinator),
        on_error_(std::move(on_error)),
        stop_scope_(coordinator.stop_scope()) {
    auto registration = stop_scope_->Register([this] { OnStop(); });
    stop_token_ = registration.token;
    if (!registration.ok()) stopping_ = true;
  }
  ~Impl() {
    Stop();
    stop_scope_->Unregister(stop_token_);
  }

  void Start(const QueueRunner& runner) {
    if (!runner || !runner.Claim(&session_)) return;
    // No thread of this runner exists yet, so `left` needs no lock.
    Filling& filling = fillings_.emplace_back();
    filling.runner = runner;
    filling.left = runner.enqueue_ops().size();
    for (const Operation& op : runner.enqueue_ops()) {
      coordinator_.Register();
      enqueuers_.emplace_back(absl::StrCat("queue/", runner.name()),
                              [this, &filling, op] { Fill(filling, op); });
    }
    coordinator_.Register();
    closers_.emplace_back(absl::StrCat("stop/", runner.name()),
                          [this, &filling] { CloseOnStop(filling); });
  }

  size_t size() const { return enqueuers_.size() + closers_.size(); }

  void Stop() {
    MutexLock lock(join_mu_);
    if (ended_ || size() == 0) return;
    ended_ = true;
    coordinator_.RequestStop();
    JoinAll(closers_);
    runs_.Cancel(Cancelled("the queue runners were stopped"));
    JoinAll(enqueuers_);
  }

  void Abandon() {
    {
      MutexLock lock(mu_);
      abandoned_ = true;
      changed_.NotifyAll();
    }
    runs_.Cancel(Cancelled("the session of the queue runners was lost"));
    MutexLock lock(join_mu_);
    ended_ = true;
    JoinAll(closers_);
    JoinAll(enqueuers_);
  }

 private:
  // A runner and the number of its enqueues that still run.
  struct Filling {
    QueueRunner runner;
    size_t left = 0;
  };

  static void JoinAll(std::vector<Thread>& threads) {
    for (Thread& thread : threads) {
      if (thread.joinable()) thread.Join();
    }
  }

  void OnStop() {
    MutexLock lock(mu_);
    stopping_ = true;
    changed_.NotifyAll();
  }

  bool ShouldEnd() {
    MutexLock lock(mu_);
    return stopping_ || abandoned_;
  }

  void Fill(Filling& filling, const Operation& op) {
    const StatusOr<Callable> enqueue = session_.Prepare({}, {}, {op});
    Status status = enqueue.status();
    while (status.ok() && !ShouldEnd()) {
      status = enqueue->Run({}, {.cancel = &runs_}).status();
    }
    OnEnd(filling, status);
    coordinator_.Unregister();
  }

  void OnEnd(Filling& filling, const Status& status) {
    const bool is_end = filling.runner.IsEnd(status);
    bool is_last = false;
    bool follows = false;  // of a stop that another thread asked for
    bool closes = false;
    {
      MutexLock lock(mu_);
      is_last = --filling.left == 0;
      follows = stopping_ || abandoned_;
      closes = is_end && is_last && !abandoned_;
    }
    if (closes) {
      session_.RunTargets({filling.runner.close_op()}, {.cancel = &runs_})
          .IgnoreError();
    }
    if (is_last) filling.runner.Release(&session_);
    if (status.ok() || is_end || follows) return;
    if (on_error_ && on_error_(status)) return;
    coordinator_.RequestStop(status);
  }

  void CloseOnStop(Filling& filling) {
    bool abandoned = false;
    {
      MutexLock lock(mu_);
      while (!stopping_ && !abandoned_) changed_.Wait(mu_);
      abandoned = abandoned_;
    }
    if (!abandoned) {
      session_
          .RunTargets({filling.runner.cancel_op()},
                      {.options = {.timeout_ms = kCancelOpTimeoutMs}})
          .IgnoreError();
    }
    coordinator_.Unregister();
  }

  Session& session_;
  Coordinator& coordinator_;
  const std::function<bool(const Status&)> on_error_;
  const std::shared_ptr<CancelScope> stop_scope_;
  CancelScope::Token stop_token_ = 0;
  CancelScope runs_;  // enqueues

  Mutex join_mu_;  // held while the threads are ended and joined
  bool ended_ = false;

  Mutex mu_;  // guards the two flags and the counters of the fillings
  CondVar changed_;
  bool stopping_ = false;
  bool abandoned_ = false;
  std::deque<Filling> fillings_;
  std::vector<Thread> enqueuers_;
  std::vector<Thread> closers_;
};

QueueThreads::QueueThreads() = default;
QueueThreads::QueueThreads(QueueThreads&&) noexcept = default;
QueueThreads& QueueThreads::operator=(QueueThreads&&) noexcept = default;
QueueThreads::~QueueThreads() = default;

size_t QueueThreads::size() const { return impl_ ? impl_->size() : 0; }

void QueueThreads::Stop() {
  if (impl_) impl_->Stop();
}

void QueueThreads::Abandon() {
  if (impl_) impl_->Abandon();
  impl_.reset();
}

QueueThreads StartQueueRunners(Session& session, Coordinator& coordinator,
                               const std::vector<QueueRunner>& runners,
                               const StartQueueRunnersOptions& options) {
  QueueThreads threads;
  threads.impl_ = std::make_unique<QueueThreads::Impl>(session, coordinator,
                                                       options.on_error);
  for (const QueueRunner& runner : runners) threads.impl_->Start(runner);
  return threads;
}

QueueThreads StartQueueRunners(Session& session, Coordinator& coordinator,
                               const StartQueueRunnersOptions& options) {
  return StartQueueRunners(
      session, coordinator,
      session.graph()->Collection<QueueRunner>(options.collection), options);
}

}  // namespace millrace::train
