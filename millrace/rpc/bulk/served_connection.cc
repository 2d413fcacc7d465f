#include "millrace/rpc/bulk/served_connection.h"

#include <utility>

#include "millrace/rpc/call_status.h"
#include "millrace/rpc/open_call.h"
#include "millrace/rpc/short_call.h"

namespace millrace {
namespace {

constexpr int64_t kOpenMs = 5'000;
constexpr size_t kMaxTokenBytes = 64;
// About what the objects of a call that waits take.
constexpr int64_t kOpenCallBytes = 2 << 10;
// Most replies that may wait for the caller to read them. Tensors in them count
// in the memory budget; the rest is about a KiB each at most.
constexpr size_t kMaxWaitingFrames = 1 << 16;

}  // namespace

// One call, from its frame to its reply.
class ServedConnection::ServedCall final : public RefCounted {
 public:
  ServedCall(Ref<ServedConnection> connection, const Method& method,
             const FrameHeader& header, ByteChunks request)
      : connection_(std::move(connection)),
        method_(method),
        number_(header.call),
        scope_(connection_->door_->handlers()),
        request_(std::move(request)) {
    if (header.aux >= 0) context_.deadline = Deadline::After(header.aux);
    context_.cancel = &scope_;
    context_.peer = [] { return "bulk"; };
  }

  const Method& method() const { return method_; }
  Status Count() { return open_.Begin(kOpenCallBytes); }
  void Cancel(const Status& reason) { scope_.Cancel(reason); }

  void Run() {
    BulkDoor& door = *connection_->door_;
    if (!context_.deadline.infinite()) {
      scope_.CancelAt(context_.deadline, door.lanes().timer,
                      CallTimedOut(method_, door.address()));
    }
    const Status status = context_.Check();
    if (!status.ok()) return Answer(status);
    const ByteChunks request = std::move(request_);
    Serve(door.services(), method_.id, context_, request, &reply_,
          [self = Ref<ServedCall>::Share(this)](Status s) { self->Answer(s); });
  }

 private:
  void Answer(const Status& status) {
    connection_->Answer(number_, ReplyStatus(method_, status),
                        status.ok() ? std::move(reply_) : ByteChunks());
  }

  const Ref<ServedConnection> connection_;
  const Method& method_;
  const uint64_t number_;
  CancelScope scope_;
  CallContext context_;
  OpenCall open_;
  ByteChunks request_;
  ByteChunks reply_;
};

ServedConnection::ServedConnection(Ref<BulkDoor> door, int fd)
    : door_(std::move(door)),
      connection_(MakeRef<BulkConnection>(
          fd, BulkConnectionOptions{.max_payload_bytes = kMaxTokenBytes,
                                    .stall_ms = door_->stall_ms(),
                                    .max_waiting_frames = kMaxWaitingFrames})) {
}
ServedConnection::~ServedConnection() = default;

Status ServedConnection::Start() {
  const Timer::Id timer = door_->lanes().timer.RunAt(
      Deadline::AfterMillis(kOpenMs),
      [self = Ref<ServedConnection>::Share(this)] {
        {
          MutexLock lock(self->mu_);
          if (self->opened_) return;
        }
        self->Close(Unauthenticated("no token in ", kOpenMs, " ms"));
      });
  {
    MutexLock lock(mu_);
    open_timer_ = timer;
  }
  const Status started = connection_->Start(this);
  if (!started.ok()) door_->lanes().timer.Cancel(timer);
  return started;
}

Status ServedConnection::OnFrame(const FrameHeader& header,
                                 ByteChunks payload) {
  bool opened;
  {
    MutexLock lock(mu_);
    opened = opened_;
  }
  if (!opened) return Open(header, payload);
  switch (header.kind) {
    case FrameKind::kCall:
      return BeginCall(header, std::move(payload));
    case FrameKind::kCancel:
      Cancel(header);
      return OkStatus();
    default:
      return InvalidArgument("a caller's frame that is no call");
  }
}

Status ServedConnection::Open(const FrameHeader& header,
                              const ByteChunks& token) {
  if (header.kind != FrameKind::kOpen || !door_->TakeToken(token.Flatten())) {
    return Unauthenticated("a bulk connection without a token");
  }
  {
    MutexLock lock(mu_);
    opened_ = true;
  }
  connection_->set_max_payload_bytes(kMaxPayloadBytes);
  connection_->Send({.kind = FrameKind::kOpened}, {});
  return OkStatus();
}

Status ServedConnection::BeginCall(const FrameHeader& header,
                                   ByteChunks request) {
  if (header.method >= kNumMethods ||
      GetMethod(static_cast<MethodId>(header.method)).service !=
          Service::kWorker) {
    return InvalidArgument("method ", header.method, " does not go by bulk");
  }
  const Method& method = GetMethod(static_cast<MethodId>(header.method));
  if (!door_->Enter()) {
    Reply(header.call, ShuttingDown(door_->address()), {});
    return OkStatus();
  }
  const size_t size = request.size_bytes();
  const auto call = MakeRef<ServedCall>(Ref<ServedConnection>::Share(this),
                                        method, header, std::move(request));
  const Status counted = call->Count();
  if (!counted.ok()) {
    Reply(header.call, counted, {});
    door_->Leave();
    return OkStatus();
  }
  bool is_new;
  {
    MutexLock lock(mu_);
    is_new = calls_.emplace(header.call, call).second;
  }
  if (!is_new) {
    door_->Leave();
    return InvalidArgument("call ", header.call, " is open already");
  }
  if (IsShortCall(method, size)) {
    call->Run();
  } else {
    LaneOf(door_->lanes(), size).Schedule([call] { call->Run(); });
  }
  return OkStatus();
}

void ServedConnection::Answer(uint64_t number, const Status& status,
                              ByteChunks reply) {
  Ref<ServedCall> call;  // destroyed after the lock is released
  {
    MutexLock lock(mu_);
    const auto found = calls_.find(number);
    if (found != calls_.end()) {
      call = std::move(found->second);
      calls_.erase(found);
    }
  }
  Reply(number, status, std::move(reply));
  door_->Leave();
}

void ServedConnection::Reply(uint64_t number, const Status& status,
                             ByteChunks reply) {
  connection_->Send(
      {.kind = FrameKind::kReply,
       .call = number,
       .aux = static_cast<int64_t>(status.code())},
      status.ok() ? std::move(reply) : ByteChunks(EncodeStatus(status)));
}

void ServedConnection::Cancel(const FrameHeader& header) {
  Ref<ServedCall> call;
  {
    MutexLock lock(mu_);
    const auto found = calls_.find(header.call);
    if (found == calls_.end()) return;  // answered meanwhile
    call = found->second;
  }
  call->Cancel(header.aux == FrameHeader::kTimedOut
                   ? CallTimedOut(call->method(), door_->address())
                   : Cancelled("the caller has given up"));
}

void ServedConnection::OnRefused(const FrameHeader& header,
                                 const Status& status) {
  if (header.kind == FrameKind::kCall) Reply(header.call, status, {});
}

void ServedConnection::OnClosed(const Status&) {
  const auto self = Ref<ServedConnection>::Share(this);
  absl::flat_hash_map<uint64_t, Ref<ServedCall>> open;
  {
    MutexLock lock(mu_);
    opened_ = true;  // for the timer: there is nothing left to close
    open = calls_;
  }
  // It would keep the descriptor open.
  door_->lanes().timer.Cancel(open_timer_);
  for (const auto& [number, call] : open) {
    call->Cancel(Cancelled("the caller is gone"));
  }
  door_->Remove(this);
}

}  // namespace millrace
