// Distributions over classes 0 ... range - 1, from which candidates are
// sampled. For stock's seeds, the numbers are stock's.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "millrace/base/status.h"
#include "millrace/ops/random/random_stream.h"

namespace millrace::ops {

// Returns uniform numbers as samplers take them from a stream. For one thread.
class SamplerBits {
 public:
  explicit SamplerBits(Philox4x32* generator) : next_(generator) {}
  uint32_t Bits32() { return next_(); }
  uint64_t Bits64();
  float Float();    // in [0, 1)
  double Double();  // in [0, 1)
  // Return a uniform number from [0, n). Requires: n > 0.
  uint32_t Below32(uint32_t n);
  uint64_t Below64(uint64_t n);

 private:
  SingleNumbers next_;
};

// Thread-safe.
class RangeSampler {
 public:
  explicit RangeSampler(int64_t range) : range_(range) {}
  virtual ~RangeSampler() = default;

  int64_t range() const { return range_; }
  // Returns how many classes can be sampled at all.
  virtual int64_t num_possible() const { return range_; }
  virtual int64_t Sample(SamplerBits& bits) const = 0;
  virtual float Probability(int64_t value) const = 0;
  // Learns the true classes of a run, which must lie in the range. Returns
  // RESOURCE_EXHAUSTED, having learned only the first ones, if the memory
  // budget has no room for what is kept of them.
  virtual Status Learn(absl::Span<const int64_t>) { return OkStatus(); }

 private:
  const int64_t range_;
};

std::unique_ptr<RangeSampler> MakeUniformSampler(int64_t range);
std::unique_ptr<RangeSampler> MakeLogUniformSampler(int64_t range);
// Returns INVALID_ARGUMENT unless the range fits an int32.
StatusOr<std::unique_ptr<RangeSampler>> MakeLearnedSampler(int64_t range);

// Describes the weights of the words of one shard.
struct UnigramOptions {
  int64_t range = 0;
  float distortion = 1;
  int64_t num_reserved_ids = 0;
  int64_t num_shards = 1;
  int64_t shard = 0;
};
// Returns INVALID_ARGUMENT "range is R must be equal to weights size W" if they
// differ.
StatusOr<std::unique_ptr<RangeSampler>> MakeUnigramSampler(
    const UnigramOptions& options, absl::Span<const float> unigrams);
// Returns the bytes that a vocabulary's text and the weights of its lines take.
int64_t VocabularyBytes(absl::string_view text);
// Parses weights: the last column of each line of `text` is a word's weight.
// Returns INVALID_ARGUMENT "Wrong vocabulary format at line: ..." for other
// lines.
StatusOr<std::vector<float>> ParseVocabulary(absl::string_view text,
                                             const UnigramOptions& options);

}  // namespace millrace::ops
