#include "millrace/cluster/remote_rendezvous.h"

#include <utility>

#include "absl/strings/match.h"
#include "millrace/base/random.h"
#include "millrace/cluster/traffic.h"

namespace millrace {

// One RecvTensor call.
class RemoteRendezvous::Receive : public RefCounted {
 public:
  Receive(Ref<RemoteRendezvous> owner, Ref<Peer> peer, absl::string_view key,
          CancelScope* cancel, RecvDone done)
      : owner_(std::move(owner)),
        peer_(std::move(peer)),
        scope_(cancel),
        done_(std::move(done)) {
    context_.deadline = owner_->deadline_;
    context_.cancel = &scope_;
    request_.step_id = owner_->step_id_;
    request_.rendezvous_key = std::string(key);
  }

  // Returns false if the step was aborted before: no value will come.
  bool Enter() {
    MutexLock lock(owner_->mu_);
    if (!owner_->aborted_.ok()) return false;
    number_ = owner_->next_number_++;
    // Different from those of all other steps and tasks.
    if (owner_->request_base_ == 0) owner_->request_base_ = RandomUint64() >> 2;
    request_.request_id = static_cast<int64_t>(owner_->request_base_ + number_);
    owner_->open_.emplace_hint(owner_->open_.end(), number_,
                               Ref<Receive>::Share(this));
    return true;
  }

  void Start() {
    if (owner_->stats_ != nullptr) start_nanos_ = NowNanos();
    peer_->worker().RecvTensor(
        context_, request_, &reply_,
        [self = Ref<Receive>::Share(this)](Status status) {
          self->OnReply(std::move(status));
        });
  }

  void Cancel(const Status& reason) { scope_.Cancel(reason); }
  void Fail(const Status& status) { std::move(done_)(status); }

 private:
  void OnReply(Status status) {
    Status aborted;
    {
      Ref<Receive> self;  // released after the lock
      MutexLock lock(owner_->mu_);
      const auto it = owner_->open_.find(number_);
      self = std::move(it->second);
      owner_->open_.erase(it);
      aborted = owner_->aborted_;
      lock.Unlock();
    }
    if (!status.ok()) {
      Fail(!aborted.ok() ? aborted : Reason(status));
      return;
    }
    if (owner_->stats_ != nullptr) RecordStats();
    RendezvousValue value;
    value.is_dead = reply_.is_dead;
    if (!value.is_dead) value.tensor = std::move(reply_.tensor);
    std::move(done_)(std::move(value));
  }

  void RecordStats() {
    TransferStats transfer;
    transfer.key = request_.rendezvous_key;
    transfer.request_id = request_.request_id;
    transfer.is_dead = reply_.is_dead;
    transfer.start_nanos = start_nanos_;
    transfer.end_nanos = NowNanos();
    transfer.bytes = reply_.is_dead ? 0 : TensorBytes(reply_);
    transfer.send_start_micros = reply_.send_start_micros;
    owner_->stats_->Record(std::move(transfer));
  }

  // Returns the status that the receiver gets for `status`.
  Status Reason(const Status& status) const {
    switch (status.code()) {
      case StatusCode::kUnavailable:
      case StatusCode::kDeadlineExceeded:
        return status;
      case StatusCode::kAborted:
        // A restart, or a step that has ended at that task: no other error may
        // report it.
        return WithTask(status);
      default:
        return MarkDerived(WithTask(status));
    }
  }

  Status WithTask(const Status& status) const {
    if (absl::StrContains(status.message(), peer_->task().ToString()))
      return status;
    return Prefix(absl::StrCat("From ", peer_->task().ToString(), ":\n"),
                  status);
  }

  const Ref<RemoteRendezvous> owner_;
  const Ref<Peer> peer_;
  CancelScope scope_;
  RecvDone done_;
  CallContext context_;
  RecvTensorRequest request_;
  RecvTensorReply reply_;
  uint64_t number_ = 0;
  int64_t start_nanos_ = 0;  // set if there are stats
};

RemoteRendezvous::RemoteRendezvous(
    int64_t step_id, std::shared_ptr<const std::string> self_prefix,
    Ref<LocalRendezvous> local, Peers* peers, Deadline deadline,
    std::shared_ptr<StepStatsCollector> stats)
    : step_id_(step_id),
      self_prefix_(std::move(self_prefix)),
      local_(std::move(local)),
      peers_(peers),
      deadline_(deadline),
      stats_(std::move(stats)) {}

Status RemoteRendezvous::Send(absl::string_view key, RendezvousValue value) {
  if (!absl::StartsWith(key, *self_prefix_)) {
    return Internal("Invalid rendezvous key (src): ", key, "; this is ",
                    *self_prefix_);
  }
  return local_->Send(key, std::move(value));
}

void RemoteRendezvous::RecvAsync(absl::string_view key, CancelScope* cancel,
                                 RecvDone done) {
  if (absl::StartsWith(key, *self_prefix_)) {
    local_->RecvAsync(key, cancel, std::move(done));
    return;
  }
  StatusOr<Ref<Peer>> peer = FindPeer(key);
  if (!peer.ok()) {
    std::move(done)(peer.status());
    return;
  }
  auto receive =
      MakeRef<Receive>(Ref<RemoteRendezvous>::Share(this), *std::move(peer),
                       key, cancel, std::move(done));
  if (receive->Enter()) {
    receive->Start();
    return;
  }
  Status aborted;
  {
    MutexLock lock(mu_);
    aborted = aborted_;
  }
  receive->Fail(aborted);
}

StatusOr<Ref<Peer>> RemoteRendezvous::FindPeer(absl::string_view key) {
  {
    MutexLock lock(mu_);
    for (const auto& [prefix, peer] : found_) {
      if (absl::StartsWith(key, prefix)) return peer;
    }
  }
  const absl::string_view device = key.substr(0, key.find(';'));
  StatusOr<TaskName> task = TaskName::Parse(device);
  if (!task.ok()) return InvalidArgument("Invalid rendezvous key: ", key);
  MR_ASSIGN_OR_RETURN(Ref<Peer> peer, peers_->Find(*task));
  MutexLock lock(mu_);
  found_.emplace_back(absl::StrCat(task->ToString(), "/"), peer);
  return peer;
}

void RemoteRendezvous::StartAbort(const Status& status) {
  const Status reason = status.ok() ? Aborted("the step was aborted") : status;
  std::vector<Ref<Receive>> open;
  {
    MutexLock lock(mu_);
    if (!aborted_.ok()) return;
    aborted_ = reason;
    for (const auto& [number, receive] : open_) open.push_back(receive);
  }
  local_->StartAbort(reason);
  for (const Ref<Receive>& receive : open) receive->Cancel(reason);
}

}  // namespace millrace
