#include "millrace/cluster/peer_link.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "millrace/base/log.h"
#include "millrace/cluster/delay.h"
#include "millrace/protocol/method.h"

namespace millrace {
namespace {

// How long one GetStatus of Identify may take before the next.
constexpr int64_t kIdentifyAttemptMs = 5'000;
constexpr int64_t kIdentifyFirstDelayMs = 100;
constexpr int64_t kIdentifyLastDelayMs = 2'000;

bool HasIncarnation(const std::vector<DeviceAttributes>& devices,
                    uint64_t incarnation) {
  return std::any_of(
      devices.begin(), devices.end(),
      [&](const DeviceAttributes& d) { return d.incarnation == incarnation; });
}

// Returns the second part of a rendezvous key; 0 if there is none.
uint64_t KeyIncarnation(absl::string_view key) {
  const size_t start = key.find(';');
  uint64_t value = 0;
  if (start == absl::string_view::npos ||
      !absl::SimpleHexAtoi(key.substr(start + 1, 16), &value)) {
    return 0;
  }
  return value;
}

}  // namespace

// ---- Calls that wait.

PeerLink::OpenCall::OpenCall(Ref<PeerLink> link, const CallContext& context,
                             uint64_t incarnation)
    : link_(std::move(link)),
      scope_(context.cancel),
      context_(context),
      incarnation_(incarnation) {
  context_.cancel = &scope_;
  MutexLock lock(link_->mu_);
  if (incarnation_ == 0 && !link_->devices_.empty()) {
    incarnation_ = link_->devices_[0].incarnation;
  }
  number_ = link_->next_number_++;
  link_->open_.emplace_hint(link_->open_.end(), number_,
                            Ref<OpenCall>::Share(this));
  if (!link_->heartbeat_.rests()) return;
  link_->misses_.Forget();
  link_->heartbeat_.ProbeBy(Deadline::AfterMillis(link_->probe_interval_ms_));
}

Status PeerLink::OpenCall::Finished(Status status) {
  Ref<OpenCall> self;  // released after the lock
  MutexLock lock(link_->mu_);
  const auto it = link_->open_.find(number_);
  if (it != link_->open_.end()) {
    self = std::move(it->second);
    link_->open_.erase(it);
  }
  return status.ok() || failure_.ok() ? std::move(status) : failure_;
}

// Watches the calls of methods that wait (method.h); all others go to the stub.
class PeerLink::Front final : public WorkerApi {
 public:
  explicit Front(PeerLink& link) : link_(link) {}

#define MR_CALL(Name)                                                      \
  void Name(CallContext& context, const Name##Request& request,            \
            Name##Reply* reply, Done done) override {                      \
    Call(GetMethod(MethodId::k##Name), &WorkerApi::Name, context, request, \
         reply, std::move(done));                                          \
  }
  MR_WORKER_METHODS(MR_CALL)
#undef MR_CALL

 private:
  // Returns the incarnation of the device for which a request is meant, 0 if it
  // names none.
  template <class Request>
  static uint64_t MeantFor(const Request&) {
    return 0;
  }
  static uint64_t MeantFor(const RecvTensorRequest& request) {
    return KeyIncarnation(request.rendezvous_key);
  }
  static uint64_t MeantFor(const RecvBufRequest& request) {
    return request.src_incarnation;
  }

  template <class Request, class Reply>
  void Call(const Method& method,
            void (WorkerApi::*call)(CallContext&, const Request&, Reply*, Done),
            CallContext& context, const Request& request, Reply* reply,
            Done done) {
    if (!method.waits) {
      (link_.stub_.get()->*call)(
          context, request, reply,
          [link = Ref<PeerLink>::Share(&link_), done = std::move(done)](
              Status s) mutable { std::move(done)(std::move(s)); });
      return;
    }
    auto open = MakeRef<OpenCall>(Ref<PeerLink>::Share(&link_), context,
                                  MeantFor(request));
    link_.traffic_->Sent(request);
    CallContext& inner = open->context();
    (link_.stub_.get()->*call)(inner, request, reply,
                               [open = std::move(open), reply,
                                done = std::move(done)](Status s) mutable {
                                 if (s.ok()) open->traffic().Received(*reply);
                                 s = open->Finished(std::move(s));
                                 open.reset();
                                 std::move(done)(std::move(s));
                               });
  }

  PeerLink& link_;
};

void PeerLink::Fail(const std::vector<Ref<OpenCall>>& calls,
                    const Status& reason) {
  for (const Ref<OpenCall>& call : calls) {
    {
      MutexLock lock(call->link_->mu_);
      if (call->failure_.ok()) call->failure_ = reason;
    }
    call->scope_.Cancel(reason);
  }
}

// ---- Failure detection.

void PeerLink::OnAnswer(const Heartbeat::Answer& answer) {
  std::vector<Ref<OpenCall>> ended;
  Status reason;
  if (answer.status.ok()) {
    StatusOr<std::vector<Ref<OpenCall>>> old =
        StoreDevices(answer.reply.device_attributes);
    if (old.ok()) {
      ended = *std::move(old);
      reason = Restarted();
    }
  } else {
    reason = retrying_->WithTask(
        Unavailable("it has not answered ", misses_.allowed(),
                    " times in a row; last error: ", answer.status.message()));
  }
  {
    MutexLock lock(mu_);
    if (!answer.status.ok()) last_error_ = answer.status;
    if (misses_.Count(answer.status.ok())) {
      for (const auto& [number, call] : open_) ended.push_back(call);
    }
    heartbeat_.ProbeBy(answer.due);
  }
  if (ended.empty()) return;
  MR_LOG(Warning) << "Ending " << ended.size() << " open calls: " << reason;
  Fail(ended, reason);
}

Status PeerLink::Restarted() const {
  return Aborted(
      "The incarnation of ", who_,
      " has changed. It was probably restarted. Check it for the reason.");
}

StatusOr<std::vector<Ref<PeerLink::OpenCall>>> PeerLink::StoreDevices(
    std::vector<DeviceAttributes> devices) {
  std::vector<DeviceAttributes> own;
  std::string other = "no devices";
  for (DeviceAttributes& device : devices) {
    StatusOr<DeviceName> name = DeviceName::Parse(device.name);
    if (!name.ok()) continue;
    if (!name->SameTask(task_.AsDeviceName())) {
      other = name->TaskString();
      if (!rename_devices_) continue;
      device.name = name->OverriddenBy(task_.AsDeviceName()).ToString();
    }
    own.push_back(std::move(device));
  }
  MutexLock lock(mu_);
  if (own.empty()) {
    last_error_ = FailedPrecondition(
        "The server at ", address_, " is ", other,
        " and not, as this server's cluster says, ", task_.ToString());
    return last_error_;
  }
  last_error_ = OkStatus();
  devices_ = std::move(own);
  std::vector<Ref<OpenCall>> old;
  for (const auto& [number, call] : open_) {
    if (call->incarnation_ == 0) {
      call->incarnation_ = devices_[0].incarnation;
    } else if (!HasIncarnation(devices_, call->incarnation_)) {
      old.push_back(call);
    }
  }
  return old;
}

// ---- Identify.

class PeerLink::Identification : public RefCounted {
 public:
  Identification(Ref<PeerLink> link, CallContext& context, Done done)
      : link_(std::move(link)),
        scope_(context.cancel),
        deadline_(context.deadline),
        done_(std::move(done)) {}

  void Attempt() {
    context_ = CallContext();
    context_.deadline =
        Deadline::Min(deadline_, Deadline::AfterMillis(kIdentifyAttemptMs));
    context_.cancel = &scope_;
    reply_ = GetStatusReply();
    link_->direct_->GetStatus(
        context_, request_, &reply_,
        [self = Ref<Identification>::Share(this)](Status status) {
          self->OnReply(std::move(status));
        });
  }

 private:
  void OnReply(Status status) {
    if (status.ok()) {
      StatusOr<std::vector<Ref<OpenCall>>> old =
          link_->StoreDevices(std::move(reply_.device_attributes));
      if (old.ok()) {
        Fail(*old, link_->Restarted());
        std::move(done_)(OkStatus());
        return;
      }
      status = old.status();
    } else if (!scope_.cancelled() && !deadline_.expired()) {
      MutexLock lock(link_->mu_);
      link_->last_error_ = status;
    } else if (!last_.ok()) {
      // The end of the wait cut the attempt short: the error before it says
      // more.
      status = last_;
    }
    last_ = status;
    const Deadline next = Deadline::AfterMillis(delay_ms_);
    delay_ms_ = std::min(2 * delay_ms_, kIdentifyLastDelayMs);
    if (scope_.cancelled() || next >= deadline_) {
      GiveUp(status);
      return;
    }
    RunAfter(link_->lanes_, scope_, next,
             [self = Ref<Identification>::Share(this), status] {
               if (self->scope_.cancelled()) {
                 self->GiveUp(status);
               } else {
                 self->Attempt();
               }
             });
  }

  // The wait was in vain, also where another task answered, whose code alone
  // would say more: programs take FAILED_PRECONDITION for variables without a
  // value, and would wait for these.
  void GiveUp(const Status& last) {
    const std::string text = absl::StrCat(
        link_->who_, " does not answer; last error: ", last.message());
    std::move(done_)(scope_.cancelled()
                         ? Annotate(scope_.status(), absl::StrCat("; ", text))
                         : DeadlineExceeded(text));
  }

  const Ref<PeerLink> link_;
  CancelScope scope_;
  const Deadline deadline_;
  Done done_;
  CallContext context_;
  const GetStatusRequest request_{};
  GetStatusReply reply_;
  int64_t delay_ms_ = kIdentifyFirstDelayMs;
  Status last_;  // of an attempt
};

void PeerLink::Identify(CallContext& context, Done done) {
  MakeRef<Identification>(Ref<PeerLink>::Share(this), context, std::move(done))
      ->Attempt();
}

// ---- The rest.

PeerLink::PeerLink(const PeersOptions& options, TaskName task,
                   std::string address)
    : task_(std::move(task)),
      address_(std::move(address)),
      who_(absl::StrCat("task ", task_.ToString(), " (", address_, ")")),
      is_self_(task_ == options.self && options.self_worker != nullptr),
      rename_devices_(options.rename_devices),
      probe_interval_ms_(options.probe_interval_ms),
      lanes_(options.lanes ? *options.lanes : Lanes::Process()),
      transport_(options.transport),
      traffic_(options.traffic ? options.traffic : std::make_shared<Traffic>()),
      heartbeat_(mu_, lanes_, probe_interval_ms_, *this),
      misses_(options.probe_misses) {
  if (is_self_) {
    worker_ = direct_ = options.self_worker;
    return;
  }
  caller_ = transport_->Connect(address_);
  retrying_ = std::make_unique<RetryingCaller>(
      caller_, lanes_, who_, [this](const Status& status) { Observe(status); });
  once_ = MakeWorkerStub(caller_.get());
  stub_ = MakeWorkerStub(retrying_.get());
  front_ = std::make_unique<Front>(*this);
  worker_ = front_.get();
  direct_ = once_.get();
}

PeerLink::~PeerLink() = default;

void PeerLink::Observe(const Status& status) {
  switch (status.code()) {
    case StatusCode::kCancelled:
    case StatusCode::kDeadlineExceeded:
      return;  // we may have cancelled it ourselves
    case StatusCode::kUnavailable: {
      MutexLock lock(mu_);
      last_error_ = status;
      return;
    }
    default: {
      MutexLock lock(mu_);
      if (!last_error_.ok()) last_error_ = OkStatus();
      has_answered_ = true;
    }
  }
}

bool PeerLink::has_answered() const {
  MutexLock lock(mu_);
  return has_answered_ || !devices_.empty();
}

Status PeerLink::last_error() const {
  MutexLock lock(mu_);
  return last_error_;
}

std::vector<DeviceAttributes> PeerLink::devices() const {
  MutexLock lock(mu_);
  return devices_;
}

uint64_t PeerLink::incarnation() const {
  MutexLock lock(mu_);
  return devices_.empty() ? 0 : devices_[0].incarnation;
}

}  // namespace millrace
