// Heartbeat: a failure detector that finds out by periodic probes whether a
// server is alive.
#pragma once

#include <cstdint>

#include "millrace/base/memory/ref.h"
#include "millrace/base/threads/cancel.h"
#include "millrace/base/threads/lanes.h"
#include "millrace/base/threads/thread.h"
#include "millrace/protocol/worker.h"

namespace millrace {

// Counts consecutive probes that were not answered.
class Misses {
 public:
  // After `allowed` misses in a row the server counts as silent.
  explicit Misses(int allowed) : allowed_(allowed) {}

  int allowed() const { return allowed_; }
  // Records how a probe ended. Returns true, and resets the count, if the
  // server has become silent.
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

// A connection that breaks reports it at once; a frozen server and a cut
// network report nothing. An object that waits for a server therefore probes it
// with GetStatus once a period: it owns a Heartbeat, is its watcher, and calls
// ProbeBy when it begins to wait. Probes run on the control lane, one at a
// time, and may take a period each. The result goes to the watcher, which
// schedules the next probe with ProbeBy, mostly for `due`, or lets the
// heartbeat rest.
//
// The watcher's lock also guards the heartbeat, so that what is watched and
// what is scheduled change together. Thread-safe as each method says.
class Heartbeat {
 public:
  struct Answer {
    const Status& status;  // of the probe
    const GetStatusReply& reply;
    Deadline due;  // a period after the probe began, however soon it ended
  };

  class Watcher {
   public:
    // Returns a reference that keeps the watcher, and the owner of its lock,
    // alive while a probe is scheduled or in flight. Null if the watcher calls
    // Stop before it is destroyed. The lock is held.
    virtual Ref<RefCounted> Keep() = 0;
    // Returns whether anything still waits for the server. If not, a scheduled
    // probe is not sent and the heartbeat rests. The lock is held.
    virtual bool Waits() = 0;
    // Returns the server that is probed.
    virtual WorkerApi& ProbeTarget() = 0;
    // Receives the result of a probe. Called on the thread on which the call
    // ended, once at a time, with no lock held; the next probe is sent after it
    // returns.
    virtual void OnAnswer(const Answer& answer) = 0;

   protected:
    ~Watcher() = default;
  };

  // `mu` is the watcher's lock. `lanes` must outlive the heartbeat.
  Heartbeat(Mutex& mu, Lanes& lanes, int64_t period_ms, Watcher& watcher);
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

  // Returns true if no probe is scheduled or in flight. Requires: the lock is
  // held.
  bool rests() const { return timer_ == 0 && !probing_; }
  // Schedules a probe for `when` or earlier; if one is in flight, for the next
  // one. Requires: the lock is held.
  void ProbeBy(Deadline when);
  // Stops probing: cancels the probe in flight and blocks until nothing of the
  // heartbeat runs. Requires: no lock is held, and the caller is not OnAnswer.
  void Stop();

 private:
  void Plan(Deadline when);          // lock held
  void Rest();                       // lock held
  void Ask(Ref<RefCounted> keep);    // on the control lane
  void OnEnd(const Status& status);  // of a probe

  Mutex& mu_;
  Lanes& lanes_;
  const int64_t period_ms_;
  Watcher& watcher_;
  CancelScope scope_;  // of probes
  // The call of the probe in flight.
  CallContext context_;
  const GetStatusRequest request_{};
  GetStatusReply reply_;

  // Guarded by mu_.
  CondVar resting_;
  Timer::Id timer_ = 0;  // of the scheduled probe; 0: none
  Deadline next_;  // when it is sent, or the one after the probe in flight
  bool probing_ = false;  // a probe is in flight, or OnAnswer runs
  bool stopped_ = false;
};

}  // namespace millrace
