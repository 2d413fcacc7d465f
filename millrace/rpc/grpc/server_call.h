// ServerCall: one call at a gRPC listener, from the request for it to its last
// event.
#pragma once

#include <grpcpp/generic/async_generic_service.h>

#include <atomic>
#include <optional>
#include <string>

#include "millrace/base/threads/cancel.h"
#include "millrace/base/threads/thread.h"
#include "millrace/protocol/caller.h"
#include "millrace/rpc/grpc/completion_thread.h"
#include "millrace/rpc/grpc/local_method.h"
#include "millrace/rpc/grpc/wire_status.h"

namespace millrace {

struct Lanes;

// The interface by which a call reaches its listener.
class CallHost {
 public:
  // Called when a call was accepted: asks gRPC for the next one. Returns false
  // if the listener shuts down; the call is then answered with that. It counts
  // as open either way.
  virtual bool OnAccepted() = 0;
  // Called after the call's last event.
  virtual void OnClosed() = 0;

  virtual const Services& services() const = 0;
  virtual const LocalMethods& local_methods() const = 0;
  virtual Lanes& lanes() const = 0;
  virtual const std::string& address() const = 0;
  // Parents of the scopes of handlers, and of streams that only wait.
  virtual CancelScope* handlers() = 0;
  virtual CancelScope* streams() = 0;

 protected:
  ~CallHost() = default;
};

// Lives from RequestCall until all of its events have arrived. Thread-safe as
// far as gRPC's events and a handler's Done need it.
class ServerCall {
 public:
  // Asks gRPC for a call; the call deletes itself. `host` must outlive it.
  static void Request(CallHost* host, grpc::AsyncGenericService* service,
                      grpc::ServerCompletionQueue* queue);

 private:
  class Event final : public CompletionEvent {
   public:
    using Handler = void (ServerCall::*)(bool ok);
    Event(ServerCall* call, Handler handler) : call_(call), handler_(handler) {}

   private:
    void OnEvent(bool ok) override {
      (call_->*handler_)(ok);
      call_->Release();
    }
    ServerCall* const call_;
    const Handler handler_;
  };

  explicit ServerCall(CallHost* host) : host_(host) {}
  ~ServerCall();

  // Adds a reference for an event or a task of ours that is in flight.
  void Hold() { events_.fetch_add(1, std::memory_order_relaxed); }
  void* Hold(Event* event) {
    Hold();
    return event->Tag();
  }
  void Release();

  void OnAccepted(bool ok);
  void OnRead(bool ok);
  void OnWritten(bool ok);
  void OnFinished(bool) {}
  void OnCallOver(bool);
  void CancelAtEnd();

  // Methods of our services.
  void RunHandler();
  void AnswerHandler(const Status& status);
  // Health and reflection.
  void RunLocal();
  void EndStream(const Status& status);
  void Finish(const Status& status, Payloads payloads = Payloads::kLeftOut);

  CallHost* const host_;
  grpc::GenericServerContext server_context_;
  grpc::GenericServerAsyncReaderWriter stream_{&server_context_};
  std::atomic<int> events_{0};
  bool accepted_ = false;
  int64_t accepted_nanos_ = 0;
  Deadline deadline_;
  const Method* method_ = nullptr;
  const LocalMethod* local_ = nullptr;
  grpc::ByteBuffer request_;
  ByteChunks reply_;
  CallContext context_;

  Mutex mu_;  // guards what start, end and streams share
  bool set_up_ = false;
  bool call_is_over_ = false;
  bool writing_ = false;
  bool finished_ = false;
  std::optional<Status> end_;  // wanted once the write has ended

  Event accept_{this, &ServerCall::OnAccepted};
  Event read_{this, &ServerCall::OnRead};
  Event written_{this, &ServerCall::OnWritten};
  Event finish_{this, &ServerCall::OnFinished};
  Event over_{this, &ServerCall::OnCallOver};

  // The last member: its destructor waits for a callback that runs.
  std::optional<CancelScope> scope_;
};

}  // namespace millrace
