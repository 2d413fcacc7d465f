// GrpcChannel: the client's side of gRPC, a connection to one address, kept
// alive by its callers.
#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/generic/generic_stub.h>

#include <memory>
#include <string>

#include "millrace/protocol/caller.h"
#include "millrace/rpc/grpc/grpc_transport.h"

namespace millrace {

// A Caller over one gRPC channel. While the peer cannot be reached, the channel
// retries with exponential backoff; a call makes it retry at once, and fails
// with UNAVAILABLE if that does not succeed soon. Thread-safe.
class GrpcChannel final : public Caller,
                          public std::enable_shared_from_this<GrpcChannel> {
 public:
  GrpcChannel(const std::string& address, const GrpcOptions& options);

  void Call(const Method& method, CallContext& context, ByteChunks request,
            ByteChunks* reply, Done done) override;

  const std::string& address() const { return address_; }
  grpc::Channel& channel() { return *channel_; }
  grpc::GenericStub& stub() { return stub_; }
  int reconnect_wait_ms() const { return reconnect_wait_ms_; }

 private:
  const std::string address_;
  const int reconnect_wait_ms_;
  const std::shared_ptr<grpc::Channel> channel_;
  grpc::GenericStub stub_;
};

}  // namespace millrace
