// AdminClient: calls of the command to a server's service millrace.Admin.
#pragma once

#include <memory>
#include <string>

#include "millrace/protocol/peer.h"
#include "millrace/rpc/transport.h"

namespace millrace {

// Each call blocks. Not thread-safe.
class AdminClient {
 public:
  // `address` is "host:port", with or without "grpc://".
  static StatusOr<std::unique_ptr<AdminClient>> Connect(std::string address);
  ~AdminClient();

  const std::string& address() const { return address_; }
  // These return UNAVAILABLE if the server cannot be reached, UNIMPLEMENTED if
  // it is not one of ours.
  Status Stop(const StopRequest& request);
  StatusOr<ServerStatusReply> GetStatus(const ServerStatusRequest& request);
  // Returns all methods, for callers that do not block.
  AdminApi& api() { return *admin_; }

 private:
  explicit AdminClient(std::string address);

  const std::string address_;
  std::shared_ptr<Transport> transport_;
  std::shared_ptr<Caller> caller_;
  std::unique_ptr<AdminApi> admin_;
};

}  // namespace millrace
