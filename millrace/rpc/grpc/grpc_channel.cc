#include "millrace/rpc/grpc/grpc_channel.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/channel_arguments.h>

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "millrace/base/threads/lanes.h"
#include "millrace/rpc/call_status.h"
#include "millrace/rpc/grpc/completion_thread.h"
#include "millrace/rpc/grpc/message_quota.h"
#include "millrace/rpc/grpc/slices.h"
#include "millrace/rpc/grpc/wire_status.h"
#include "millrace/rpc/short_call.h"

namespace millrace {
namespace {

std::shared_ptr<grpc::Channel> MakeChannel(const std::string& address,
                                           const GrpcOptions& options) {
  grpc::ChannelArguments args;
  args.SetMaxReceiveMessageSize(-1);
  args.SetMaxSendMessageSize(-1);
  args.SetInt(GRPC_ARG_MAX_METADATA_SIZE, 64 << 10);
  args.SetInt(GRPC_ARG_HTTP2_MAX_FRAME_SIZE, kMaxFrameBytes);
  args.SetInt(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, kLookaheadBytes);
  // The cluster knows which calls may be retried.
  args.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  args.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  args.SetInt(GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 1);
  // Gives each channel a connection of its own, so that one peer's backoff is
  // not another's.
  args.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  args.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS,
              options.initial_backoff_ms);
  args.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, options.max_backoff_ms);
  // Named for the backoff, but used as the timeout of a connection attempt.
  args.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, options.connect_timeout_ms);
  // A task may restart with another address behind its name.
  args.SetInt(GRPC_ARG_DNS_MIN_TIME_BETWEEN_RESOLUTIONS_MS, 1'000);
  args.SetInt(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0);
  args.SetResourceQuota(MessageQuota());
  return grpc::CreateCustomChannel(ChannelTarget(address),
                                   grpc::InsecureChannelCredentials(), args);
}

// Returns the status of a failure that gRPC detected and no handler returned.
Status ConnectionStatus(const grpc::Status& status, const Method& method,
                        const std::string& address, bool timed_out) {
  const std::string message = status.error_message();
  switch (status.error_code()) {
    case grpc::StatusCode::UNAVAILABLE:
      for (const char* text :
           {"failed to connect", "Failed to connect", "resolution",
            "Connection refused", "no address", "connection attempt"}) {
        if (!absl::StrContains(message, text)) continue;
        return CannotConnect(address,
                             absl::StrContains(message, "Connection refused")
                                 ? "connection refused"
                                 : message);
      }
      return ConnectionReset(address, message);
    case grpc::StatusCode::UNKNOWN:
      if (message == "Stream removed") return ConnectionReset(address, message);
      break;
    case grpc::StatusCode::CANCELLED:
      // Not by the caller: a server that ends cancels what it has not begun.
      return ConnectionReset(address, message);
    case grpc::StatusCode::DEADLINE_EXCEEDED:
      if (timed_out) return CallTimedOut(method, address);
      break;
    default:
      break;
  }
  return FromGrpcStatus(status);
}

// Deletes itself after Done was called.
class ClientCall final : public CompletionEvent {
 public:
  ClientCall(std::shared_ptr<GrpcChannel> channel, const Method& method,
             CallContext& context, ByteChunks* reply, Done done)
      : channel_(std::move(channel)),
        method_(method),
        lanes_(Lanes::Process()),
        context_(context),
        reply_(reply),
        done_(std::move(done)) {}

  void Start(ByteChunks request) {
    request_ = std::move(request);
    if (channel_->channel().GetState(false) != GRPC_CHANNEL_TRANSIENT_FAILURE) {
      return Send();
    }
    // gRPC would fail the call with the error of an attempt that may be long
    // ago. The event is a change of state, or the end of the wait, which leaves
    // the call time to fail with that error.
    reconnecting_ = true;
    const int64_t wait_nanos =
        std::min(channel_->reconnect_wait_ms() * int64_t{1'000'000},
                 context_.deadline.remaining_nanos() / 2);
    const Deadline wait = Deadline::After(wait_nanos);
    channel_->channel().NotifyOnStateChange(
        GRPC_CHANNEL_TRANSIENT_FAILURE, ToTimespec(wait),
        CompletionThreads::OfClients().queue(), Tag());
    grpc::experimental::ChannelResetConnectionBackoff(&channel_->channel());
  }

 private:
  void Send() {
    const Status fits = CheckFits(request_);
    if (!fits.ok()) return Refuse(fits);
    if (context_.cancel != nullptr) {
      const auto r =
          context_.cancel->Register([this] { client_context_.TryCancel(); });
      if (!r.ok()) return Refuse(r.status);
      token_ = r.token;
    }
    if (context_.deadline.expired()) {
      return Refuse(CallTimedOut(method_, channel_->address()));
    }
    if (!context_.deadline.infinite()) {
      client_context_.set_deadline(ToTimespec(context_.deadline));
    }
    reader_ = channel_->stub().PrepareUnaryCall(
        &client_context_, std::string(method_.path), ToByteBuffer(request_),
        CompletionThreads::OfClients().queue());
    request_ = ByteChunks();
    reader_->StartCall();
    reader_->Finish(&response_, &grpc_status_, Tag());
  }

  void OnEvent(bool) override {
    if (std::exchange(reconnecting_, false)) {
      lanes_.control.Schedule([this] { Send(); });
    } else if (IsShortCall(method_, response_.Length())) {
      Complete(Result());
    } else {
      LaneOf(lanes_, response_.Length()).Schedule([this] {
        Complete(Result());
      });
    }
  }

  void Refuse(Status status) {
    lanes_.control.Schedule([this, status] { Complete(status); });
  }

  Status Result() {
    if (grpc_status_.ok()) {
      StatusOr<ByteChunks> bytes = TakeBytes(&response_);
      if (!bytes.ok()) return bytes.status();
      *reply_ = *std::move(bytes);
      return OkStatus();
    }
    if (grpc_status_.error_code() == grpc::StatusCode::CANCELLED &&
        context_.cancel != nullptr && context_.cancel->cancelled()) {
      return context_.cancel->status();
    }
    const auto& trailers = client_context_.GetServerTrailingMetadata();
    if (trailers.find(kHandlerStatusHeader) != trailers.end()) {
      return FromGrpcStatus(grpc_status_);
    }
    // gRPC's clock, in whole milliseconds, may be a little ahead of ours.
    constexpr int64_t kClockSlackNanos = 5'000'000;
    return ConnectionStatus(
        grpc_status_, method_, channel_->address(),
        context_.deadline.remaining_nanos() < kClockSlackNanos);
  }

  void Complete(Status status) {
    if (context_.cancel != nullptr) context_.cancel->Unregister(token_);
    Done done = std::move(done_);
    delete this;
    std::move(done)(std::move(status));
  }

  const std::shared_ptr<GrpcChannel> channel_;
  const Method& method_;
  Lanes& lanes_;
  CallContext& context_;
  ByteChunks* const reply_;
  Done done_;
  ByteChunks request_;  // until it is sent
  bool reconnecting_ = false;
  CancelScope::Token token_ = 0;
  grpc::ClientContext client_context_;
  grpc::ByteBuffer response_;
  grpc::Status grpc_status_;
  std::unique_ptr<grpc::GenericClientAsyncResponseReader> reader_;
};

}  // namespace

GrpcChannel::GrpcChannel(const std::string& address, const GrpcOptions& options)
    : address_(address),
      reconnect_wait_ms_(options.reconnect_wait_ms),
      channel_(MakeChannel(address, options)),
      stub_(channel_) {}

void GrpcChannel::Call(const Method& method, CallContext& context,
                       ByteChunks request, ByteChunks* reply, Done done) {
  auto* call = new ClientCall(shared_from_this(), method, context, reply,
                              std::move(done));
  call->Start(std::move(request));
}

}  // namespace millrace
