#include "millrace/cluster/retrying_caller.h"

#include <utility>

#include "absl/strings/match.h"
#include "millrace/base/random.h"
#include "millrace/cluster/delay.h"

namespace millrace {
namespace {

constexpr absl::string_view kNamesTask = "Unavailable: task /job:";

}  // namespace

// One call with its retries. Its references own it: the last one deletes it.
class RetryingCaller::RetriedCall : public RefCounted {
 public:
  RetriedCall(RetryingCaller& owner, const Method& method, CallContext& context,
              ByteChunks request, ByteChunks* reply, Done done)
      : owner_(owner),
        method_(method),
        scope_(context.cancel),
        context_(context),
        request_(std::move(request)),
        reply_(reply),
        done_(std::move(done)) {
    context_.cancel = &scope_;
    if (context_.deadline.infinite() && method.default_deadline_ms > 0) {
      context_.deadline = Deadline::AfterMillis(method.default_deadline_ms);
    }
  }

  void Attempt() {
    ++attempts_;
    *reply_ = ByteChunks();
    owner_.caller_->Call(method_, context_, request_, reply_,
                         [self = Ref<RetriedCall>::Share(this)](Status status) {
                           self->OnReply(std::move(status));
                         });
  }

 private:
  void OnReply(Status status) {
    owner_.observe_(status);
    if (!method_.retried || status.code() != StatusCode::kUnavailable ||
        scope_.cancelled()) {
      Finish(status);
      return;
    }
    // Half of the backoff is random (jitter), so that many callers do not retry
    // at once.
    const int64_t nanos = RetryDelayMillis(attempts_) * 1'000'000;
    const auto jitter =
        static_cast<int64_t>(RandomUint64() % static_cast<uint64_t>(nanos / 2));
    const Deadline next = Deadline::After(nanos / 2 + jitter);
    if (next >= context_.deadline) {
      Finish(status);
      return;
    }
    last_ = std::move(status);
    RunAfter(owner_.lanes_, scope_, next,
             [self = Ref<RetriedCall>::Share(this)] {
               if (self->scope_.cancelled()) {
                 self->Finish(self->last_);
               } else {
                 self->Attempt();
               }
             });
  }

  void Finish(const Status& status) {
    Done done = std::move(done_);
    std::move(done)(owner_.WithTask(status));
  }

  RetryingCaller& owner_;
  const Method& method_;
  CancelScope scope_;
  CallContext context_;
  const ByteChunks request_;
  ByteChunks* const reply_;
  Done done_;
  int attempts_ = 0;
  Status last_;
};

RetryingCaller::RetryingCaller(
    std::shared_ptr<Caller> caller, Lanes& lanes, std::string who,
    absl::AnyInvocable<void(const Status&) const> observe)
    : caller_(std::move(caller)),
      lanes_(lanes),
      who_(std::move(who)),
      observe_(std::move(observe)) {}

void RetryingCaller::Call(const Method& method, CallContext& context,
                          ByteChunks request, ByteChunks* reply, Done done) {
  if (method.retried ||
      (context.deadline.infinite() && method.default_deadline_ms > 0)) {
    MakeRef<RetriedCall>(*this, method, context, std::move(request), reply,
                         std::move(done))
        ->Attempt();
    return;
  }
  caller_->Call(
      method, context, std::move(request), reply,
      [this, done = std::move(done)](Status status) mutable {
        observe_(status);
        std::move(done)(status.ok() ? std::move(status) : WithTask(status));
      });
}

Status RetryingCaller::WithTask(const Status& status) const {
  if (status.code() != StatusCode::kUnavailable ||
      absl::StartsWith(status.message(), kNamesTask)) {
    return status;
  }
  return Prefix(absl::StrCat("Unavailable: ", who_, ": "), status);
}

}  // namespace millrace
