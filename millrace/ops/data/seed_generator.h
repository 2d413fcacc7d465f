// SeedGenerator: seeds of the passes over a shuffled data set.
#pragma once

#include <string>
#include <utility>

#include "millrace/base/random.h"
#include "millrace/base/thread.h"
#include "millrace/kernel/resource.h"
#include "millrace/ops/random/random_stream.h"

namespace millrace::ops {

// Thread-safe. Stock's numbers for stock's seeds; two zeros mean chance.
class SeedGenerator final : public Resource {
 public:
  static constexpr absl::string_view kTypeName =
      "tensorflow::data::SeedGeneratorManager";
  using Seeds = std::pair<int64_t, int64_t>;

  // `changes`: another pair each time.
  SeedGenerator(int64_t seed, int64_t seed2, bool changes)
      : seeds_(seed == 0 && seed2 == 0
                   ? Seeds{static_cast<int64_t>(RandomUint64()),
                           static_cast<int64_t>(RandomUint64())}
                   : Seeds{seed, seed2}),
        changes_(changes),
        philox_(static_cast<uint64_t>(seeds_.first),
                static_cast<uint64_t>(seeds_.second)) {}

  absl::string_view type_name() const override { return kTypeName; }
  std::string DebugString() const override { return "seed generator"; }

  Seeds Next() {
    if (!changes_) return seeds_;
    MutexLock lock(mu_);
    const uint32_t first = numbers_();
    return {first, numbers_()};
  }

 private:
  const Seeds seeds_;
  const bool changes_;
  Mutex mu_;
  Philox4x32 philox_;
  SingleNumbers numbers_{&philox_};  // guarded by mu_
};

}  // namespace millrace::ops
