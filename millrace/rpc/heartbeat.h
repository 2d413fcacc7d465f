// Heartbeat: whether a server is there, found out by asking it again and again.
#pragma once

#include <cstdint>

#include "millrace/base/memory/ref.h"
#include "millrace/base/threads/cancel.h"
#include "millrace/base/threads/lanes.h"
#include "millrace/base/threads/thread.h"
#include "millrace/protocol/worker.h"

namespace millrace {

// Counts questions in a row that brought no answer.
class Misses {
 public:
  // After `allowed` of them the server counts as silent.
  explicit Misses(int allowed) : allowed_(allowed) {}

  int allowed() const { return allowed_; }
  // Takes note of how a question ended. True if the server has become silent;
  // the count begins anew then.
  bool Count(bool answered) {
    if (!answered && ++count_ < allowed_) return false;
    count_ = 0;
    return !answered;
  }
  void Forget() { count_ = 0; }

 private:
  int allowed_;
  int count_ = 0;
};

// A connection that breaks says so at once; a frozen server and a cut network
// say nothing. So whoever waits for a server asks it for GetStatus each period:
// it has a heartbeat, is its watcher, and calls AskBy when it begins to wait.
// A question is asked on the control lane, one at a time, and may take a
// period. What came of it is told to the watcher, who orders the next one with
// AskBy, mostly for `due`, or lets the heartbeat rest.
//
// The lock of the watcher guards the heartbeat too, so that what is watched and
// what is planned change together. Thread-safe as its methods say.
class Heartbeat {
 public:
  struct Answer {
    const Status& status;  // of the question
    const GetStatusReply& reply;
    Deadline due;  // a period after the question, however soon it ended
  };

  class Watcher {
   public:
    // What must live while a question is planned or on its way: the watcher and
    // what its lock is in. Null if it calls Stop before it ends. Lock held.
    virtual Ref<RefCounted> Keep() = 0;
    // Whether anybody still waits for the server. If not, a question that was
    // planned is not asked and the heartbeat rests. Lock held.
    virtual bool Waits() = 0;
    // Who is asked.
    virtual WorkerApi& Asked() = 0;
    // A question has ended. Runs where its call ended, one at a time, no lock
    // held; the next question is asked after it.
    virtual void Told(const Answer& answer) = 0;

   protected:
    ~Watcher() = default;
  };

  // `mu` is the watcher's. Lanes outlive the heartbeat.
  Heartbeat(Mutex& mu, Lanes& lanes, int64_t period_ms, Watcher& watcher);
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

  // True if no question is planned or on its way. Lock held.
  bool rests() const { return timer_ == 0 && !asking_; }
  // Sees to it that a question is asked at `when` or before; if one is on its
  // way, that is the next. Lock held.
  void AskBy(Deadline when);
  // Nothing is asked any more. Ends a question that is on its way, and waits
  // until nothing of the heartbeat runs. No lock held; not from Told.
  void Stop();

 private:
  void Plan(Deadline when);          // lock held
  void Rest();                       // lock held
  void Ask(Ref<RefCounted> keep);    // on the control lane
  void OnEnd(const Status& status);  // of a question

  Mutex& mu_;
  Lanes& lanes_;
  const int64_t period_ms_;
  Watcher& watcher_;
  CancelScope scope_;  // of questions
  // Of the question on its way.
  CallContext context_;
  const GetStatusRequest request_{};
  GetStatusReply reply_;

  // Guarded by mu_.
  CondVar resting_;
  Timer::Id timer_ = 0;  // of the question that is planned; 0: none
  Deadline next_;        // when it is asked, or the one after `asking_`
  bool asking_ = false;  // a question is on its way, or Told runs
  bool stopped_ = false;
};

}  // namespace millrace
