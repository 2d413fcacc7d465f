// The two ends of a loopback call. Private to rpc/loopback.
#pragma once

#include <string>

#include "absl/container/btree_map.h"
#include "millrace/rpc/pending_call.h"

namespace millrace {

class LoopbackCall;

// What stands behind an address: the services and the calls that are open.
// Thread-safe.
class LoopbackDoor final : public RefCounted {
 public:
  // Serves on `lanes`, those of the process that listens.
  LoopbackDoor(std::string address, const Services& services, Lanes* lanes)
      : address_(std::move(address)), services_(services), lanes_(lanes) {}

  // 0 if the door is closed. Else the call is open until Leave of the number.
  uint64_t Enter(LoopbackCall* call);
  void Leave(uint64_t number);
  // See Listener.
  void Shutdown(Deadline deadline);
  void Kill();

  const std::string& address() const { return address_; }
  const Services& services() const { return services_; }
  Lanes& lanes() const { return *lanes_; }
  // Above the scopes of all calls.
  CancelScope* scope() { return &scope_; }

 private:
  const std::string address_;
  const Services services_;
  Lanes* const lanes_;
  CancelScope scope_;

  Mutex mu_;  // guards all below
  CondVar left_;
  bool closed_ = false;
  // By the number of its arrival: a kill meets them in this order, not in one
  // that depends on addresses.
  absl::btree_map<uint64_t, LoopbackCall*> open_;
  uint64_t arrivals_ = 0;
};

class LoopbackCall final : public PendingCall {
 public:
  // A null door: nobody listens.
  LoopbackCall(const Method& method, absl::string_view address,
               CallContext& context, std::string caller, ByteChunks* reply,
               Done done, Ref<LoopbackDoor> door);

  // Once, after Begin said yes.
  void Send(ByteChunks request);
  // Of the server's side.
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
