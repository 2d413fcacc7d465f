// CallerConnection: the caller's end of a bulk connection.
#pragma once

#include <string>

#include "absl/container/flat_hash_map.h"
#include "millrace/rpc/bulk/connection.h"
#include "millrace/rpc/pending_call.h"

namespace millrace {

// Thread-safe. The connection holds a reference to it until it is closed.
class CallerConnection final : public RefCounted, private FrameReceiver {
 public:
  // Takes ownership of `fd`, on which the token has been accepted. `address` is
  // for messages.
  static StatusOr<Ref<CallerConnection>> Start(
      int fd, std::string address, const BulkConnectionOptions& options);

  // Like Caller::Call. Returns false, and does nothing, if the connection is
  // closed.
  bool Call(const Method& method, CallContext& context, ByteChunks& request,
            ByteChunks* reply, Done& done);
  void Close(const Status& reason) { connection_->Close(reason); }
  bool closed() const;

 private:
  class BulkCall;

  CallerConnection(int fd, std::string address,
                   const BulkConnectionOptions& options);
  ~CallerConnection() override;
  template <class T, class... Args>
  friend Ref<T> MakeRef(Args&&... args);

  void GiveUp(uint64_t number, const Status& reason);
  Ref<BulkCall> Take(uint64_t number);
  Status OnFrame(const FrameHeader& header, ByteChunks payload) override;
  void OnRefused(const FrameHeader& header, const Status& status) override;
  void OnClosed(const Status& reason) override;

  const std::string address_;
  const Ref<BulkConnection> connection_;

  mutable Mutex mu_;            // guards all below
  Ref<CallerConnection> self_;  // reset in OnClosed
  bool closed_ = false;
  uint64_t next_number_ = 1;
  int timeouts_in_a_row_ = 0;
  uint64_t counted_before_ = 0;  // calls before this one do not count
  absl::flat_hash_map<uint64_t, Ref<BulkCall>> open_;
};

}  // namespace millrace
