// SeedGenerator: the seeds of the passes over a shuffled data set.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "millrace/base/random.h"
#include "millrace/base/threads/thread.h"
#include "millrace/kernel/resource.h"
#include "millrace/ops/random/random_stream.h"

namespace millrace::ops {

// Thread-safe. Gives stock's numbers for stock's seeds; two zeros mean random
// seeds.
class SeedGenerator final : public Resource {
 public:
  static constexpr absl::string_view kTypeName =
      "tensorflow::data::SeedGeneratorManager";
  using Seeds = std::pair<int64_t, int64_t>;

  // If `changes`, Next returns another pair each time.
  SeedGenerator(int64_t seed, int64_t seed2, bool changes)
      : seeds_(seed == 0 && seed2 == 0
                   ? Seeds{static_cast<int64_t>(RandomUint64()),
                           static_cast<int64_t>(RandomUint64())}
                   : Seeds{seed, seed2}),
        changes_(changes) {}

  absl::string_view type_name() const override { return kTypeName; }
  std::string DebugString() const override { return "seed generator"; }

  Seeds Next() {
    if (!changes_) return seeds_;
    MutexLock lock(mu_);
    ++drawn_;
    const uint32_t first = (*numbers_)();
    return {first, (*numbers_)()};
  }
  // Returns how many pairs Next has drawn, for the state of a saved iterator.
  int64_t drawn() const {
    MutexLock lock(mu_);
    return drawn_;
  }
  // Continues as if `drawn` pairs had been drawn.
  void GoTo(int64_t drawn) {
    MutexLock lock(mu_);
    drawn_ = drawn;
    philox_ = Start();
    philox_.Skip(static_cast<uint64_t>(drawn / 2));  // four numbers each
    numbers_.emplace(&philox_);
    for (int64_t i = 0; i < 2 * (drawn % 2); ++i) (*numbers_)();
  }

 private:
  Philox4x32 Start() const {
    return Philox4x32(static_cast<uint64_t>(seeds_.first),
                      static_cast<uint64_t>(seeds_.second));
  }

  const Seeds seeds_;
  const bool changes_;
  mutable Mutex mu_;  // guards all below
  int64_t drawn_ = 0;
  Philox4x32 philox_ = Start();
  std::optional<SingleNumbers> numbers_{std::in_place, &philox_};
};

}  // namespace millrace::ops
