// RandomStream: the numbers of one random op, from run to run.
#pragma once

#include "millrace/base/random.h"
#include "millrace/base/threads/thread.h"
#include "millrace/kernel/kernel.h"

namespace millrace::ops {

// Thread-safe. Lives as long as its kernel: a stateful kernel is kept by the
// session, so the stream goes on over different fetches.
class RandomStream {
 public:
  // Attributes seed and seed2; both 0 means seeds by chance.
  static StatusOr<std::unique_ptr<RandomStream>> Make(const KernelInit& init) {
    MR_ASSIGN_OR_RETURN(const int64_t seed, init.Attr<int64_t>("seed"));
    MR_ASSIGN_OR_RETURN(const int64_t seed2, init.Attr<int64_t>("seed2"));
    const bool by_chance = seed == 0 && seed2 == 0;
    return std::unique_ptr<RandomStream>(new RandomStream(
        by_chance ? RandomUint64() : static_cast<uint64_t>(seed),
        by_chance ? RandomUint64() : static_cast<uint64_t>(seed2)));
  }

  // The generator at the present place; the stream goes on `results` (of four
  // numbers each) later.
  Philox4x32 Reserve(uint64_t results) {
    MutexLock lock(mu_);
    const Philox4x32 here = generator_;
    generator_.Skip(results);
    return here;
  }

 private:
  RandomStream(uint64_t seed, uint64_t seed2) : generator_(seed, seed2) {}
  Mutex mu_;
  Philox4x32 generator_;
};

// Numbers one at a time.
class SingleNumbers {
 public:
  explicit SingleNumbers(Philox4x32* generator) : generator_(generator) {}
  uint32_t operator()() {
    if (used_ == 4) {
      numbers_ = (*generator_)();
      used_ = 0;
    }
    return numbers_[used_++];
  }

 private:
  Philox4x32* const generator_;
  Philox4x32::Result numbers_{};
  int used_ = 4;
};

}  // namespace millrace::ops
