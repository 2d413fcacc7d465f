#include "millrace/rpc/grpc/server_call.h"

#include <utility>

#include "millrace/base/threads/lanes.h"
#include "millrace/rpc/call_status.h"
#include "millrace/rpc/grpc/slices.h"
#include "millrace/rpc/short_call.h"

namespace millrace {

void ServerCall::Request(CallHost* host, grpc::AsyncGenericService* service,
                         grpc::ServerCompletionQueue* queue) {
  auto* call = new ServerCall(host);
  // The call may end, on another thread, while OnAccepted still runs.
  call->server_context_.AsyncNotifyWhenDone(call->Hold(&call->over_));
  service->RequestCall(&call->server_context_, &call->stream_, queue, queue,
                       call->Hold(&call->accept_));
}

ServerCall::~ServerCall() = default;

void ServerCall::Release() {
  if (events_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  CallHost* host = accepted_ ? host_ : nullptr;
  delete this;
  if (host) host->OnClosed();
}

void ServerCall::OnAccepted(bool ok) {
  if (!ok) {
    Release();  // at shutdown gRPC drops the event of the call's end
    return;
  }
  accepted_ = true;
  accepted_nanos_ = NowNanos();
  deadline_ = FromTimespec(server_context_.raw_deadline());
  const bool open = host_->OnAccepted();
  const std::string& path = server_context_.method();
  method_ = FindMethod(path);
  if (method_ && StartsSteps(*method_)) host_->lanes().intra_op.Prepare();
  if (!method_) {
    const auto it = host_->local_methods().find(path);
    if (it != host_->local_methods().end()) local_ = it->second.get();
  }
  scope_.emplace(local_ ? host_->streams() : host_->handlers());
  bool over;
  {
    MutexLock lock(mu_);
    set_up_ = true;
    over = call_is_over_;
  }
  if (over) CancelAtEnd();
  if (!open) {
    const Status status = ShuttingDown(host_->address());
    Finish(method_ ? ReplyStatus(*method_, status) : status);
  } else if (!method_ && !local_) {
    Finish(Unimplemented("this server has no method ", path));
  } else {
    stream_.Read(&request_, Hold(&read_));
    if (!local_) return;
    // Streams have no handler that would end them.
    const auto r = scope_->Register([this] { EndStream(scope_->status()); });
    if (!r.ok()) EndStream(r.status);
  }
}

void ServerCall::OnRead(bool ok) {
  if (method_ && ok) {
    Hold();
    if (IsShortCall(*method_, request_.Length())) {
      RunHandler();
    } else {
      host_->lanes().control.Schedule([this] { RunHandler(); });
    }
  } else if (method_) {
    Finish(InvalidArgument("a call of ", method_->name, " without a request"));
  } else if (ok) {
    Hold();
    host_->lanes().control.Schedule([this] {
      RunLocal();
      Release();
    });
  } else {
    // The client has sent its last request.
    EndStream(local_->form() == LocalMethod::Form::kEach
                  ? OkStatus()
                  : InvalidArgument("a call without a request"));
  }
}

void ServerCall::RunHandler() {
  context_.deadline = deadline_;
  context_.cancel = &*scope_;
  context_.peer = PeerAddress(server_context_.peer());
  StatusOr<ByteChunks> request = TakeBytes(&request_);
  Status status = request.ok() ? context_.Check() : request.status();
  if (!status.ok()) {
    AnswerHandler(status);
    return;
  }
  Serve(host_->services(), method_->id, context_, *request, &reply_,
        [this](Status s) { AnswerHandler(s); });
}

void ServerCall::AnswerHandler(const Status& status) {
  if (status.ok()) {
    const grpc::ByteBuffer bytes = ToByteBuffer(reply_);
    reply_ = {};
    stream_.WriteAndFinish(bytes, grpc::WriteOptions(), grpc::Status(),
                           Hold(&finish_));
  } else {
    // A client of the master has no use for our marks.
    Finish(ReplyStatus(*method_, status), method_->service == Service::kMaster
                                              ? Payloads::kLeftOut
                                              : Payloads::kSent);
  }
  Release();  // the reference that OnRead took for the handler
}

void ServerCall::Finish(const Status& status, Payloads payloads) {
  if (!status.ok()) {
    server_context_.AddTrailingMetadata(kHandlerStatusHeader, "1");
  }
  stream_.Finish(ToGrpcStatus(status, payloads), Hold(&finish_));
}

void ServerCall::RunLocal() {
  StatusOr<ByteChunks> request = TakeBytes(&request_);
  StatusOr<std::string> answer =
      request.ok() ? local_->Answer(request->Flatten()) : request.status();
  if (!answer.ok()) {
    EndStream(answer.status());
    return;
  }
  const grpc::ByteBuffer bytes = ToByteBuffer(ByteChunks(*std::move(answer)));
  if (local_->form() == LocalMethod::Form::kUnary) {
    {
      MutexLock lock(mu_);
      if (finished_) return;
      finished_ = true;
    }
    stream_.WriteAndFinish(bytes, grpc::WriteOptions(), grpc::Status(),
                           Hold(&finish_));
    return;
  }
  {
    MutexLock lock(mu_);
    if (finished_ || end_) return;
    writing_ = true;
  }
  stream_.Write(bytes, Hold(&written_));
}

void ServerCall::OnWritten(bool ok) {
  std::optional<Status> end;
  {
    MutexLock lock(mu_);
    writing_ = false;
    end = std::move(end_);
  }
  if (end) {
    EndStream(*end);
  } else if (!ok) {
    EndStream(Cancelled("the client is gone"));
  } else if (local_->form() == LocalMethod::Form::kEach) {
    stream_.Read(&request_, Hold(&read_));
  }
}

void ServerCall::EndStream(const Status& status) {
  {
    MutexLock lock(mu_);
    if (finished_) return;
    if (writing_) {
      end_ = status;
      return;
    }
    finished_ = true;
  }
  const std::string farewell = local_->form() == LocalMethod::Form::kWatched &&
                                       status.code() == StatusCode::kUnavailable
                                   ? local_->LastMessage()
                                   : "";
  if (farewell.empty()) {
    Finish(status);
  } else {
    server_context_.AddTrailingMetadata(kHandlerStatusHeader, "1");
    stream_.WriteAndFinish(
        ToByteBuffer(ByteChunks(farewell)), grpc::WriteOptions(),
        ToGrpcStatus(status, Payloads::kLeftOut), Hold(&finish_));
  }
}

void ServerCall::OnCallOver(bool) {
  {
    // Another thread may still be in OnAccepted, which then does the rest.
    MutexLock lock(mu_);
    call_is_over_ = true;
    if (!set_up_) return;
  }
  CancelAtEnd();
}

void ServerCall::CancelAtEnd() {
  if (!server_context_.IsCancelled()) return;
  // A caller whose deadline passes resets the call a little before the deadline
  // passes here, since gRPC rounds deadlines up.
  const int64_t left = deadline_.remaining_nanos();
  const int64_t total = deadline_.nanos() - accepted_nanos_;
  const bool timed_out =
      !deadline_.infinite() && left <= total / 64 + 50'000'000;
  scope_->Cancel(timed_out && method_
                     ? CallTimedOut(*method_, host_->address())
                     : Cancelled("the caller has given up or is gone"));
}

}  // namespace millrace
