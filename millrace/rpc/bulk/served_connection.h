// ServedConnection: the server's end of a bulk connection. Private to rpc/bulk.
#pragma once

#include "absl/container/flat_hash_map.h"
#include "millrace/rpc/bulk/bulk_door.h"
#include "millrace/rpc/bulk/connection.h"

namespace millrace {

// Thread-safe. The door holds a reference to it until it is closed.
class ServedConnection final : public RefCounted, private FrameReceiver {
 public:
  ServedConnection(Ref<BulkDoor> door, int fd);

  // Begins to read. The first frame must carry a token, and arrive within five
  // seconds.
  Status Start();
  void Close(const Status& reason) { connection_->Close(reason); }
  void CloseAfterWriting(const Status& reason) {
    connection_->CloseAfterWriting(reason);
  }

 private:
  class ServedCall;

  ~ServedConnection() override;
  Status Open(const FrameHeader& header, const ByteChunks& token);
  Status BeginCall(const FrameHeader& header, ByteChunks request);
  void Answer(uint64_t number, const Status& status, ByteChunks reply);
  void Reply(uint64_t number, const Status& status, ByteChunks reply);
  void Cancel(const FrameHeader& header);
  Status OnFrame(const FrameHeader& header, ByteChunks payload) override;
  void OnRefused(const FrameHeader& header, const Status& status) override;
  void OnClosed(const Status& reason) override;

  const Ref<BulkDoor> door_;
  const Ref<BulkConnection> connection_;

  Mutex mu_;  // guards all below
  bool opened_ = false;
  Timer::Id open_timer_ = 0;  // ends a connection without a token
  absl::flat_hash_map<uint64_t, Ref<ServedCall>> calls_;
};

}  // namespace millrace
