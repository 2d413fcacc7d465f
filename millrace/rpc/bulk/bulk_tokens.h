// BulkTokens: the tokens that open bulk connections. Private to rpc/bulk.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "absl/container/btree_set.h"
#include "absl/strings/string_view.h"
#include "millrace/base/hash/siphash.h"
#include "millrace/base/threads/thread.h"

namespace millrace {

// Any peer may ask for a token, as often as it likes, so the tokens that were
// made are not stored: a token is the time at which it was made and 128 bits
// derived from that time and a secret of this object, which verify it. Only
// tokens that were taken are stored, for a minute. Thread-safe; times are
// NowNanos().
class BulkTokens {
 public:
  BulkTokens();

  // Returns a new printable token, different from all before.
  std::string Make(int64_t now_nanos);
  // Returns true once for each token made in the last minute. (If more than
  // kMaxTaken were taken in a minute, the oldest may be taken again: a peer
  // that has one could ask for another as well.)
  bool Take(absl::string_view token, int64_t now_nanos);

  static constexpr int64_t kLifeNanos = 60'000'000'000;
  static constexpr size_t kMaxTaken = 1 << 16;

 private:
  std::string Text(int64_t made_nanos) const;

  const std::array<SipKey, 2> keys_;
  Mutex mu_;  // guards all below
  int64_t last_made_nanos_ = 0;
  absl::btree_set<int64_t> taken_;  // the times at which they were made
};

}  // namespace millrace
