// Between the interfaces and bytes: stubs turn a call of an interface into
// bytes for a Caller; Serve turns bytes into a call of an interface.
#pragma once

#include <memory>

#include "millrace/protocol/method.h"
#include "millrace/tensor/chunks.h"

namespace millrace {

// Carries calls to one peer. Thread-safe.
class Caller {
 public:
  virtual ~Caller() = default;
  // Sends `request`; `*reply` is filled before `done` gets OK. `context` and
  // `reply` live until `done` was called. A transport never calls `done` within
  // Call: it posts it to the control lane, or calls it where the reply of a
  // short call arrives (rpc/short_call.h). `context.deadline` and `cancel` end
  // the call.
  virtual void Call(const Method& method, CallContext& context,
                    ByteChunks request, ByteChunks* reply, Done done) = 0;
};

// Each method encodes, calls, decodes. `caller` outlives the stub and its
// calls. Retries are the caller's.
std::unique_ptr<MasterApi> MakeMasterStub(Caller* caller);
std::unique_ptr<WorkerApi> MakeWorkerStub(Caller* caller);
std::unique_ptr<PeerApi> MakePeerStub(Caller* caller);
std::unique_ptr<AdminApi> MakeAdminStub(Caller* caller);

// What a server offers; a null service answers UNIMPLEMENTED.
struct Services {
  MasterApi* master = nullptr;
  WorkerApi* worker = nullptr;
  PeerApi* peer = nullptr;
  AdminApi* admin = nullptr;
};

// Decodes `request`, sets context.request_id from it, calls the method, and
// encodes its reply into `*reply` before `done` gets OK. `request` is free as
// soon as Serve returns (tensors that alias it hold its owners); `context` and
// `reply` live until `done`. Statuses pass unchanged; see StatusForClient.
void Serve(const Services& services, MethodId method, CallContext& context,
           const ByteChunks& request, ByteChunks* reply, Done done);

}  // namespace millrace
