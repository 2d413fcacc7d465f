// BulkConnection: frames over a stream socket.
#pragma once

#include <sys/uio.h>

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "millrace/base/threads/thread.h"
#include "millrace/base/threads/timer.h"
#include "millrace/rpc/bulk/frame.h"
#include "millrace/rpc/poller.h"

namespace millrace {

// Receives the frames of a connection, on its poller's thread. OnClosed is
// called once, and nothing after it.
class FrameReceiver {
 public:
  virtual ~FrameReceiver() = default;
  // Returning a status that is not OK closes the connection.
  virtual Status OnFrame(const FrameHeader& header, ByteChunks payload) = 0;
  // There was no memory for the payload, which was read and discarded.
  virtual void OnRefused(const FrameHeader& header, const Status& status) = 0;
  virtual void OnClosed(const Status& reason) = 0;
};

struct BulkConnectionOptions {
  // A frame that announces a larger payload closes the connection before memory
  // is allocated for it.
  uint64_t max_payload_bytes = kMaxPayloadBytes;
  // A connection that is silent for this long in the middle of a frame is
  // closed.
  int64_t stall_ms = 60'000;
  // Back-pressure: while more frames than this wait for the peer to read them,
  // nothing is read from it. For the end that answers calls, whose replies
  // would otherwise pile up without limit; the end that makes calls must always
  // read.
  size_t max_waiting_frames = SIZE_MAX;
};

// Thread-safe. Sending never blocks: the calling thread writes as much as the
// socket accepts, the poller the rest. Payloads of 1 KB and more are read into
// memory of the host's allocator, and so count against the memory budget.
class BulkConnection final : public PollHandler {
 public:
  // Takes ownership of `fd`, a connected non-blocking socket.
  BulkConnection(int fd, const BulkConnectionOptions& options);
  ~BulkConnection() override;

  // Begins to read. `receiver` must live until OnClosed has returned. Requires:
  // called once.
  Status Start(FrameReceiver* receiver);
  // Queues a frame. Frames arrive whole and in the order of the calls, or the
  // connection closes. Borrowed chunks are copied.
  void Send(FrameHeader header, ByteChunks payload);
  // Sets the limit on the payloads of later frames. Requires: called in
  // OnFrame.
  void set_max_payload_bytes(uint64_t bytes) { max_payload_bytes_ = bytes; }
  uint64_t bytes_read() const;
  // Whether bytes have arrived since there were so many, or wait to be written:
  // a frame that is late is then behind others, and the peer not silent.
  bool IsMovingSince(uint64_t bytes_read) const;
  // Closes as if the peer had; OnClosed receives the first reason.
  void Close(const Status& reason);
  // Like Close, after all queued frames are written.
  void CloseAfterWriting(const Status& reason);

 private:
  struct OutFrame {
    std::array<char, kFrameHeaderBytes> header;
    ByteChunks payload;
    size_t size = 0;  // of header and payload
  };

  using Pieces = absl::InlinedVector<iovec, 16>;

  void OnReady(uint32_t events) override;
  void Flush() override;
  void Gather(Pieces* pieces);
  void Written(size_t bytes);
  struct Wants {
    bool read;
    bool write;
  };
  void Watch(Wants wants);
  void ReadAll();
  bool Take(const char* data, size_t size);
  bool BeginPayload();
  // Counts what has arrived of a payload against the memory budget; without
  // room the payload is refused.
  void Charge(uint64_t arrived);
  void DropBuffer();
  bool EndPayload();
  void WatchForStall(uint64_t seen);
  void CheckForStall(uint64_t seen);

  const int fd_;
  const int64_t stall_ms_;
  const size_t max_waiting_frames_;
  Poller& poller_;
  FrameReceiver* receiver_ = nullptr;

  mutable Mutex mu_;  // guards what follows, to the blank line
  std::deque<OutFrame> out_;
  size_t out_offset_ = 0;  // bytes of the first frame that are written already
  bool writing_ = false;   // a thread is in Flush, or the poller will be
  bool wants_read_ = true;
  bool wants_write_ = false;
  bool closed_ = false;
  bool closes_when_written_ = false;
  Status reason_;
  bool inside_frame_ = false;  // as of the last read
  uint64_t bytes_read_ = 0;    // as of the last read
  bool watched_ = false;       // a timer checks for progress
  Timer::Id stall_timer_ = 0;  // that timer

  // Used by the poller's thread alone.
  uint64_t max_payload_bytes_;
  uint64_t total_read_ = 0;
  std::vector<char> staging_;
  std::array<char, kFrameHeaderBytes> header_bytes_;
  size_t header_filled_ = 0;
  FrameHeader header_;
  bool in_payload_ = false;
  Ref<Buffer> buffer_;  // null: text_ is used, or the payload is discarded
  std::string text_;
  char* payload_ = nullptr;  // null: the payload is discarded
  uint64_t payload_filled_ = 0;
  int64_t uncharged_ = 0;  // of buffer_, which the memory budget does not count
  Status refused_;
  bool ended_ = false;
};

}  // namespace millrace
