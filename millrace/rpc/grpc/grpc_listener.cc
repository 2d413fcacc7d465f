#include "millrace/rpc/grpc/grpc_listener.h"

#include <grpc/grpc.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/impl/codegen/completion_queue_tag.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "millrace/base/threads/lanes.h"
#include "millrace/rpc/call_status.h"
#include "millrace/rpc/grpc/completion_thread.h"
#include "millrace/rpc/grpc/front_door.h"
#include "millrace/rpc/grpc/grpc_log.h"
#include "millrace/rpc/grpc/local_call.h"
#include "millrace/rpc/grpc/message_quota.h"
#include "millrace/rpc/grpc/method_call.h"
#include "millrace/rpc/grpc/wire_status.h"

namespace millrace {
namespace {

// Time for replies to leave before connections are closed.
constexpr int64_t kFarewellMillis = 200;
constexpr int kHandshakeMillis = 30'000;

// Returns "tensorflow.MasterService" for "/tensorflow.MasterService/RunStep".
std::string ServiceName(MethodId id) {
  const absl::string_view path = GetMethod(id).path;
  return std::string(path.substr(1, path.rfind('/') - 1));
}

std::vector<std::string> ServiceNames(const Services& services) {
  std::vector<std::string> names;
  if (services.master) names.push_back(ServiceName(MethodId::kRunStep));
  if (services.worker) names.push_back(ServiceName(MethodId::kGetStatus));
  if (services.peer) names.push_back(ServiceName(MethodId::kHello));
  if (services.admin) names.push_back(ServiceName(MethodId::kStop));
  names.push_back("grpc.health.v1.Health");
  names.push_back("grpc.reflection.v1alpha.ServerReflection");
  names.push_back("grpc.reflection.v1.ServerReflection");
  return names;
}

// Ignores the completion of a core operation.
class Ignored final : public grpc::internal::CompletionQueueTag {
 public:
  bool FinalizeResult(void**, bool*) override {
    delete this;
    return false;
  }
};

class GrpcListener final : public Listener, public CallHost {
 public:
  explicit GrpcListener(const Services& services)
      : services_(services), lanes_(Lanes::Process()) {
    const std::vector<std::string> names = ServiceNames(services);
    AddHealth(names, &local_methods_);
    AddReflection(names, &local_methods_);
  }
  ~GrpcListener() override {
    if (server_) Shutdown(Deadline::At(0));
  }

  Status Start(const ListenOptions& options, const GrpcOptions& grpc);

  const std::string& address() const override { return address_; }
  int port() const override { return port_; }
  void Shutdown(Deadline deadline) override;
  void Kill() override;

  bool OnAccepted() override;
  void OnClosed() override;
  const Services& services() const override { return services_; }
  const LocalMethods& local_methods() const override { return local_methods_; }
  Lanes& lanes() const override { return lanes_; }
  CancelScope* handlers() override { return &handlers_; }
  CancelScope* streams() override { return &streams_; }

 private:
  void CancelCalls();
  const Services services_;
  Lanes& lanes_;
  LocalMethods local_methods_;
  std::string address_;
  int port_ = 0;
  FrontDoor door_;
  CancelScope handlers_;
  CancelScope streams_;

  Mutex mu_;  // guards the next two
  CondVar closed_;
  int open_ = 0;
  bool draining_ = false;

  MethodPaths methods_;
  grpc::AsyncGenericService other_methods_;
  grpc::ServerCompletionQueue* queue_ = nullptr;
  std::unique_ptr<grpc::Server> server_;
  // Destroyed, with its queue, before the server.
  std::unique_ptr<CompletionThreads> threads_;
};

Status GrpcListener::Start(const ListenOptions& options,
                           const GrpcOptions& grpc) {
  const bool v6 = absl::StrContains(options.host, ':') &&
                  !absl::StartsWith(options.host, "[");
  const std::string host =
      v6 ? absl::StrCat("[", options.host, "]")
         : (options.host.empty() ? "0.0.0.0" : options.host);
  const Status opened = door_.Open(host, options.port, options.unix_socket,
                                   grpc.keepalive_timeout_ms);
  if (!opened.ok()) {
    return Unavailable("cannot listen on ", host, ":", options.port, ": ",
                       opened.message());
  }
  port_ = door_.port();
  grpc::ServerBuilder builder;
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> acceptor =
      builder.experimental().AddExternalConnectionAcceptor(
          grpc::ServerBuilder::experimental_type::ExternalConnectionType::
              FROM_FD,
          grpc::InsecureServerCredentials());
  builder.SetMaxReceiveMessageSize(-1);
  builder.SetMaxSendMessageSize(-1);
  builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, 64 << 10);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_FRAME_SIZE, kMaxFrameBytes);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES,
                             kLookaheadBytes);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, grpc.keepalive_ms);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS,
                             grpc.keepalive_timeout_ms);
  // Who connects and does not speak HTTP/2 is in the place of another one.
  builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS,
                             kHandshakeMillis);
  // Clients may ping as often as they like.
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PING_STRIKES, 0);
  builder.AddChannelArgument(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0);
  builder.SetResourceQuota(MessageQuota());
  builder.RegisterService(&methods_);
  builder.RegisterAsyncGenericService(&other_methods_);
  std::unique_ptr<grpc::ServerCompletionQueue> queue =
      builder.AddCompletionQueue();
  server_ = builder.BuildAndStart();
  if (!server_) {
    queue->Shutdown();
    void* tag;
    bool ok;
    while (queue->Next(&tag, &ok)) {
    }
    return Internal("gRPC makes no server for ", host, ":", port_);
  }
  address_ = absl::StrCat(host == "0.0.0.0" ? "127.0.0.1" : host, ":", port_);
  queue_ = queue.get();
  threads_ = std::make_unique<CompletionThreads>(
      "grpc-server", grpc.server_threads, std::move(queue));
  for (int i = 0; i < methods_.size(); ++i) {
    MethodCall::Request(this, &methods_, i, queue_);
  }
  LocalCall::Request(this, &other_methods_, queue_);
  const size_t most = grpc.max_connections > 0
                          ? static_cast<size_t>(grpc.max_connections)
                          : MostConnections();
  return door_.Start(std::move(acceptor), most);
}

bool GrpcListener::OnAccepted() {
  MutexLock lock(mu_);
  ++open_;
  return !draining_;
}

void GrpcListener::OnClosed() {
  MutexLock lock(mu_);
  if (--open_ == 0) closed_.NotifyAll();
}

void GrpcListener::Shutdown(Deadline deadline) {
  {
    MutexLock lock(mu_);
    draining_ = true;
  }
  streams_.Cancel(ShuttingDown(address_));
  {
    MutexLock lock(mu_);
    while (open_ > 0 && !deadline.expired()) {
      closed_.WaitUntil(mu_, deadline);
    }
  }
  handlers_.Cancel(ShuttingDown(address_));
  bool all_closed = true;
  {
    const Deadline farewell = Deadline::AfterMillis(kFarewellMillis);
    MutexLock lock(mu_);
    while (open_ > 0 && !farewell.expired()) closed_.WaitUntil(mu_, farewell);
    all_closed = open_ == 0;
  }
  // A call that is open now has a reply that its client does not read, or a
  // handler that does not notice its cancellation: the shutdown waits for
  // neither.
  if (!all_closed && server_ != nullptr) {
    CancelCalls();
    door_.EndConnections();
  }
  {
    MutexLock lock(mu_);
    while (open_ > 0) closed_.Wait(mu_);
  }
  door_.Close();
  if (!threads_) return;
  server_->Shutdown(ToTimespec(Deadline::AfterMillis(kFarewellMillis)));
  threads_.reset();
}

// Server::Shutdown would wait for the handlers.
void GrpcListener::CancelCalls() {
  door_.Close();
  grpc_server* core = server_->c_server();
  grpc_server_shutdown_and_notify(core, queue_->cq(), new Ignored);
  grpc_server_cancel_all_calls(core);
}

void GrpcListener::Kill() {
  {
    MutexLock lock(mu_);
    draining_ = true;
  }
  CancelCalls();
  streams_.Cancel(ConnectionReset(address_, ""));
  handlers_.Cancel(ConnectionReset(address_, ""));
}

}  // namespace

StatusOr<std::unique_ptr<Listener>> ListenOnGrpc(const ListenOptions& options,
                                                 const GrpcOptions& grpc,
                                                 const Services& services) {
  if (options.port < 0 || options.port > 65535) {
    return InvalidArgument("a port is a number from 0 to 65535, not ",
                           options.port);
  }
  auto listener = std::make_unique<GrpcListener>(services);
  MR_RETURN_IF_ERROR(listener->Start(options, grpc));
  return listener;
}

}  // namespace millrace
