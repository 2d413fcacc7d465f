// PendingCall: the caller's side of one call, for transports that are made of
// our own threads. The first of reply, cancellation and deadline ends it.
#pragma once

#include <string>

#include "millrace/base/memory/ref.h"
#include "millrace/base/threads/cancel.h"
#include "millrace/base/threads/lanes.h"
#include "millrace/base/threads/thread.h"
#include "millrace/base/threads/timer.h"
#include "millrace/protocol/caller.h"

namespace millrace {

// Thread-safe. `context` and `reply` are the caller's and are touched no more
// once Done was called, which happens by a post to the control lane of the
// process that made the call (or in FinishHere). No lock is held while another
// one is taken, so that a frozen process never holds what another needs.
class PendingCall : public RefCounted {
 public:
  // To be made on the thread that calls.
  PendingCall(const Method& method, absl::string_view address,
              CallContext& context, ByteChunks* reply, Done done);

  // Watches cancellation and deadline from now on. False if the call is over
  // already: it shall not be sent.
  bool Begin();
  // Ends the call unless it is over. `reply` counts if `status` is OK. True
  // for the first.
  bool Finish(Status status, ByteChunks reply = {});
  // The same, but Done is called before this returns. Only where Dones may
  // run, with no lock held.
  bool FinishHere(Status status, ByteChunks reply = {});
  bool finished() const;

  const Method& method() const { return method_; }
  const std::string& address() const { return address_; }
  // Of the process that called.
  Lanes& lanes() const { return *lanes_; }

 protected:
  ~PendingCall() override = default;
  // The caller has given up, at a time when the call was under way: cancelled,
  // or past the deadline. Runs once at most, on the thread that found it (which
  // may be the timer's), and must not block.
  virtual void OnGiveUp(const Status& reason) = 0;

 private:
  void GiveUp(const Status& reason);
  // Sets the outcome. False if there is one; `*begun`: it is to be delivered.
  bool SetOutcome(Status status, ByteChunks reply, bool* begun);
  void Post();
  void Deliver();

  const Method& method_;
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
