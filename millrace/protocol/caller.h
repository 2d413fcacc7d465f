// Converts between the interfaces and bytes: stubs turn a call of an interface
// into bytes for a Caller; Serve turns bytes into a call of an interface.
#pragma once

#include <memory>

#include "millrace/protocol/method.h"
#include "millrace/tensor/chunks.h"

namespace millrace {

// Sends calls to one peer. Thread-safe.
class Caller {
 public:
  virtual ~Caller() = default;
  // Sends `request`; `*reply` is filled before `done` is called with OK.
  // `context` and `reply` must live until `done` was called. A transport never
  // calls `done` within Call: it posts it to the control pool, or calls it on
  // the thread on which the reply of a short call arrives (rpc/short_call.h).
  // `context.deadline` and `context.cancel` end the call.
  virtual void Call(const Method& method, CallContext& context,
                    ByteChunks request, ByteChunks* reply, Done done) = 0;
};

// Return a stub each of whose methods encodes, calls, and decodes. `caller`
// must outlive the stub and its calls. Stubs do not retry; the Caller does.
std::unique_ptr<MasterApi> MakeMasterStub(Caller* caller);
std::unique_ptr<WorkerApi> MakeWorkerStub(Caller* caller);
std::unique_ptr<PeerApi> MakePeerStub(Caller* caller);
std::unique_ptr<AdminApi> MakeAdminStub(Caller* caller);

// The services of a server; a null service answers UNIMPLEMENTED.
struct Services {
  MasterApi* master = nullptr;
  WorkerApi* worker = nullptr;
  PeerApi* peer = nullptr;
  AdminApi* admin = nullptr;
};

// Decodes `request`, sets context.request_id from it, calls the method, and
// encodes its reply into `*reply` before `done` is called with OK. `request`
// may be freed as soon as Serve returns (tensors that alias it hold its
// owners); `context` and `reply` must live until `done` was called. Statuses
// are passed on unchanged; see StatusForClient.
void Serve(const Services& services, MethodId method, CallContext& context,
           const ByteChunks& request, ByteChunks* reply, Done done);

}  // namespace millrace
