// ServerCall: what calls at a gRPC listener have in common, from the request
// for one to its last event.
#pragma once

#include <grpcpp/server_context.h>

#include <atomic>
#include <optional>
#include <string>

#include "millrace/base/threads/cancel.h"
#include "millrace/base/threads/thread.h"
#include "millrace/protocol/caller.h"
#include "millrace/rpc/grpc/completion_thread.h"
#include "millrace/rpc/grpc/local_method.h"

namespace millrace {

struct Lanes;

// The interface by which a call reaches its listener.
class CallHost {
 public:
  // Counts an accepted call as open. Returns false if the listener shuts down;
  // the call is then answered with that.
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

// Made by the request for a call; deletes itself when all of its events have
// arrived. Thread-safe as far as gRPC's events and a handler's Done need it.
class ServerCall {
 public:
  ServerCall(const ServerCall&) = delete;
  ServerCall& operator=(const ServerCall&) = delete;

 protected:
  class Event final : public CompletionEvent {
   public:
    template <class Call>
    Event(Call* call, void (Call::*handler)(bool ok))
        : call_(call), handler_(static_cast<Handler>(handler)) {}

   private:
    using Handler = void (ServerCall::*)(bool ok);
    void OnEvent(bool ok) override {
      (call_->*handler_)(ok);
      call_->Release();
    }
    ServerCall* const call_;
    const Handler handler_;
  };

  // `host` must outlive the call; `context` is the call's own.
  ServerCall(CallHost* host, grpc::ServerContextBase* context)
      : host_(host), context_(context) {}
  virtual ~ServerCall() = default;

  // Adds a reference for an event or a task of ours that is in flight.
  void Hold() { events_.fetch_add(1, std::memory_order_relaxed); }
  void* Hold(Event* event) {
    Hold();
    return event->Tag();
  }
  void Release();

  // Begins an accepted call of `method`, null for one of no service. Returns
  // false if the listener shuts down.
  bool Begin(const Method* method, CancelScope* parent);
  CallHost* const host_;
  const Method* method_ = nullptr;
  Deadline deadline_;
  Event over_{this, &ServerCall::OnCallOver};
  // Cancelled when the caller has given up or is gone.
  std::optional<CancelScope> scope_;

 private:
  void OnCallOver(bool);
  void CancelAtEnd();

  grpc::ServerContextBase* const context_;
  std::atomic<int> events_{0};
  bool accepted_ = false;
  int64_t accepted_nanos_ = 0;

  Mutex mu_;  // guards the next two
  bool begun_ = false;
  bool is_over_ = false;
};

}  // namespace millrace
