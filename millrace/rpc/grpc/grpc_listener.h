// The server's side of gRPC: a port, its completion queue, and its calls.
#pragma once

#include <memory>

#include "millrace/rpc/grpc/grpc_transport.h"

namespace millrace {

// See Transport::Listen.
StatusOr<std::unique_ptr<Listener>> ListenOnGrpc(const ListenOptions& options,
                                                 const GrpcOptions& grpc,
                                                 const Services& services);

}  // namespace millrace
