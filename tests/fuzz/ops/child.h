// Child: a process that runs the cases of some ops, one after the other.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <string>
#include <vector>

#include "tests/fuzz/ops/round.h"

namespace millrace::fuzz {

// The place of a case in a round.
struct Place {
  size_t op = 0;  // of the round's list
  int64_t number = 0;
  friend bool operator==(const Place&, const Place&) = default;
};

// What a child and its parent share.
struct SharedState {
  std::atomic<size_t> op{0};
  std::atomic<int64_t> number{0};
  std::atomic<int> stage{0};
  std::atomic<int64_t> began_nanos{0};  // of the case; 0 without one
  // The processor time of the process when the case began.
  std::atomic<int64_t> began_cpu_nanos{0};
  std::atomic<int64_t> answers[3] = {};
  char problem[2048] = {};
};

// How a child ended.
struct ChildEnd {
  Place at;  // the last case
  Stage stage = Stage::kNone;
  std::string problem;  // "" if all its cases are done
  bool leaks = false;   // the problem is of all cases of the op
  bool slow = false;    // it was ended for its time
};

// One after the other, children that use the same memory and the same file for
// their output. One thread.
class Child {
 public:
  Child();
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Starts a process for the cases from `from` to the end of op `op_end - 1`.
  void Start(const Material& material, const std::vector<const FuzzedOp*>& ops,
             const RoundOptions& options, Place from, size_t op_end);
  bool running() const { return pid_ > 0; }
  // Returns true once the process has ended, with `end` set.
  bool Ended(ChildEnd* end);
  // Ends the process if its case takes more processor time than that, or has
  // not ended after kWaitsFactor times as long: on a busy machine only the
  // processor time tells what is slow, and what waits for ever takes none.
  void EndIfSlow(int64_t limit_ms);
  static constexpr int64_t kWaitsFactor = 4;
  void Kill();

  std::string Output() const;  // of the last case
  // Returns how many cases had that answer, in all processes of this child.
  int64_t answers(Answer a) const {
    return shared_->answers[static_cast<int>(a)];
  }

 private:
  SharedState* const shared_;
  const int output_;  // a file in memory
  pid_t pid_ = -1;
  std::string slow_;  // what to say of a process that was ended for its time
};

}  // namespace millrace::fuzz
