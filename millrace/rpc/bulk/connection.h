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
#include "millrace/rpc/bulk/frame.h"
#include "millrace/rpc/bulk/poller.h"

namespace millrace {

// Who gets what a connection brings, on its poller's thread. After OnClosed,
// which comes once, nothing more.
class FrameReceiver {
 public:
  virtual ~FrameReceiver() = default;
  // A status that is not OK closes the connection.
  virtual Status OnFrame(const FrameHeader& header, ByteChunks payload) = 0;
  // There was no memory for the payload, which was passed over.
  virtual void OnRefused(const FrameHeader& header, const Status& status) = 0;
  virtual void OnClosed(const Status& reason) = 0;
};

struct BulkConnectionOptions {
  // A frame that announces more ends the connection, before there is memory
  // for it.
  uint64_t max_payload_bytes = kMaxPayloadBytes;
  // One that is silent for so long in the middle of a frame ends.
  int64_t stall_ms = 60'000;
  // While the peer leaves more frames unread, nothing is read from it. For who
  // answers calls, which would otherwise pile up answers without end; who makes
  // them must always read.
  size_t max_waiting_frames = SIZE_MAX;
};

// Thread-safe. Sending never waits: the calling thread writes what the socket
// takes, the poller the rest. Payloads of 1 KB and more are read into memory
// of the host's allocator, and so count against the memory budget.
class BulkConnection final : public PollHandler {
 public:
  // Owns `fd`, a connected socket that does not block.
  BulkConnection(int fd, const BulkConnectionOptions& options);
  ~BulkConnection() override;

  // Begins to read; `receiver` lives until OnClosed returned. To be called
  // once.
  Status Start(FrameReceiver* receiver);
  // Frames arrive whole and in the order of the calls, or the connection
  // closes. Borrowed chunks are copied.
  void Send(FrameHeader header, ByteChunks payload);
  // In OnFrame: what later frames may announce.
  void set_max_payload_bytes(uint64_t bytes) { max_payload_bytes_ = bytes; }
  // As if the peer had; OnClosed gets the first reason.
  void Close(const Status& reason);
  // The same once what was sent is written.
  void CloseAfterWriting(const Status& reason);

 private:
  struct OutFrame {
    std::array<char, kFrameHeaderBytes> header;
    ByteChunks payload;
    size_t size = 0;  // of both
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
  bool EndPayload();
  void WatchForStall(uint64_t seen);

  const int fd_;
  const int64_t stall_ms_;
  const size_t max_waiting_frames_;
  Poller& poller_;
  FrameReceiver* receiver_ = nullptr;

  Mutex mu_;  // guards what follows, to the blank line
  std::deque<OutFrame> out_;
  size_t out_offset_ = 0;  // of the first frame, written already
  bool writing_ = false;   // somebody is in Flush, or the poller will be
  bool wants_read_ = true;
  bool wants_write_ = false;
  bool closed_ = false;
  bool closes_when_written_ = false;
  Status reason_;
  bool inside_frame_ = false;  // as of the last read
  uint64_t bytes_read_ = 0;    // as of the last read
  bool watched_ = false;       // a timer looks whether it goes on

  // The poller's alone.
  uint64_t max_payload_bytes_;
  uint64_t total_read_ = 0;
  std::vector<char> staging_;
  std::array<char, kFrameHeaderBytes> header_bytes_;
  size_t header_filled_ = 0;
  FrameHeader header_;
  bool in_payload_ = false;
  Ref<Buffer> buffer_;  // null: text_, or passed over
  std::string text_;
  char* payload_ = nullptr;  // null: passed over
  uint64_t payload_filled_ = 0;
  Status refused_;
  bool ended_ = false;
};

}  // namespace millrace
