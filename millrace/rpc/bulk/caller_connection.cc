#include "millrace/rpc/bulk/caller_connection.h"

#include <utility>
#include <vector>

#include "millrace/rpc/call_status.h"
#include "millrace/rpc/short_call.h"

namespace millrace {
namespace {

// If so many calls in a row are not answered by their deadlines, and nothing
// else moves on the connection, it is unusable, whatever the sockets report.
constexpr int kMaxTimeouts = 3;

}  // namespace

class CallerConnection::BulkCall final : public PendingCall {
 public:
  BulkCall(Ref<CallerConnection> connection, const Method& method,
           CallContext& context, ByteChunks* reply, Done done)
      : PendingCall(method, connection->address_, context, reply,
                    std::move(done)),
        connection_(std::move(connection)) {}
  uint64_t number = 0;
  uint64_t read_before = 0;  // of the connection, when the call began

 private:
  void OnGiveUp(const Status& reason) override {
    connection_->GiveUp(number, reason);
  }
  const Ref<CallerConnection> connection_;
};

CallerConnection::CallerConnection(int fd, std::string address,
                                   const BulkConnectionOptions& options)
    : address_(std::move(address)),
      connection_(MakeRef<BulkConnection>(fd, options)) {}
CallerConnection::~CallerConnection() = default;

StatusOr<Ref<CallerConnection>> CallerConnection::Start(
    int fd, std::string address, const BulkConnectionOptions& options) {
  auto made = MakeRef<CallerConnection>(fd, std::move(address), options);
  made->self_ = made;
  const Status started = made->connection_->Start(made.get());
  if (!started.ok()) {
    made->self_ = nullptr;
    return started;
  }
  return made;
}

bool CallerConnection::closed() const {
  MutexLock lock(mu_);
  return closed_;
}

bool CallerConnection::Call(const Method& method, CallContext& context,
                            ByteChunks& request, ByteChunks* reply,
                            Done& done) {
  Ref<BulkCall> call;
  FrameHeader header{.kind = FrameKind::kCall,
                     .method = static_cast<uint8_t>(method.id)};
  const uint64_t read_before = connection_->bytes_read();
  {
    MutexLock lock(mu_);
    if (closed_) return false;
    call = MakeRef<BulkCall>(Ref<CallerConnection>::Share(this), method,
                             context, reply, std::move(done));
    header.call = call->number = next_number_++;
    call->read_before = read_before;
    open_.emplace(header.call, call);
  }
  // From Begin on the call may end, and its context with it.
  header.aux =
      context.deadline.infinite() ? -1 : context.deadline.remaining_nanos();
  if (!call->Begin()) {
    Take(header.call);
    return true;
  }
  connection_->Send(header, std::move(request));
  return true;
}

Ref<CallerConnection::BulkCall> CallerConnection::Take(uint64_t number) {
  MutexLock lock(mu_);
  const auto found = open_.find(number);
  if (found == open_.end()) return nullptr;
  Ref<BulkCall> call = std::move(found->second);
  open_.erase(found);
  return call;
}

void CallerConnection::GiveUp(uint64_t number, const Status& reason) {
  const Ref<BulkCall> call = Take(number);
  if (call == nullptr) return;
  const bool timed_out = reason.code() == StatusCode::kDeadlineExceeded;
  bool give_up = false;
  if (timed_out && !connection_->IsMovingSince(call->read_before)) {
    MutexLock lock(mu_);
    // Calls in flight at the same time also time out together, which counts as
    // one.
    if (number >= counted_before_) {
      counted_before_ = next_number_;
      give_up = ++timeouts_in_a_row_ >= kMaxTimeouts;
    }
  }
  connection_->Send(
      {.kind = FrameKind::kCancel,
       .call = number,
       .aux = timed_out ? FrameHeader::kTimedOut : FrameHeader::kGaveUp},
      {});
  if (give_up) {
    connection_->Close(Unavailable(kMaxTimeouts,
                                   " calls in a row were not answered by "
                                   "their deadlines"));
  }
}

Status CallerConnection::OnFrame(const FrameHeader& header,
                                 ByteChunks payload) {
  if (header.kind != FrameKind::kReply) {
    return InvalidArgument("a server's frame that is no reply");
  }
  const Ref<BulkCall> call = Take(header.call);
  {
    MutexLock lock(mu_);
    timeouts_in_a_row_ = 0;
  }
  if (call == nullptr) return OkStatus();  // cancelled or timed out meanwhile
  Status status;
  const size_t size = payload.size_bytes();
  if (header.aux != 0) {
    status = DecodeStatus(header.aux, payload.Flatten());
    payload = ByteChunks();
  }
  if (IsShortCall(call->method(), size)) {
    call->FinishInline(std::move(status), std::move(payload));
  } else {
    call->Finish(std::move(status), std::move(payload));
  }
  return OkStatus();
}

void CallerConnection::OnRefused(const FrameHeader& header,
                                 const Status& status) {
  const Ref<BulkCall> call = Take(header.call);
  if (call) call->Finish(status);
}

void CallerConnection::OnClosed(const Status& reason) {
  absl::flat_hash_map<uint64_t, Ref<BulkCall>> open;
  Ref<CallerConnection> self;
  {
    MutexLock lock(mu_);
    closed_ = true;
    open.swap(open_);
    self = std::move(self_);
  }
  const Status status = ConnectionReset(address_, reason.message());
  for (const auto& [number, call] : open) call->Finish(status);
}

}  // namespace millrace
