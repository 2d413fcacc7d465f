// RandomStream: the random numbers of one op, continued from run to run.
#pragma once

#include "millrace/base/random.h"
#include "millrace/base/threads/thread.h"
#include "millrace/kernel/kernel.h"

namespace millrace::ops {

// Thread-safe. Lives as long as its kernel. The session keeps a stateful
// kernel, so the stream continues over different fetches.
class RandomStream {
 public:
  // Reads the attributes seed and seed2; if both are 0, the seeds are random.
  static StatusOr<std::unique_ptr<RandomStream>> Make(const KernelInit& init) {
    MR_ASSIGN_OR_RETURN(const int64_t seed, init.Attr<int64_t>("seed"));
    MR_ASSIGN_OR_RETURN(const int64_t seed2, init.Attr<int64_t>("seed2"));
    const bool by_chance = seed == 0 && seed2 == 0;
    return std::unique_ptr<RandomStream>(new RandomStream(
        by_chance ? RandomUint64() : static_cast<uint64_t>(seed),
        by_chance ? RandomUint64() : static_cast<uint64_t>(seed2)));
  }

  // Returns the generator at the current position and advances the stream by
  // `results` (of four numbers each).
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

// Returns numbers one at a time.
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
