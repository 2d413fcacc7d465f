// Account: the possible values of a variable to which steps add whose outcome
// is not always known.
#pragma once

#include <cstdint>
#include <map>

namespace millrace::sim {

// Not thread-safe. Each incarnation ("life") of the task that holds the
// variable begins without a value; a step that began in one incarnation has no
// effect in later ones.
class Account {
 public:
  // Records an addition that has happened.
  void Acknowledge() { ++least_; }
  // Records an addition of unknown outcome, which may have happened, or may yet
  // happen, in incarnations up to `life`.
  void Doubt(int life) { ++doubts_[life]; }
  // Records that the variable was set to `value` in incarnation `life`.
  void Set(int64_t value, int life);
  // Records that the variable had this value when nothing was in flight any
  // more.
  void Settle(int64_t value);

  int64_t least() const { return least_; }
  int64_t most() const;
  bool Allows(int64_t value) const {
    return least_ <= value && value <= most();
  }
  // Records that the variable has this value, which must be a possible one.
  void Learn(int64_t value);

 private:
  int64_t least_ = 0;
  std::map<int, int64_t> doubts_;  // by the last incarnation they may affect
};

}  // namespace millrace::sim
