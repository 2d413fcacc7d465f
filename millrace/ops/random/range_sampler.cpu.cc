#include "millrace/ops/random/range_sampler.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "millrace/base/memory/counted_table.h"
#include "millrace/base/memory/memory_charge.h"
#include "millrace/ops/random/distributions.h"

namespace millrace::ops {
namespace {

constexpr int64_t kMaxInt32 = std::numeric_limits<int32_t>::max();

// Rejects numbers that would favour the small remainders.
template <class U, class Bits>
U Below(U n, Bits bits) {
  if ((n & (n - 1)) == 0) return bits() & (n - 1);
  const U remainder = std::numeric_limits<U>::max() % n + 1;
  U x;
  do {
    x = bits();
  } while (x < remainder);
  return x % n;
}

class UniformSampler final : public RangeSampler {
 public:
  explicit UniformSampler(int64_t range)
      : RangeSampler(range),
        probability_(static_cast<float>(1.0 / static_cast<double>(range))) {}
  int64_t Sample(SamplerBits& bits) const override {
    return static_cast<int64_t>(bits.Below64(static_cast<uint64_t>(range())));
  }
  float Probability(int64_t) const override { return probability_; }

 private:
  const float probability_;
};

class LogUniformSampler final : public RangeSampler {
 public:
  explicit LogUniformSampler(int64_t range)
      : RangeSampler(range), log_(std::log1p(static_cast<double>(range))) {}
  int64_t Sample(SamplerBits& bits) const override {
    const double x = std::exp(bits.Double() * log_);
    // Rounding may lead beyond the range.
    return (x >= 0x1p63 ? 0 : static_cast<int64_t>(x) - 1) % range();
  }
  float Probability(int64_t value) const override {
    const auto v = static_cast<double>(value);
    return static_cast<float>(std::log((v + 2.0) / (v + 1.0)) / log_);
  }

 private:
  const double log_;
};

// Keeps weights, initially all one, as a tree of partial sums (Fenwick, "A new
// data structure for cumulative frequency tables", 1994). Only what was added
// to the ones is stored, so a large range costs nothing until it is used.
class LearnedSampler final : public RangeSampler {
 public:
  explicit LearnedSampler(int64_t range) : RangeSampler(range), total_(range) {}

  int64_t Sample(SamplerBits& bits) const override {
    ReaderLock lock(mu_);
    int64_t left = bits.Below32(static_cast<uint32_t>(total_));
    // Finds the first class whose cumulative weight is more than `left`.
    int64_t before = 0;
    for (auto step = static_cast<int64_t>(
             std::bit_floor(static_cast<uint64_t>(range())));
         step > 0; step /= 2) {
      if (before + step > range()) continue;
      const int64_t weight = step + Added(before + step);
      if (weight > left) continue;
      before += step;
      left -= weight;
    }
    return before;
  }

  float Probability(int64_t value) const override {
    ReaderLock lock(mu_);
    if (value < 0 || value >= range()) return 0;
    const auto it = counts_->find(value);
    return static_cast<float>(1 + (it == counts_->end() ? 0 : it->second)) /
           static_cast<float>(total_);
  }

  Status Learn(absl::Span<const int64_t> values) override {
    WriterLock lock(mu_);
    for (const int64_t v : values) {
      if (total_ >= kMaxInt32) break;
      MR_RETURN_IF_ERROR(counts_.MakeRoom());
      MR_RETURN_IF_ERROR(added_.MakeRoom(kMaxNodes));
      ++total_;
      ++(*counts_)[v];
      for (int64_t i = v + 1; i <= range(); i += i & -i) ++(*added_)[i];
    }
    return OkStatus();
  }

 private:
  static constexpr size_t kMaxNodes = 31;  // to which one class is added

  int64_t Added(int64_t node) const {
    const auto it = added_->find(node);
    return it == added_->end() ? 0 : it->second;
  }

  mutable SharedMutex mu_;
  int64_t total_;
  CountedTable<absl::flat_hash_map<int64_t, int32_t>> counts_{
      "the classes of a candidate sampler"};  // by class
  CountedTable<absl::flat_hash_map<int64_t, int64_t>> added_{
      "the classes of a candidate sampler"};  // by node of the tree
};

// Samples given weights by the alias method (Vose, "A linear algorithm for
// generating random numbers with a given distribution", 1991).
class UnigramSampler final : public RangeSampler {
 public:
  UnigramSampler(std::vector<float> weights, MemoryCharge charge)
      : RangeSampler(static_cast<int64_t>(weights.size())),
        charge_(std::move(charge)),
        weights_(std::move(weights)),
        buckets_(weights_.size()) {
    double sum = 0;
    for (const float w : weights_) {
      total_ += w;
      sum += w;
      num_possible_ += w > 0;
    }
    std::vector<double> left(weights_.size());
    std::vector<int> high, low;
    for (size_t i = 0; i < weights_.size(); ++i) {
      left[i] = weights_[i] * static_cast<float>(weights_.size()) / sum;
      (left[i] < 1.0 ? low : high).push_back(static_cast<int>(i));
    }
    while (!high.empty() && !low.empty()) {
      const int l = low.back(), h = high.back();
      low.pop_back();
      high.pop_back();
      buckets_[l].other = h;
      left[h] -= 1.0 - left[l];
      (left[h] < 1.0 ? low : high).push_back(h);
    }
    for (size_t i = 0; i < left.size(); ++i) {
      buckets_[i].own = static_cast<float>(left[i]);
    }
    // The remaining weights are 1 except for rounding errors.
    for (const std::vector<int>* list : {&high, &low}) {
      for (const int i : *list) buckets_[i] = {1, i};
    }
  }

  int64_t num_possible() const override { return num_possible_; }
  int64_t Sample(SamplerBits& bits) const override {
    const float u = bits.Float();
    const uint32_t i = bits.Below32(static_cast<uint32_t>(buckets_.size()));
    return u < buckets_[i].own ? static_cast<int64_t>(i) : buckets_[i].other;
  }
  float Probability(int64_t value) const override {
    if (value < 0 || value >= range()) return 0;
    return weights_[static_cast<size_t>(value)] / total_;
  }

 private:
  struct Bucket {
    float own = 0;  // probability of the bucket's own class
    int other = 0;
  };
  const MemoryCharge charge_;
  const std::vector<float> weights_;
  std::vector<Bucket> buckets_;
  float total_ = 0;
  int64_t num_possible_ = 0;
};

// Returns how many of the ids 0 ... n - 1 belong to the shard.
int64_t InShard(int64_t n, const UnigramOptions& o) {
  return n > o.shard ? (n - 1 - o.shard) / o.num_shards + 1 : 0;
}

int64_t CountLines(absl::string_view text) {
  return 1 + std::count(text.begin(), text.end(), '\n');
}

}  // namespace

uint64_t SamplerBits::Bits64() {
  const uint32_t low = next_();
  const uint32_t high = next_();
  return low | uint64_t{high} << 32;
}
float SamplerBits::Float() { return UniformFloat(next_()); }
double SamplerBits::Double() {
  const uint32_t a = next_();
  const uint32_t b = next_();
  return UniformDouble(a, b);
}
uint32_t SamplerBits::Below32(uint32_t n) {
  return Below<uint32_t>(n, [this] { return Bits32(); });
}
uint64_t SamplerBits::Below64(uint64_t n) {
  return Below<uint64_t>(n, [this] { return Bits64(); });
}

std::unique_ptr<RangeSampler> MakeUniformSampler(int64_t range) {
  return std::make_unique<UniformSampler>(range);
}
std::unique_ptr<RangeSampler> MakeLogUniformSampler(int64_t range) {
  return std::make_unique<LogUniformSampler>(range);
}
StatusOr<std::unique_ptr<RangeSampler>> MakeLearnedSampler(int64_t range) {
  if (range >= kMaxInt32) {
    return InvalidArgument("range_max must be below ", kMaxInt32, ", but is ",
                           range);
  }
  return std::unique_ptr<RangeSampler>(new LearnedSampler(range));
}

StatusOr<std::unique_ptr<RangeSampler>> MakeUnigramSampler(
    const UnigramOptions& options, absl::Span<const float> unigrams) {
  const int64_t reserved =
      InShard(std::max<int64_t>(0, options.num_reserved_ids), options);
  const auto wrong_size = [&options](int64_t size) {
    return InvalidArgument("range is ", options.range,
                           " must be equal to weights size ", size);
  };
  if (reserved > std::min(options.range, kMaxInt32))
    return wrong_size(reserved);
  // Weights, buckets and, while they are made, two more lists.
  constexpr int64_t kBytesPerClass = 32;
  MemoryCharge charge;
  MR_RETURN_IF_ERROR(charge.Set(
      (reserved + static_cast<int64_t>(unigrams.size())) * kBytesPerClass,
      "the classes of a candidate sampler"));
  std::vector<float> weights(static_cast<size_t>(reserved));
  int64_t id = reserved;
  for (const float w : unigrams) {
    if (id++ % options.num_shards != options.shard) continue;
    weights.push_back(std::pow(w, options.distortion));
  }
  const auto size = static_cast<int64_t>(weights.size());
  if (size != options.range || size > kMaxInt32) return wrong_size(size);
  return std::unique_ptr<RangeSampler>(
      new UnigramSampler(std::move(weights), std::move(charge)));
}

int64_t VocabularyBytes(absl::string_view text) {
  return static_cast<int64_t>(text.size()) +
         static_cast<int64_t>(sizeof(float)) * CountLines(text);
}

StatusOr<std::vector<float>> ParseVocabulary(absl::string_view text,
                                             const UnigramOptions& options) {
  std::vector<float> weights;
  weights.reserve(static_cast<size_t>(CountLines(text)));
  int64_t id = InShard(std::max<int64_t>(0, options.num_reserved_ids), options);
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    absl::ConsumeSuffix(&line, "\r");
    if (line.empty()) continue;
    float weight = 0;
    // Words of other shards are not parsed.
    if (id++ % options.num_shards == options.shard &&
        !absl::SimpleAtof(line.substr(line.rfind(',') + 1), &weight)) {
      return InvalidArgument("Wrong vocabulary format at line: ", line);
    }
    weights.push_back(weight);
  }
  return weights;
}

}  // namespace millrace::ops
