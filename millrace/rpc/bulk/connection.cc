#include "millrace/rpc/bulk/connection.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "millrace/base/memory/memory_budget.h"
#include "millrace/base/threads/lanes.h"
#include "millrace/rpc/owned_bytes.h"

namespace millrace {
namespace {

constexpr size_t kStagingBytes = 16 << 10;
constexpr size_t kSmallPayloadBytes = 1024;
constexpr size_t kMaxPieces = 64;
// How far the charge for a payload is ahead of what has arrived of it.
constexpr int64_t kChargeBytes = 4 << 20;
// A frame of this size is not batched with others.
constexpr size_t kBigFrameBytes = 32 << 10;
// Bytes that one connection may read before the others have their turn.
constexpr size_t kTransposeBytes = 8 << 20;

// The payloads that all connections have announced and not received: the memory
// budget does not count them, but the address space has its limits.
std::atomic<int64_t> announced{0};
constexpr int64_t kAnnouncedBudgets = 8;

bool ManyAreAnnounced() {
  return announced.load(std::memory_order_relaxed) / kAnnouncedBudgets >=
         MemoryBudget::Process().limit();
}

}  // namespace

BulkConnection::BulkConnection(int fd, const BulkConnectionOptions& options)
    : fd_(fd),
      stall_ms_(options.stall_ms),
      max_waiting_frames_(options.max_waiting_frames),
      poller_(Poller::Next()),
      max_payload_bytes_(options.max_payload_bytes),
      staging_(kStagingBytes) {}

BulkConnection::~BulkConnection() {
  DropBuffer();
  close(fd_);
}

Status BulkConnection::Start(FrameReceiver* receiver) {
  receiver_ = receiver;
  return poller_.Add(fd_, EPOLLIN, Ref<PollHandler>::Share(this));
}

uint64_t BulkConnection::bytes_read() const {
  MutexLock lock(mu_);
  return bytes_read_;
}

bool BulkConnection::IsMovingSince(uint64_t bytes_read) const {
  MutexLock lock(mu_);
  return bytes_read_ != bytes_read || !out_.empty();
}

void BulkConnection::Close(const Status& reason) {
  MutexLock lock(mu_);
  if (std::exchange(closed_, true)) return;
  if (!closes_when_written_) reason_ = reason;
  // Wakes the poller, which closes the connection.
  shutdown(fd_, SHUT_RDWR);
}

void BulkConnection::CloseAfterWriting(const Status& reason) {
  {
    MutexLock lock(mu_);
    if (closed_) return;
    if (writing_) {
      closes_when_written_ = true;
      reason_ = reason;
      return;
    }
  }
  Close(reason);
}

// ---- Writing.

// Sets the events that the poller waits for. Requires: mu_ is held.
void BulkConnection::Watch(Wants wants) {
  if (wants.read == wants_read_ && wants.write == wants_write_) return;
  wants_read_ = wants.read;
  wants_write_ = wants.write;
  uint32_t events = 0;
  if (wants.read) events |= EPOLLIN;
  if (wants.write) events |= EPOLLOUT;
  poller_.Modify(fd_, events, this);
}

void BulkConnection::Send(FrameHeader header, ByteChunks payload) {
  OutFrame frame;
  frame.payload = OwnedBytes(std::move(payload));
  header.size = frame.payload.size_bytes();
  header.lead = PayloadLead(frame.payload);
  EncodeFrameHeader(header, frame.header.data());
  frame.size = kFrameHeaderBytes + frame.payload.size_bytes();
  const size_t frame_bytes = frame.size;
  {
    MutexLock lock(mu_);
    if (closed_) return;
    out_.push_back(std::move(frame));
    if (out_.size() > max_waiting_frames_)
      Watch({.read = false, .write = wants_write_});
    if (std::exchange(writing_, true)) return;
  }
  if (frame_bytes < kBigFrameBytes && Batch::Defer(this)) return;
  Flush();
}

// Gathers the bytes to write next. The frames stay where they are while others
// are added behind them.
void BulkConnection::Gather(Pieces* pieces) {
  pieces->clear();
  size_t skip = out_offset_;
  const auto add = [&](const char* data, size_t size) {
    const size_t skipped = std::min(skip, size);
    skip -= skipped;
    if (size == skipped) return;
    pieces->push_back({const_cast<char*>(data) + skipped, size - skipped});
  };
  for (const OutFrame& frame : out_) {
    add(frame.header.data(), frame.header.size());
    for (const Chunk& chunk : frame.payload.chunks()) {
      add(chunk.bytes.data(), chunk.bytes.size());
    }
    if (pieces->size() >= kMaxPieces) break;
  }
  if (pieces->size() > kMaxPieces) pieces->resize(kMaxPieces);
}

void BulkConnection::Written(size_t bytes) {
  absl::InlinedVector<OutFrame, 8> done;  // freed after the lock is released
  MutexLock lock(mu_);
  out_offset_ += bytes;
  while (!out_.empty() && out_offset_ >= out_.front().size) {
    out_offset_ -= out_.front().size;
    done.push_back(std::move(out_.front()));
    out_.pop_front();
  }
  if (!closed_ && out_.size() <= max_waiting_frames_ / 2) {
    Watch({.read = true, .write = wants_write_});
  }
  lock.Unlock();
  done.clear();
  lock.Lock();
}

void BulkConnection::Flush() {
  Pieces pieces;
  std::deque<OutFrame> dropped;  // freed after the lock is released
  while (true) {
    {
      MutexLock lock(mu_);
      if (closed_ || out_.empty()) {
        writing_ = false;
        dropped.swap(out_);
        Watch({.read = true, .write = false});
        if (!closes_when_written_ || closed_) return;
        break;
      }
      Gather(&pieces);
    }
    msghdr message{};
    message.msg_iov = pieces.data();
    message.msg_iovlen = pieces.size();
    const ssize_t n = sendmsg(fd_, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n >= 0) {
      Written(static_cast<size_t>(n));
      continue;
    }
    if (errno == EINTR) continue;
    if (errno == EAGAIN || errno == EWOULDBLOCK) {
      MutexLock lock(mu_);
      Watch({.read = wants_read_, .write = true});
      return;
    }
    Close(Unavailable(ErrnoText(errno)));
  }
  Close(OkStatus());  // with the reason that is already set
}

// ---- Reading.

void BulkConnection::OnReady(uint32_t events) {
  if (ended_) return;
  if (events & EPOLLOUT) Flush();
  if (events & (EPOLLIN | EPOLLHUP | EPOLLERR)) ReadAll();
  Status reason;
  {
    MutexLock lock(mu_);
    inside_frame_ = in_payload_ || header_filled_ > 0;
    bytes_read_ = total_read_;
    if (!closed_) {
      if (!inside_frame_ || std::exchange(watched_, true)) return;
      lock.Unlock();
      return WatchForStall(total_read_);
    }
    reason = reason_;
  }
  ended_ = true;
  poller_.Remove(fd_);
  std::deque<OutFrame> dropped;  // freed after the lock is released
  Timer::Id timer;
  {
    // A thread in Flush may be writing from the frames, and drops them itself.
    MutexLock lock(mu_);
    if (!writing_ || wants_write_) dropped.swap(out_);
    timer = std::exchange(stall_timer_, 0);
  }
  // It would keep the descriptor open.
  if (timer != 0) Lanes::Process().timer.Cancel(timer);
  receiver_->OnClosed(reason);
}

// A peer that stops in the middle of a frame would hold its memory forever.
void BulkConnection::WatchForStall(uint64_t seen) {
  const Timer::Id id =
      Lanes::Process().timer.RunAt(Deadline::AfterMillis(stall_ms_),
                                   [self = Ref<BulkConnection>::Share(this),
                                    seen] { self->CheckForStall(seen); });
  {
    MutexLock lock(mu_);
    stall_timer_ = id;
    if (!closed_) return;
  }
  Lanes::Process().timer.Cancel(id);
}

void BulkConnection::CheckForStall(uint64_t seen) {
  uint64_t now;
  bool may_go_on;
  {
    MutexLock lock(mu_);
    now = bytes_read_;
    may_go_on = wants_read_;
    if (closed_ || !inside_frame_) {
      watched_ = false;
      return;
    }
  }
  if (now != seen || !may_go_on) return WatchForStall(now);
  Close(Unavailable("silent for ", stall_ms_, " ms in the middle of a frame"));
}

void BulkConnection::ReadAll() {
  for (size_t turn = 0; turn < kTransposeBytes;) {
    const uint64_t left = header_.size - payload_filled_;
    const bool direct = in_payload_ && payload_ && left >= kStagingBytes;
    char* to = direct ? payload_ + payload_filled_ : staging_.data();
    const ssize_t n =
        recv(fd_, to, direct ? left : staging_.size(), MSG_DONTWAIT);
    if (n < 0) {
      if (errno == EINTR) continue;
      if (errno == EAGAIN || errno == EWOULDBLOCK) return;
      Close(Unavailable(ErrnoText(errno)));
      return;
    }
    if (n == 0) {
      Close(Unavailable("closed by the other end"));
      return;
    }
    const auto size = static_cast<size_t>(n);
    turn += size;
    total_read_ += size;
    if (direct) {
      payload_filled_ += size;
      Charge(payload_filled_);
      if (payload_filled_ == header_.size && !EndPayload()) return;
    } else if (!Take(staging_.data(), size)) {
      return;
    }
    // A short read of a stream has taken all there is.
    if (size < (direct ? left : staging_.size())) return;
  }
}

bool BulkConnection::Take(const char* data, size_t size) {
  while (size > 0) {
    if (!in_payload_) {
      const size_t n = std::min(size, kFrameHeaderBytes - header_filled_);
      std::memcpy(header_bytes_.data() + header_filled_, data, n);
      header_filled_ += n;
      data += n;
      size -= n;
      if (header_filled_ == kFrameHeaderBytes && !BeginPayload()) return false;
      continue;
    }
    const uint64_t n = std::min<uint64_t>(size, header_.size - payload_filled_);
    if (payload_) std::memcpy(payload_ + payload_filled_, data, n);
    payload_filled_ += n;
    if (buffer_) Charge(payload_filled_);
    data += n;
    size -= n;
    if (payload_filled_ == header_.size && !EndPayload()) return false;
  }
  return true;
}

bool BulkConnection::BeginPayload() {
  header_filled_ = 0;
  const StatusOr<FrameHeader> header = DecodeFrameHeader(header_bytes_.data());
  if (!header.ok()) {
    Close(header.status());
    return false;
  }
  if (header->size > max_payload_bytes_) {
    Close(InvalidArgument("a frame of ", header->size, " bytes where at most ",
                          max_payload_bytes_, " are accepted"));
    return false;
  }
  header_ = *header;
  in_payload_ = true;
  payload_filled_ = 0;
  refused_ = OkStatus();
  if (header_.size < kSmallPayloadBytes) {
    text_.resize(header_.size);
    payload_ = text_.data();
  } else {
    StatusOr<Ref<Buffer>> buffer =
        HostAllocator()->Allocate(header_.size + kPayloadAlignment);
    if (buffer.ok()) {
      buffer_ = *std::move(buffer);
      if (!ManyAreAnnounced()) {
        // What has only been announced takes no memory from others.
        uncharged_ = static_cast<int64_t>(header_.size);
        announced.fetch_add(uncharged_, std::memory_order_relaxed);
        MemoryBudget::Process().Release(uncharged_);
      }
      payload_ = buffer_->data() +
                 (kPayloadAlignment - header_.lead) % kPayloadAlignment;
    } else {
      refused_ = buffer.status();
      payload_ = nullptr;
    }
  }
  return header_.size > 0 || EndPayload();
}

void BulkConnection::Charge(uint64_t arrived) {
  const auto left = static_cast<int64_t>(header_.size - arrived);
  if (left >= uncharged_) return;
  // A step ahead, so that this is rare.
  const int64_t bytes = std::min(uncharged_, uncharged_ - left + kChargeBytes);
  refused_ = MemoryBudget::Process().Reserve(bytes);
  if (refused_.ok()) {
    uncharged_ -= bytes;
    announced.fetch_sub(bytes, std::memory_order_relaxed);
  } else {
    payload_ = nullptr;
    DropBuffer();
  }
}

void BulkConnection::DropBuffer() {
  // The buffer gives back all that it was charged with.
  announced.fetch_sub(uncharged_, std::memory_order_relaxed);
  MemoryBudget::Process().ReserveAlways(std::exchange(uncharged_, 0));
  buffer_ = nullptr;
}

bool BulkConnection::EndPayload() {
  in_payload_ = false;
  ByteChunks payload;
  if (buffer_) {
    payload.Append(std::move(buffer_), {payload_, header_.size});
  } else if (refused_.ok() && header_.size > 0) {
    payload.Append(std::move(text_));
  }
  buffer_ = nullptr;
  text_.clear();
  payload_ = nullptr;
  payload_filled_ = 0;
  if (!refused_.ok()) {
    receiver_->OnRefused(header_, refused_);
    return true;
  }
  const Status status = receiver_->OnFrame(header_, std::move(payload));
  if (!status.ok()) Close(status);
  return status.ok();
}

}  // namespace millrace
