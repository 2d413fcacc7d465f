// The server that the transports' tests call: a worker and a master whose
// replies the request selects.
#pragma once

#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "millrace/base/threads/lanes.h"
#include "millrace/base/threads/thread.h"
#include "millrace/protocol/caller.h"
#include "millrace/protocol/unimplemented_api.h"

namespace millrace {

// Returns whether this thread may run handlers and Dones: it is of the control
// lane or that of large messages, or one of a transport's threads that handle
// short calls themselves.
inline bool MayHandleCalls() {
  return Lanes::Process().control.IsPoolThread() ||
         Lanes::Process().messages.IsPoolThread() ||
         absl::StartsWith(CurrentThreadName(), "grpc-") ||
         CurrentThreadName() == "sockets";
}

// RecvTensor selects by its key: "bytes:N" answers N bytes (see SuiteByte),
// "wait" stays open until it is cancelled or Release is called, "error" is
// ABORTED and derived, "unavailable" is UNAVAILABLE, "long" has an overlong
// message. RunGraph answers its request, GetStatus the server's label.
class SuiteWorker final : public UnimplementedWorker {
 public:
  explicit SuiteWorker(std::string label) : label_(std::move(label)) {}
  ~SuiteWorker() override {
    MutexLock lock(mu_);
    while (posted_ > 0) changed_.Wait(mu_);
  }

  static char SuiteByte(int64_t i) {
    return static_cast<char>(i * 7 + i / 251);
  }

  void GetStatus(CallContext& context, const GetStatusRequest&,
                 GetStatusReply* reply, Done done) override {
    Note(context);
    DeviceAttributes device;
    device.name = label_;
    reply->device_attributes.push_back(std::move(device));
    std::move(done)(OkStatus());
  }

  void RunGraph(CallContext& context, const RunGraphRequest& request,
                RunGraphReply* reply, Done done) override {
    Note(context);
    reply->recv = request.send;
    std::move(done)(OkStatus());
  }

  void RecvTensor(CallContext& context, const RecvTensorRequest& request,
                  RecvTensorReply* reply, Done done) override {
    Note(context);
    absl::string_view key = request.rendezvous_key;
    int64_t size = 0;
    if (absl::ConsumePrefix(&key, "bytes:") && absl::SimpleAtoi(key, &size)) {
      reply->tensor = Tensor::Zeros(DataType::kUint8, {size});
      char* data = reply->tensor.mutable_data();
      for (int64_t i = 0; i < size; ++i) data[i] = SuiteByte(i);
      std::move(done)(OkStatus());
    } else if (key == "wait") {
      reply->tensor = Tensor::Scalar<float>(1);
      Wait(context, std::move(done));
    } else if (key == "error") {
      std::move(done)(MarkDerived(Aborted("the step has failed: \xc3\xa4")));
    } else if (key == "unavailable") {
      std::move(done)(Unavailable("a peer of mine is gone"));
    } else {
      std::move(done)(Internal(std::string(100'000, '\xe9')));
    }
  }

  // Ends the waiting calls with OK.
  void Release() {
    absl::flat_hash_map<int, Open> waiting;
    {
      MutexLock lock(mu_);
      waiting.swap(waiting_);
    }
    for (auto& [id, open] : waiting) {
      open.scope->Unregister(open.token);
      std::move(open.done)(OkStatus());
    }
  }

  // Blocks until `n` calls have been waiting or were cancelled.
  void AwaitWaiting(int n) { Await(&waited_, n); }
  void AwaitCancelled(int n) { Await(&cancelled_, n); }

  int calls() const {
    MutexLock lock(mu_);
    return calls_;
  }
  // Returns the context of the last call.
  CallContext last() const {
    MutexLock lock(mu_);
    return last_;
  }
  bool always_on_control() const {
    MutexLock lock(mu_);
    return always_on_control_;
  }
  Status last_cancelled() const {
    MutexLock lock(mu_);
    return last_cancelled_;
  }

 private:
  void Note(const CallContext& context) {
    const bool on_control = MayHandleCalls();
    MutexLock lock(mu_);
    ++calls_;
    last_ = context;
    // The transport's own function does not outlive the call.
    last_.peer = [peer = context.peer()] { return peer; };
    always_on_control_ &= on_control;
  }

  struct Open {
    CancelScope* scope;
    CancelScope::Token token;
    Done done;
  };

  // Waits as the rendezvous does: cancelling only posts, and the thread that
  // removes the entry ends the call.
  void Wait(CallContext& context, Done done) {
    CancelScope* scope = context.cancel;
    MutexLock lock(mu_);
    const int id = ++waited_;
    const auto r = scope->Register([this, scope, id] {
      {
        MutexLock lock(mu_);
        ++posted_;
      }
      Lanes::Process().control.Schedule(
          [this, id, reason = scope->status()] { OnCancelled(id, reason); });
    });
    changed_.NotifyAll();
    if (r.ok()) {
      waiting_[id] = {scope, r.token, std::move(done)};
      return;
    }
    ++cancelled_;
    last_cancelled_ = r.status;
    lock.Unlock();
    std::move(done)(r.status);
  }

  void OnCancelled(int id, const Status& reason) {
    MutexLock lock(mu_);
    const auto it = waiting_.find(id);
    if (it != waiting_.end()) {  // otherwise released meanwhile
      Done done = std::move(it->second.done);
      waiting_.erase(it);
      ++cancelled_;
      last_cancelled_ = reason;
      changed_.NotifyAll();
      lock.Unlock();
      std::move(done)(reason);
      lock.Lock();
    }
    --posted_;
    changed_.NotifyAll();
  }

  void Await(const int* count, int n) {
    MutexLock lock(mu_);
    while (*count < n) changed_.Wait(mu_);
  }

  const std::string label_;
  mutable Mutex mu_;
  CondVar changed_;
  absl::flat_hash_map<int, Open> waiting_;
  int calls_ = 0;
  int waited_ = 0;
  int cancelled_ = 0;
  int posted_ = 0;  // pending calls of OnCancelled
  bool always_on_control_ = true;
  CallContext last_;
  Status last_cancelled_;
};

// RunStep returns UNAVAILABLE, which no client may see.
class SuiteMaster final : public UnimplementedMaster {
 public:
  void RunStep(CallContext&, const RunStepRequest&, RunStepReply*,
               Done done) override {
    std::move(done)(Unavailable("a worker is gone"));
  }
};

}  // namespace millrace
