// BulkDoor: a listener's bulk sockets, the tokens that open them, and the
// calls that came through. Private to rpc/bulk.
#pragma once

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "millrace/base/threads/cancel.h"
#include "millrace/base/threads/lanes.h"
#include "millrace/protocol/caller.h"
#include "millrace/rpc/bulk/bulk_tokens.h"
#include "millrace/rpc/bulk/poller.h"

namespace millrace {

class ServedConnection;

// Thread-safe.
class BulkDoor final : public RefCounted, public PeerApi {
 public:
  BulkDoor(const Services& services, int64_t stall_ms);

  // Listens on `host`; to be called once.
  Status Open(const std::string& host);
  void set_address(const std::string& address) { address_ = address; }

  // ---- PeerApi: where to knock, with a token for one connection.
  void Hello(CallContext& context, const HelloRequest& request,
             HelloReply* reply, Done done) override;

  // ---- For its connections.
  // True once for each token of the last minute.
  bool TakeToken(const std::string& token);
  // False: shutting down. Else Leave ends the call.
  bool Enter();
  void Leave();
  // False: there are too many, or the door is closed.
  bool Add(const Ref<ServedConnection>& connection);
  void Remove(ServedConnection* connection);
  const Services& services() const { return services_; }
  int64_t stall_ms() const { return stall_ms_; }
  Lanes& lanes() const { return lanes_; }
  CancelScope* handlers() { return &handlers_; }
  const std::string& address() const { return address_; }

  // ---- The listener's ends; see transport.h.
  void Refuse();
  void Shutdown(Deadline deadline);
  void Kill();
  // Until no call is open.
  void AwaitCalls();

 private:
  class Acceptor;

  ~BulkDoor() override;
  template <class T, class... Args>
  friend Ref<T> MakeRef(Args&&... args);

  void CloseAcceptors();
  std::vector<Ref<ServedConnection>> Connections();

  const Services services_;
  const int64_t stall_ms_;
  Lanes& lanes_;
  std::string address_;  // of the inner listener; before the first call
  std::string bulk_address_;
  std::string local_name_;
  CancelScope handlers_;
  BulkTokens tokens_;

  Mutex mu_;  // guards all below
  CondVar changed_;
  std::vector<Ref<Acceptor>> acceptors_;
  absl::flat_hash_map<ServedConnection*, Ref<ServedConnection>> connections_;
  int open_calls_ = 0;
  bool refusing_ = false;
};

}  // namespace millrace
