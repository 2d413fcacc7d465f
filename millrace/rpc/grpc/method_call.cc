#include "millrace/rpc/grpc/method_call.h"

#include <grpcpp/impl/rpc_service_method.h>

#include "millrace/base/threads/lanes.h"
#include "millrace/rpc/call_status.h"
#include "millrace/rpc/grpc/slices.h"
#include "millrace/rpc/short_call.h"

namespace millrace {
namespace {

// About what gRPC and our objects take for a call that waits.
constexpr int64_t kOpenCallBytes = 16 << 10;

}  // namespace

MethodPaths::MethodPaths() {
  for (const Method& method : AllMethods()) {
    for (std::string& path : PathsOf(method)) {
      paths_.push_back(std::move(path));
      methods_.push_back(&method);
    }
  }
  for (size_t i = 0; i < paths_.size(); ++i) {
    // gRPC keeps the pointer to the path, and owns the method.
    AddMethod(new grpc::internal::RpcServiceMethod(
        paths_[i].c_str(), grpc::internal::RpcMethod::NORMAL_RPC, nullptr));
    MarkMethodRaw(static_cast<int>(i));
  }
}

void MethodCall::Request(CallHost* host, MethodPaths* paths, int index,
                         grpc::ServerCompletionQueue* queue) {
  auto* call = new MethodCall(host, paths, index, queue);
  // The call may end, on another thread, while OnAccepted still runs.
  call->server_context_.AsyncNotifyWhenDone(call->Hold(&call->over_));
  paths->RequestAsyncUnary(index, &call->server_context_, &call->request_,
                           &call->writer_, queue, queue,
                           call->Hold(&call->accept_));
}

void MethodCall::OnAccepted(bool ok) {
  if (!ok) {
    Release();  // at shutdown gRPC drops the event of the call's end
    return;
  }
  const bool open = Begin(&paths_->method(index_), host_->handlers());
  Request(host_, paths_, index_, queue_);
  if (!open) {
    Finish(ReplyStatus(*method_, ShuttingDown(host_->address())));
    return;
  }
  const Status counted = open_.Begin(kOpenCallBytes);
  if (!counted.ok()) {
    Finish(ReplyStatus(*method_, counted));
    return;
  }
  if (StartsSteps(*method_)) host_->lanes().intra_op.Prepare();
  Hold();
  if (IsShortCall(*method_, request_.Length())) {
    RunHandler();
  } else {
    LaneOf(host_->lanes(), request_.Length()).Schedule([this] {
      RunHandler();
    });
  }
}

void MethodCall::RunHandler() {
  context_.deadline = deadline_;
  context_.cancel = &*scope_;
  context_.peer = [this] { return PeerAddress(server_context_.peer()); };
  StatusOr<ByteChunks> request = TakeBytes(&request_);
  Status status = request.ok() ? context_.Check() : request.status();
  if (!status.ok()) {
    AnswerHandler(status);
    return;
  }
  Serve(host_->services(), method_->id, context_, *request, &reply_,
        [this](Status s) { AnswerHandler(s); });
}

void MethodCall::AnswerHandler(Status status) {
  if (status.ok()) status = CheckFits(reply_);
  if (status.ok()) {
    const grpc::ByteBuffer bytes = ToByteBuffer(reply_);
    reply_ = {};
    writer_.Finish(bytes, grpc::Status(), Hold(&finish_));
  } else {
    // A client of the master has no use for our marks.
    Finish(ReplyStatus(*method_, status), method_->service == Service::kMaster
                                              ? Payloads::kLeftOut
                                              : Payloads::kSent);
  }
  Release();  // the reference that OnAccepted took for the handler
}

void MethodCall::Finish(const Status& status, Payloads payloads) {
  server_context_.AddTrailingMetadata(kHandlerStatusHeader, "1");
  writer_.FinishWithError(ToGrpcStatus(status, payloads), Hold(&finish_));
}

}  // namespace millrace
