// Distributions over classes 0 ... range - 1, from which candidates are drawn.
// The numbers are stock's for stock's seeds.
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

// Uniform numbers as samplers take them from a stream. One thread.
class SamplerBits {
 public:
  explicit SamplerBits(Philox4x32* generator) : next_(generator) {}
  uint32_t Bits32() { return next_(); }
  uint64_t Bits64();
  float Float();    // in [0, 1)
  double Double();  // in [0, 1)
  // Evenly from [0, n), n > 0.
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
  // How many classes may be drawn at all.
  virtual int64_t num_possible() const { return range_; }
  virtual int64_t Sample(SamplerBits& bits) const = 0;
  virtual float Probability(int64_t value) const = 0;
  // Tells of the true classes of a run, which lie in the range.
  // RESOURCE_EXHAUSTED, only the first ones learned, where the memory budget
  // has no room for what is kept of them.
  virtual Status Learn(absl::Span<const int64_t>) { return OkStatus(); }

 private:
  const int64_t range_;
};

std::unique_ptr<RangeSampler> MakeUniformSampler(int64_t range);
std::unique_ptr<RangeSampler> MakeLogUniformSampler(int64_t range);
// INVALID_ARGUMENT unless the range fits an int32.
StatusOr<std::unique_ptr<RangeSampler>> MakeLearnedSampler(int64_t range);

// Weights of the words of one shard.
struct UnigramOptions {
  int64_t range = 0;
  float distortion = 1;
  int64_t num_reserved_ids = 0;
  int64_t num_shards = 1;
  int64_t shard = 0;
};
// INVALID_ARGUMENT "range is R must be equal to weights size W".
StatusOr<std::unique_ptr<RangeSampler>> MakeUnigramSampler(
    const UnigramOptions& options, absl::Span<const float> unigrams);
// What a vocabulary's text and the weights of its lines take.
int64_t VocabularyBytes(absl::string_view text);
// The last column of each line of `text` is a word's weight. INVALID_ARGUMENT
// "Wrong vocabulary format at line: ...".
StatusOr<std::vector<float>> ParseVocabulary(absl::string_view text,
                                             const UnigramOptions& options);

}  // namespace millrace::ops
