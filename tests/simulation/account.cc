#include "tests/simulation/account.h"

#include <algorithm>

namespace millrace::sim {

void Account::Set(int64_t value, int life) {
  least_ = value;
  doubts_.erase(doubts_.begin(), doubts_.lower_bound(life));
}

void Account::Settle(int64_t value) {
  least_ = value;
  doubts_.clear();
}

int64_t Account::most() const {
  int64_t most = least_;
  for (const auto& [life, count] : doubts_) most += count;
  return most;
}

void Account::Learn(int64_t value) {
  int64_t happened = value - least_;
  least_ = value;
  // It is unknown which of them happened; the oldest ones matter least.
  for (auto it = doubts_.begin(); it != doubts_.end() && happened > 0;) {
    const int64_t n = std::min(happened, it->second);
    happened -= n;
    it->second -= n;
    it = it->second == 0 ? doubts_.erase(it) : std::next(it);
  }
}

}  // namespace millrace::sim
