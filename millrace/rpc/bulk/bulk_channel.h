// BulkChannel: a Caller that uses a bulk connection when it can. Private to
// rpc/bulk.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "millrace/base/threads/lanes.h"
#include "millrace/rpc/bulk/bulk_transport.h"
#include "millrace/rpc/bulk/caller_connection.h"

namespace millrace {

class BulkChannel final : public Caller,
                          public std::enable_shared_from_this<BulkChannel> {
 public:
  BulkChannel(std::string address, std::shared_ptr<Caller> inner,
              const BulkOptions& options)
      : address_(std::move(address)),
        inner_(std::move(inner)),
        peer_(MakePeerStub(inner_.get())),
        options_(options) {}
  ~BulkChannel() override;

  void Call(const Method& method, CallContext& context, ByteChunks request,
            ByteChunks* reply, Done done) override;

 private:
  struct Question;

  void Ask();
  static void Connect(const std::shared_ptr<Question>& question);
  StatusOr<int> OpenSocket(const HelloReply& reply) const;
  void OnNoConnection(const HelloReply& reply, const Status& status);
  void EndAsking(Ref<CallerConnection> connection, int64_t retry_ms);

  const std::string address_;
  const std::shared_ptr<Caller> inner_;
  const std::unique_ptr<PeerApi> peer_;
  const BulkOptions options_;

  Mutex mu_;  // guards all below
  Ref<CallerConnection> connection_;
  bool asking_ = false;
  bool has_asked_ = false;
  int64_t next_ask_nanos_ = 0;
  int failures_in_a_row_ = 0;  // to connect
  // With first_calls_wait: calls until the first answer.
  std::vector<absl::AnyInvocable<void()>> waiting_;
};

}  // namespace millrace
