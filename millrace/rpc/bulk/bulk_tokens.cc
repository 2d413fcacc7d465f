#include "millrace/rpc/bulk/bulk_tokens.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "millrace/base/random.h"

namespace millrace {
namespace {

constexpr size_t kTimeDigits = 16;

// Compares in constant time for texts of one size, so that the time does not
// reveal how much of a guess was right.
bool SameText(absl::string_view a, absl::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned differences = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    differences |= static_cast<unsigned>(a[i] ^ b[i]);
  }
  return differences == 0;
}

}  // namespace

BulkTokens::BulkTokens()
    : keys_{SipKey{RandomUint64(), RandomUint64()},
            SipKey{RandomUint64(), RandomUint64()}} {}

std::string BulkTokens::Text(int64_t made_nanos) const {
  const std::string time = absl::StrCat(
      absl::Hex(static_cast<uint64_t>(made_nanos), absl::kZeroPad16));
  return absl::StrCat(time,
                      absl::Hex(SipHash(keys_[0], time), absl::kZeroPad16),
                      absl::Hex(SipHash(keys_[1], time), absl::kZeroPad16));
}

std::string BulkTokens::Make(int64_t now_nanos) {
  {
    MutexLock lock(mu_);
    now_nanos = std::max(now_nanos, last_made_nanos_ + 1);
    last_made_nanos_ = now_nanos;
  }
  return Text(now_nanos);
}

bool BulkTokens::Take(absl::string_view token, int64_t now_nanos) {
  uint64_t number = 0;
  if (!absl::SimpleHexAtoi(token.substr(0, kTimeDigits), &number)) return false;
  const auto made_nanos = static_cast<int64_t>(number);
  if (!SameText(token, Text(made_nanos))) return false;
  const int64_t oldest = now_nanos - kLifeNanos;
  if (made_nanos < oldest) return false;
  MutexLock lock(mu_);
  while (!taken_.empty() && *taken_.begin() < oldest) {
    taken_.erase(taken_.begin());
  }
  if (!taken_.insert(made_nanos).second) return false;
  if (taken_.size() > kMaxTaken) taken_.erase(taken_.begin());
  return true;
}

}  // namespace millrace
