// MethodCall: one call of a method of our services.
#pragma once

#include <grpcpp/impl/service_type.h>
#include <grpcpp/support/async_unary_call.h>

#include <string>
#include <utility>
#include <vector>

#include "millrace/rpc/grpc/server_call.h"
#include "millrace/rpc/grpc/wire_status.h"
#include "millrace/rpc/open_call.h"

namespace millrace {

// The paths of the methods of our services, as gRPC knows them. gRPC reads the
// request of a method that it knows along with the call, which saves a round of
// its events for each call.
class MethodPaths final : public grpc::Service {
 public:
  MethodPaths();

  int size() const { return static_cast<int>(methods_.size()); }
  const Method& method(int index) const { return *methods_[index]; }

 private:
  friend class MethodCall;
  std::vector<std::string> paths_;
  std::vector<const Method*> methods_;
};

class MethodCall final : public ServerCall {
 public:
  // Asks gRPC for a call of `paths`[index], and for the next one when it was
  // accepted. All arguments must outlive the calls.
  static void Request(CallHost* host, MethodPaths* paths, int index,
                      grpc::ServerCompletionQueue* queue);

 private:
  MethodCall(CallHost* host, MethodPaths* paths, int index,
             grpc::ServerCompletionQueue* queue)
      : ServerCall(host, &server_context_),
        paths_(paths),
        index_(index),
        queue_(queue) {}

  void OnAccepted(bool ok);
  void OnFinished(bool) {}

  void RunHandler();
  void AnswerHandler(Status status);
  void Finish(const Status& status, Payloads payloads = Payloads::kLeftOut);

  MethodPaths* const paths_;
  const int index_;
  grpc::ServerCompletionQueue* const queue_;
  grpc::ServerContext server_context_;
  grpc::ServerAsyncResponseWriter<grpc::ByteBuffer> writer_{&server_context_};
  grpc::ByteBuffer request_;
  ByteChunks reply_;
  CallContext context_;
  OpenCall open_;
  Event accept_{this, &MethodCall::OnAccepted};
  Event finish_{this, &MethodCall::OnFinished};
};

}  // namespace millrace
