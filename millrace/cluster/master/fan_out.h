// FanOut: calls one worker method on several tasks in parallel.
#pragma once

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "millrace/base/memory/ref.h"
#include "millrace/cluster/master/in_flight.h"
#include "millrace/cluster/peers.h"

namespace millrace {

template <class Request, class Reply>
class FanOut final : public RefCounted {
 public:
  struct Call {
    Ref<Peer> peer;
    Request request;
    Reply reply;
    Status status;  // of the call
    CallContext context;
  };
  using Method = void (WorkerApi::*)(CallContext&, const Request&, Reply*,
                                     Done);
  // Receives all calls, each with its status, after the last one has ended.
  using AllDone = absl::AnyInvocable<void(std::vector<Call>&) &&>;

  // Starts the calls. `cancel` may be null, otherwise it must live until
  // `done`, which may run before Start returns. Counted in `in_flight` until
  // then.
  static void Start(std::vector<Call> calls, Method method, Deadline deadline,
                    CancelScope* cancel, InFlight* in_flight, AllDone done) {
    if (calls.empty()) {
      std::move(done)(calls);
      return;
    }
    Ref<FanOut> fan =
        MakeRef<FanOut>(std::move(calls), in_flight, std::move(done));
    in_flight->Add();
    // calls_ may be gone after the last call was made.
    const size_t count = fan->calls_.size();
    for (size_t i = 0; i < count; ++i) {
      Call& call = fan->calls_[i];
      call.context.deadline = deadline;
      call.context.cancel = cancel;
      (call.peer->worker().*method)(call.context, call.request, &call.reply,
                                    Done([fan, &call](Status status) {
                                      call.status = std::move(status);
                                      fan->OnOne();
                                    }));
    }
  }

  FanOut(std::vector<Call> calls, InFlight* in_flight, AllDone done)
      : in_flight_(in_flight),
        calls_(std::move(calls)),
        done_(std::move(done)),
        left_(calls_.size()) {}

 private:
  void OnOne() {
    if (left_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    // Destroys what `done` holds before the count is decremented.
    std::exchange(done_, nullptr)(calls_);
    calls_.clear();
    in_flight_->Remove();
  }

  InFlight* const in_flight_;
  std::vector<Call> calls_;
  AllDone done_;
  std::atomic<size_t> left_;
};

}  // namespace millrace
