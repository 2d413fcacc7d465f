// BulkDoor: a listener's bulk sockets, the tokens that open connections, and
// the calls that arrived on these. Private to rpc/bulk.
#pragma once

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "millrace/base/threads/cancel.h"
#include "millrace/base/threads/lanes.h"
#include "millrace/protocol/caller.h"
#include "millrace/rpc/acceptor.h"
#include "millrace/rpc/bulk/bulk_tokens.h"

namespace millrace {

class ServedConnection;

// Thread-safe.
class BulkDoor final : public RefCounted, public PeerApi {
 public:
  BulkDoor(const Services& services, int64_t stall_ms);

  // Listens on `host`. Requires: called once.
  Status Open(const std::string& host);
  void set_address(const std::string& address) { address_ = address; }

  // ---- PeerApi: returns the bulk addresses, and a token for one connection.
  void Hello(CallContext& context, const HelloRequest& request,
             HelloReply* reply, Done done) override;

  // ---- For its connections.
  // Returns true once for each token made in the last minute.
  bool TakeToken(const std::string& token);
  // Counts a call as open until Leave. Returns false, and counts nothing,
  // during shutdown.
  bool Enter();
  void Leave();
  // Returns false if there are too many connections, or the door is closed.
  bool Add(const Ref<ServedConnection>& connection);
  void Remove(ServedConnection* connection);
  const Services& services() const { return services_; }
  int64_t stall_ms() const { return stall_ms_; }
  Lanes& lanes() const { return lanes_; }
  CancelScope* handlers() { return &handlers_; }
  const std::string& address() const { return address_; }

  // ---- For the listener; see transport.h.
  void Refuse();
  void Shutdown(Deadline deadline);
  void Kill();
  // Blocks until no call is open.
  void AwaitCalls();

 private:
  ~BulkDoor() override;
  template <class T, class... Args>
  friend Ref<T> MakeRef(Args&&... args);

  void Welcome(int fd);
  void CloseAcceptors();
  std::vector<Ref<ServedConnection>> Connections();

  const Services services_;
  const int64_t stall_ms_;
  Lanes& lanes_;
  std::string address_;  // of the inner listener; set before the first call
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
