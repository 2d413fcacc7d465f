// LocalCall: one call of a method that the listener answers by itself, or of
// one that it does not know.
#pragma once

#include <grpcpp/generic/async_generic_service.h>

#include <optional>

#include "millrace/rpc/grpc/server_call.h"

namespace millrace {

class LocalCall final : public ServerCall {
 public:
  // Asks gRPC for a call, and for the next one when it was accepted. All
  // arguments must outlive the calls.
  static void Request(CallHost* host, grpc::AsyncGenericService* service,
                      grpc::ServerCompletionQueue* queue);

 private:
  LocalCall(CallHost* host, grpc::AsyncGenericService* service,
            grpc::ServerCompletionQueue* queue)
      : ServerCall(host, &server_context_), service_(service), queue_(queue) {}

  void OnAccepted(bool ok);
  void OnRead(bool ok);
  void OnWritten(bool ok);
  void OnFinished(bool) {}

  void Answer();
  void End(const Status& status);
  void Finish(const Status& status);

  grpc::AsyncGenericService* const service_;
  grpc::ServerCompletionQueue* const queue_;
  grpc::GenericServerContext server_context_;
  grpc::GenericServerAsyncReaderWriter stream_{&server_context_};
  const LocalMethod* local_ = nullptr;
  grpc::ByteBuffer request_;

  Mutex mu_;  // guards the next three
  bool writing_ = false;
  bool finished_ = false;
  std::optional<Status> end_;  // wanted once the write has ended

  Event accept_{this, &LocalCall::OnAccepted};
  Event read_{this, &LocalCall::OnRead};
  Event written_{this, &LocalCall::OnWritten};
  Event finish_{this, &LocalCall::OnFinished};
};

}  // namespace millrace
