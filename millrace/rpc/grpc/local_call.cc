#include "millrace/rpc/grpc/local_call.h"

#include <string>
#include <utility>

#include "millrace/base/threads/lanes.h"
#include "millrace/rpc/call_status.h"
#include "millrace/rpc/grpc/slices.h"
#include "millrace/rpc/grpc/wire_status.h"

namespace millrace {

void LocalCall::Request(CallHost* host, grpc::AsyncGenericService* service,
                        grpc::ServerCompletionQueue* queue) {
  auto* call = new LocalCall(host, service, queue);
  // The call may end, on another thread, while OnAccepted still runs.
  call->server_context_.AsyncNotifyWhenDone(call->Hold(&call->over_));
  service->RequestCall(&call->server_context_, &call->stream_, queue, queue,
                       call->Hold(&call->accept_));
}

void LocalCall::OnAccepted(bool ok) {
  if (!ok) {
    Release();  // at shutdown gRPC drops the event of the call's end
    return;
  }
  const std::string& path = server_context_.method();
  const auto it = host_->local_methods().find(path);
  if (it != host_->local_methods().end()) local_ = it->second.get();
  const bool open =
      Begin(nullptr, local_ ? host_->streams() : host_->handlers());
  Request(host_, service_, queue_);
  if (!open) {
    Finish(ShuttingDown(host_->address()));
  } else if (!local_) {
    Finish(Unimplemented("this server has no method ", path));
  } else {
    stream_.Read(&request_, Hold(&read_));
    // Streams have no handler that would end them.
    const auto r = scope_->Register([this] { End(scope_->status()); });
    if (!r.ok()) End(r.status);
  }
}

void LocalCall::OnRead(bool ok) {
  if (ok) {
    Hold();
    host_->lanes().control.Schedule([this] {
      Answer();
      Release();
    });
  } else {
    // The client has sent its last request.
    End(local_->form() == LocalMethod::Form::kEach
            ? OkStatus()
            : InvalidArgument("a call without a request"));
  }
}

void LocalCall::Answer() {
  StatusOr<ByteChunks> request = TakeBytes(&request_);
  StatusOr<std::string> answer =
      request.ok() ? local_->Answer(request->Flatten()) : request.status();
  if (!answer.ok()) {
    End(answer.status());
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

void LocalCall::OnWritten(bool ok) {
  std::optional<Status> end;
  {
    MutexLock lock(mu_);
    writing_ = false;
    end = std::move(end_);
  }
  if (end) {
    End(*end);
  } else if (!ok) {
    End(Cancelled("the client is gone"));
  } else if (local_->form() == LocalMethod::Form::kEach) {
    stream_.Read(&request_, Hold(&read_));
  }
}

void LocalCall::End(const Status& status) {
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

void LocalCall::Finish(const Status& status) {
  if (!status.ok()) {
    server_context_.AddTrailingMetadata(kHandlerStatusHeader, "1");
  }
  stream_.Finish(ToGrpcStatus(status, Payloads::kLeftOut), Hold(&finish_));
}

}  // namespace millrace
