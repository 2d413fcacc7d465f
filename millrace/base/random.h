// Random numbers: Philox for ops, entropy for ids, a small generator for tests.
#pragma once

#include <array>
#include <cstdint>

namespace millrace {

// Philox 4x32 with 10 rounds (Salmon et al., "Parallel random numbers: as easy
// as 1, 2, 3", SC 2011). A counter and a key give four numbers; streams of
// different `seed_hi` never overlap. The layout of key and counter is
// TensorFlow's, so equal seeds give equal numbers: key = seed_lo, counter words
// 2 and 3 = seed_hi, low word first.
class Philox4x32 {
 public:
  using Result = std::array<uint32_t, 4>;

  Philox4x32() = default;
  explicit Philox4x32(uint64_t seed_lo, uint64_t seed_hi = 0)
      : key_{Low(seed_lo), High(seed_lo)},
        counter_{0, 0, Low(seed_hi), High(seed_hi)} {}
  Philox4x32(const Result& counter, const std::array<uint32_t, 2>& key)
      : key_(key), counter_(counter) {}

  // Skips `n` results. As in TensorFlow, the carry into word 2 is lost if `n`
  // is above 2^64 - 2^32 and word 0 carries.
  void Skip(uint64_t n) {
    uint32_t high = High(n);
    counter_[0] += Low(n);
    if (counter_[0] < Low(n)) ++high;
    counter_[1] += high;
    if (counter_[1] < high && ++counter_[2] == 0) ++counter_[3];
  }

  // Returns the next four numbers.
  Result operator()() {
    Result c = counter_;
    std::array<uint32_t, 2> k = key_;
    for (int round = 0; round < 10; ++round) {
      const uint64_t a = uint64_t{0xD2511F53} * c[0];
      const uint64_t b = uint64_t{0xCD9E8D57} * c[2];
      c = {High(b) ^ c[1] ^ k[0], Low(b), High(a) ^ c[3] ^ k[1], Low(a)};
      k[0] += 0x9E3779B9;
      k[1] += 0xBB67AE85;
    }
    Skip(1);
    return c;
  }

  const Result& counter() const { return counter_; }
  const std::array<uint32_t, 2>& key() const { return key_; }

 private:
  static constexpr uint32_t Low(uint64_t x) { return static_cast<uint32_t>(x); }
  static constexpr uint32_t High(uint64_t x) {
    return static_cast<uint32_t>(x >> 32);
  }

  std::array<uint32_t, 2> key_{};
  Result counter_{};
};

// Returns 64 random bits that differ from those of any other process, for ids,
// incarnations and the seeds of ops without a seed. Thread-safe. In a
// simulation they are derived from its seed.
uint64_t RandomUint64();

// SplitMix64 (Steele et al., OOPSLA 2014): small and fast, for tests, shuffles
// and jitter. Not thread-safe.
class Rng {
 public:
  using result_type = uint64_t;
  __extension__ using Wide = unsigned __int128;
  explicit Rng(uint64_t seed) : state_(seed) {}

  uint64_t operator()() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }
  // Returns a uniform number in [0, n). Requires: n > 0.
  uint64_t Uniform(uint64_t n) {
    return static_cast<uint64_t>((static_cast<Wide>((*this)()) * n) >> 64);
  }
  // Returns a uniform number in [0, 1).
  double Double() { return static_cast<double>((*this)() >> 11) * 0x1p-53; }

  static constexpr uint64_t min() { return 0; }
  static constexpr uint64_t max() { return ~uint64_t{0}; }

 private:
  uint64_t state_;
};

}  // namespace millrace
