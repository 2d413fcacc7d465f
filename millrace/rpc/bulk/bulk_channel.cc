#include "millrace/rpc/bulk/bulk_channel.h"

#include <unistd.h>

#include <array>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "millrace/base/log.h"
#include "millrace/rpc/bulk/sockets.h"

namespace millrace {
namespace {

constexpr int64_t kHelloMs = 5'000;
constexpr int64_t kConnectMs = 5'000;

// Only calls between servers do.
bool TravelsByBulk(const Method& method) {
  return static_cast<int>(method.id) < kNumMethods &&
         method.service == Service::kWorker;
}

// Whether a call asks if the server lives. Its reply would wait behind tensors,
// as frames travel whole and in order: over a slow network a server that sends
// a large one would count as lost.
bool IsProbe(const Method& method) { return method.id == MethodId::kGetStatus; }

// Sends the token and waits for the answer.
Status OpenConnection(int fd, const std::string& token) {
  std::array<char, kFrameHeaderBytes> header;
  EncodeFrameHeader({.kind = FrameKind::kOpen, .size = token.size()},
                    header.data());
  MR_RETURN_IF_ERROR(SendAll(fd, header.data(), header.size()));
  MR_RETURN_IF_ERROR(SendAll(fd, token.data(), token.size()));
  MR_RETURN_IF_ERROR(ReceiveAll(fd, header.data(), header.size()));
  MR_ASSIGN_OR_RETURN(const FrameHeader answer,
                      DecodeFrameHeader(header.data()));
  if (answer.kind != FrameKind::kOpened || answer.size != 0) {
    return InvalidArgument("an unexpected answer to a token");
  }
  return PrepareForPolling(fd);
}

}  // namespace

// A Hello in flight, and the connection that follows from it.
struct BulkChannel::Question {
  std::shared_ptr<BulkChannel> channel;
  CallContext context;
  HelloRequest request;
  HelloReply reply;
};

BulkChannel::~BulkChannel() {
  if (connection_) connection_->Close(Unavailable("no longer needed"));
}

void BulkChannel::Call(const Method& method, CallContext& context,
                       ByteChunks request, ByteChunks* reply, Done done) {
  if (!TravelsByBulk(method)) {
    inner_->Call(method, context, std::move(request), reply, std::move(done));
    return;
  }
  Ref<CallerConnection> connection;
  bool ask = false;
  {
    MutexLock lock(mu_);
    if (connection_ && connection_->closed()) connection_ = nullptr;
    connection = connection_;
    if (!connection) {
      ask = !asking_ && NowNanos() >= next_ask_nanos_;
      asking_ |= ask;
      if (options_.first_calls_wait && !has_asked_ && !IsProbe(method)) {
        waiting_.push_back([this, &method, &context,
                            request = std::move(request), reply,
                            done = std::move(done)]() mutable {
          Call(method, context, std::move(request), reply, std::move(done));
        });
        lock.Unlock();
        if (ask) Ask();
        return;
      }
    }
  }
  if (ask) Ask();
  if (connection && !IsProbe(method) &&
      connection->Call(method, context, request, reply, done)) {
    return;
  }
  inner_->Call(method, context, std::move(request), reply, std::move(done));
}

void BulkChannel::Ask() {
  auto question = std::make_shared<Question>();
  question->channel = shared_from_this();
  question->context.deadline = Deadline::AfterMillis(kHelloMs);
  question->request.protocol_version = kPeerProtocolVersion;
  Question& q = *question;
  peer_->Hello(q.context, q.request, &q.reply, [question](Status status) {
    BulkChannel& channel = *question->channel;
    if (status.ok() &&
        question->reply.protocol_version == kPeerProtocolVersion) {
      status = Lanes::Process().blocking.TrySchedule(
          [question] { Connect(question); });
      if (status.ok()) return;
    }
    const bool unsupported =
        status.ok() || status.code() == StatusCode::kUnimplemented;
    channel.EndAsking(nullptr, unsupported
                                   ? channel.options_.unsupported_retry_ms
                                   : channel.options_.retry_ms);
  });
}

// Runs on a blocking lane.
void BulkChannel::Connect(const std::shared_ptr<Question>& question) {
  BulkChannel& channel = *question->channel;
  StatusOr<Ref<CallerConnection>> connection = Unavailable("no socket");
  const StatusOr<int> fd = channel.OpenSocket(question->reply);
  Status status = fd.status();
  if (status.ok()) {
    status = OpenConnection(*fd, question->reply.bulk_token);
    if (status.ok()) {
      connection = CallerConnection::Start(
          *fd, channel.address_, {.stall_ms = channel.options_.stall_ms});
      status = connection.status();
    } else {
      close(*fd);
    }
  }
  if (!status.ok()) {
    channel.OnNoConnection(question->reply, status);
    return;
  }
  channel.EndAsking(*std::move(connection), 0);
}

StatusOr<int> BulkChannel::OpenSocket(const HelloReply& reply) const {
  // The name is a random number: a peer that finds it is on the same machine.
  if (!reply.local_address.empty()) {
    StatusOr<int> fd = ConnectLocally(reply.local_address, kConnectMs);
    if (fd.ok()) return fd;
  }
  const size_t colon = address_.rfind(':');
  const size_t bulk_colon = reply.bulk_address.rfind(':');
  int port = 0;
  if (colon == std::string::npos || bulk_colon == std::string::npos ||
      !absl::SimpleAtoi(reply.bulk_address.substr(bulk_colon + 1), &port) ||
      port < 1 || port > 65535) {
    return InvalidArgument("'", reply.bulk_address, "' is not host:port");
  }
  // The host at which the server has answered so far.
  return ConnectToTcp(address_.substr(0, colon), port, kConnectMs);
}

// One failure may be a server that is shutting down; two mean that a firewall
// is in between.
void BulkChannel::OnNoConnection(const HelloReply& reply,
                                 const Status& status) {
  bool again;
  {
    MutexLock lock(mu_);
    again = ++failures_in_a_row_ > 1;
  }
  if (again) {
    MR_LOG(Warning) << "No bulk connection to " << address_ << " at "
                    << reply.bulk_address
                    << ", gRPC carries its tensors: " << status;
  }
  EndAsking(nullptr, again ? options_.unsupported_retry_ms : options_.retry_ms);
}

void BulkChannel::EndAsking(Ref<CallerConnection> connection,
                            int64_t retry_ms) {
  std::vector<absl::AnyInvocable<void()>> waiting;
  {
    MutexLock lock(mu_);
    connection_ = std::move(connection);
    if (connection_) failures_in_a_row_ = 0;
    asking_ = false;
    has_asked_ = true;
    next_ask_nanos_ = NowNanos() + retry_ms * 1'000'000;
    waiting.swap(waiting_);
  }
  for (auto& call : waiting) std::move(call)();
}

}  // namespace millrace
