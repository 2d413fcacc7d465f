// PendingCall: the caller's side of one call, for transports that run on our
// own threads. The first of reply, cancellation and deadline ends the call.
#pragma once

#include <string>

#include "millrace/base/memory/ref.h"
#include "millrace/base/threads/cancel.h"
#include "millrace/base/threads/lanes.h"
#include "millrace/base/threads/thread.h"
#include "millrace/base/threads/timer.h"
#include "millrace/protocol/caller.h"

namespace millrace {

// Thread-safe. `context` and `reply` belong to the caller and are not touched
// after Done is called, which is posted to the control lane of the process that
// made the call (or happens in FinishInline). No lock is held while another one
// is taken, so that a frozen process never holds a lock that another one needs.
class PendingCall : public RefCounted {
 public:
  // Requires: runs on the calling thread.
  PendingCall(const Method& method, absl::string_view address,
              CallContext& context, ByteChunks* reply, Done done);

  // Begins to watch cancellation and deadline. Returns false if the call has
  // already ended: it must not be sent.
  bool Begin();
  // Ends the call unless it has ended. `reply` is used only if `status` is OK.
  // Returns true for the first call.
  bool Finish(Status status, ByteChunks reply = {});
  // Like Finish, but calls Done before it returns. Requires: the thread may run
  // Dones, and no lock is held.
  bool FinishInline(Status status, ByteChunks reply = {});
  bool finished() const;

  const Method& method() const { return method_; }
  const std::string& address() const { return address_; }
  // Returns the lanes of the calling process.
  Lanes& lanes() const { return *lanes_; }

 protected:
  ~PendingCall() override = default;
  // Called when the caller gives up while the call is in flight: it was
  // cancelled, or its deadline passed. Runs at most once, on the thread that
  // noticed it (maybe the timer's), and must not block.
  virtual void OnGiveUp(const Status& reason) = 0;

 private:
  void GiveUp(const Status& reason);
  // Sets the outcome. Returns false if there is one already; sets `*begun` if
  // the outcome is to be delivered now.
  bool SetOutcome(Status status, ByteChunks reply, bool* begun);
  void Post(ThreadPool& lane);
  void Deliver();

  const Method method_;
  const std::string address_;
  Lanes* const lanes_;
  CallContext* const context_;
  ByteChunks* const reply_;
  Done done_;
  // Written in Begin, before the call can be posted.
  CancelScope::Token token_ = 0;
  Timer::Id timer_ = 0;

  mutable Mutex mu_;  // guards all below
  bool begun_ = false;
  bool finished_ = false;
  Status status_;
  ByteChunks result_;
};

}  // namespace millrace
