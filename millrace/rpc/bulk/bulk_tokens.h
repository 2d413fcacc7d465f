// BulkTokens: what opens bulk connections. Private to rpc/bulk.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "absl/container/btree_set.h"
#include "absl/strings/string_view.h"
#include "millrace/base/hash/siphash.h"
#include "millrace/base/threads/thread.h"

namespace millrace {

// Whoever asks gets a token, and anybody may ask as often as they like. So
// none is kept: a token is the time at which it was made and 128 bits that
// follow from it by a secret of this object, by which it is known again. Kept,
// for a minute, are those that were taken. Thread-safe; times are NowNanos().
class BulkTokens {
 public:
  BulkTokens();

  // Different from all before. Printable.
  std::string Make(int64_t now_nanos);
  // True once for each token of the last minute. (Of more than kMaxTaken that
  // were taken in a minute the oldest may be taken again: who has one could
  // ask for another as well.)
  bool Take(absl::string_view token, int64_t now_nanos);

  static constexpr int64_t kLifeNanos = 60'000'000'000;
  static constexpr size_t kMaxTaken = 1 << 16;

 private:
  std::string Text(int64_t made_nanos) const;

  const std::array<SipKey, 2> keys_;
  Mutex mu_;  // guards all below
  int64_t last_made_nanos_ = 0;
  absl::btree_set<int64_t> taken_;  // when they were made
};

}  // namespace millrace
