// Account: what a variable may hold that is added to by steps whose outcome is
// not always known.
#pragma once

#include <cstdint>
#include <map>

namespace millrace::sim {

// One thread. Each life of the task that holds the variable begins without a
// value; a step that began in one life has no effect in later ones.
class Account {
 public:
  // An addition has happened.
  void Acknowledge() { ++least_; }
  // One may have happened, or may yet happen, in lives up to `life`.
  void Doubt(int life) { ++doubts_[life]; }
  // The variable was given `value` in `life`.
  void Set(int64_t value, int life);
  // The variable had this value, and nothing is on its way any more.
  void Settle(int64_t value);

  int64_t least() const { return least_; }
  int64_t most() const;
  bool Allows(int64_t value) const {
    return least_ <= value && value <= most();
  }
  // The variable has this value, which is allowed.
  void Learn(int64_t value);

 private:
  int64_t least_ = 0;
  std::map<int, int64_t> doubts_;  // by the last life that they may concern
};

}  // namespace millrace::sim
