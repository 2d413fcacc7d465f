#include "millrace/protocol/caller.h"

#include <utility>

#include "millrace/base/memory/decode_charge.h"
#include "millrace/protocol/codec.h"

namespace millrace {
namespace {

template <class Request, class Reply>
void Invoke(Caller* caller, MethodId id, CallContext& context,
            const Request& request, Reply* reply, Done done) {
  StatusOr<ByteChunks> bytes = Encode(request);
  if (!bytes.ok()) {
    std::move(done)(bytes.status());
    return;
  }
  if constexpr (requires { request.request_id; })
    context.request_id = request.request_id;
  auto answer = std::make_unique<ByteChunks>();
  ByteChunks* raw = answer.get();
  caller->Call(GetMethod(id), context, *std::move(bytes), raw,
               Done([answer = std::move(answer), reply,
                     done = std::move(done)](Status status) mutable {
                 if (status.ok()) status = Decode(*answer, reply);
                 std::move(done)(std::move(status));
               }));
}

#define MR_STUB_METHOD(Name)                                    \
  void Name(CallContext& context, const Name##Request& request, \
            Name##Reply* reply, Done done) override {           \
    Invoke(caller_, MethodId::k##Name, context, request, reply, \
           std::move(done));                                    \
  }
#define MR_STUB(Api, Stub, METHODS)                    \
  class Stub final : public Api {                      \
   public:                                             \
    explicit Stub(Caller* caller) : caller_(caller) {} \
    METHODS(MR_STUB_METHOD)                            \
   private:                                            \
    Caller* caller_;                                   \
  };
MR_STUB(MasterApi, MasterStub, MR_MASTER_METHODS)
MR_STUB(WorkerApi, WorkerStub, MR_WORKER_METHODS)
MR_STUB(PeerApi, PeerStub, MR_PEER_METHODS)
MR_STUB(AdminApi, AdminStub, MR_ADMIN_METHODS)

template <class Request, class Reply>
struct Exchange {
  DecodeCharge charge;  // of the request
  Request request;
  Reply reply;
};

template <class Request, class Reply, class Api>
void ServeMethod(Api* api,
                 void (Api::*method)(CallContext&, const Request&, Reply*,
                                     Done),
                 MethodId id, CallContext& context, const ByteChunks& request,
                 ByteChunks* reply, Done done) {
  if (api == nullptr) {
    std::move(done)(
        Unimplemented("this server does not offer ", GetMethod(id).path));
    return;
  }
  auto exchange = std::make_unique<Exchange<Request, Reply>>();
  Status status;
  {
    const DecodeCharge::Scope counted(exchange->charge);
    status = Decode(request, &exchange->request);
  }
  if (!status.ok()) {
    std::move(done)(Annotate(
        status, absl::StrCat("; in the request of ", GetMethod(id).name)));
    return;
  }
  if constexpr (requires { exchange->request.request_id; }) {
    context.request_id = exchange->request.request_id;
  }
  Exchange<Request, Reply>* e = exchange.get();
  (api->*method)(context, e->request, &e->reply,
                 Done([exchange = std::move(exchange), reply,
                       done = std::move(done)](Status status) mutable {
                   if (status.ok()) {
                     StatusOr<ByteChunks> bytes = Encode(exchange->reply);
                     if (bytes.ok()) {
                       *reply = *std::move(bytes);
                     } else {
                       status = bytes.status();
                     }
                   }
                   exchange.reset();
                   std::move(done)(std::move(status));
                 }));
}

}  // namespace

std::unique_ptr<MasterApi> MakeMasterStub(Caller* caller) {
  return std::make_unique<MasterStub>(caller);
}
std::unique_ptr<WorkerApi> MakeWorkerStub(Caller* caller) {
  return std::make_unique<WorkerStub>(caller);
}
std::unique_ptr<PeerApi> MakePeerStub(Caller* caller) {
  return std::make_unique<PeerStub>(caller);
}
std::unique_ptr<AdminApi> MakeAdminStub(Caller* caller) {
  return std::make_unique<AdminStub>(caller);
}

void Serve(const Services& services, MethodId method, CallContext& context,
           const ByteChunks& request, ByteChunks* reply, Done done) {
#define MR_CASE(Api, api, Name)                                            \
  case MethodId::k##Name:                                                  \
    ServeMethod(services.api, &Api::Name, method, context, request, reply, \
                std::move(done));                                          \
    return;
#define MR_MASTER_CASE(Name) MR_CASE(MasterApi, master, Name)
#define MR_WORKER_CASE(Name) MR_CASE(WorkerApi, worker, Name)
#define MR_PEER_CASE(Name) MR_CASE(PeerApi, peer, Name)
#define MR_ADMIN_CASE(Name) MR_CASE(AdminApi, admin, Name)
  switch (method) {
    MR_MASTER_METHODS(MR_MASTER_CASE)
    MR_WORKER_METHODS(MR_WORKER_CASE)
    MR_PEER_METHODS(MR_PEER_CASE)
    MR_ADMIN_METHODS(MR_ADMIN_CASE)
  }
  std::move(done)(
      Unimplemented("unknown method number ", static_cast<int>(method)));
}

}  // namespace millrace
