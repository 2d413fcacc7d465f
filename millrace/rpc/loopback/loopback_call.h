// The two ends of a loopback call. Private to rpc/loopback.
#pragma once

#include <string>

#include "absl/container/btree_map.h"
#include "millrace/rpc/pending_call.h"

namespace millrace {

class LoopbackCall;

// A listening endpoint: the services and the open calls behind an address.
// Thread-safe.
class LoopbackDoor final : public RefCounted {
 public:
  // Serves on `lanes`, those of the process that listens.
  LoopbackDoor(std::string address, const Services& services, Lanes* lanes)
      : address_(std::move(address)), services_(services), lanes_(lanes) {}

  // Adds an open call and returns its number, for Leave; 0 if the door is
  // closed.
  uint64_t Enter(LoopbackCall* call);
  void Leave(uint64_t number);
  // See Listener.
  void Shutdown(Deadline deadline);
  void Kill();

  const std::string& address() const { return address_; }
  const Services& services() const { return services_; }
  Lanes& lanes() const { return *lanes_; }
  // The parent of the scopes of all calls.
  CancelScope* scope() { return &scope_; }

 private:
  const std::string address_;
  const Services services_;
  Lanes* const lanes_;
  CancelScope scope_;

  Mutex mu_;  // guards all below
  CondVar left_;
  bool closed_ = false;
  // By order of arrival: a kill ends them in this order, not in one that
  // depends on addresses.
  absl::btree_map<uint64_t, LoopbackCall*> open_;
  uint64_t arrivals_ = 0;
};

class LoopbackCall final : public PendingCall {
 public:
  // A null door: nothing listens at the address.
  LoopbackCall(const Method& method, absl::string_view address,
               CallContext& context, std::string caller, ByteChunks* reply,
               Done done, Ref<LoopbackDoor> door);

  // Sends the call. Requires: Begin returned true; called once.
  void Send(ByteChunks request);
  // Called on the server's side.
  void CancelHandler(const Status& reason) { server_scope_.Cancel(reason); }

 private:
  void OnGiveUp(const Status& reason) override;
  void Run();
  void Answer(const Status& status);

  const Ref<LoopbackDoor> door_;
  CancelScope server_scope_;
  CallContext server_context_;
  uint64_t number_ = 0;  // at the door
  ByteChunks request_;
  ByteChunks server_reply_;
};

}  // namespace millrace
