#include "millrace/ops/string/string_hash.h"

#include <bit>
#include <utility>

#include "millrace/base/coding.h"

namespace millrace::ops {
namespace {

uint64_t Load64(const char* at) { return LoadFixed<uint64_t>(at); }
uint64_t Load32(const char* at) { return LoadFixed<uint32_t>(at); }
uint64_t Byte(char c) { return static_cast<unsigned char>(c); }
uint64_t Fold(uint64_t v) { return v ^ v >> 47; }

// Returns the last n < 8 bytes as a little-endian number.
uint64_t Tail(const char* at, size_t n) {
  uint64_t v = 0;
  for (size_t i = 0; i < n; ++i) v |= Byte(at[i]) << 8 * i;
  return v;
}

// ---- FarmHash ----

constexpr uint64_t kFarm0 = 0xc3a5c85c97cb3127;
constexpr uint64_t kFarm1 = 0xb492b66fbe98f273;
constexpr uint64_t kFarm2 = 0x9ae16a3b2f90404f;

uint64_t Mix(uint64_t u, uint64_t v, uint64_t factor) {
  const uint64_t a = Fold((u ^ v) * factor);
  return Fold((v ^ a) * factor) * factor;
}

uint64_t FarmUpTo16(const char* s, size_t n) {
  const uint64_t factor = kFarm2 + n * 2;
  if (n >= 8) {
    const uint64_t a = Load64(s) + kFarm2;
    const uint64_t b = Load64(s + n - 8);
    const uint64_t c = std::rotr(b, 37) * factor + a;
    const uint64_t d = (std::rotr(a, 25) + b) * factor;
    return Mix(c, d, factor);
  }
  if (n >= 4) {
    return Mix(n + (Load32(s) << 3), Load32(s + n - 4), factor);
  }
  if (n == 0) return kFarm2;
  const uint64_t y = Byte(s[0]) + (Byte(s[n >> 1]) << 8);
  const uint64_t z = n + (Byte(s[n - 1]) << 2);
  return Fold(y * kFarm2 ^ z * kFarm0) * kFarm2;
}

uint64_t FarmUpTo32(const char* s, size_t n) {
  const uint64_t factor = kFarm2 + n * 2;
  const uint64_t a = Load64(s) * kFarm1;
  const uint64_t b = Load64(s + 8);
  const uint64_t c = Load64(s + n - 8) * factor;
  const uint64_t d = Load64(s + n - 16) * kFarm2;
  return Mix(std::rotr(a + b, 43) + std::rotr(c, 30) + d,
             a + std::rotr(b + kFarm2, 18) + c, factor);
}

uint64_t FarmUpTo64(const char* s, size_t n) {
  const uint64_t factor = kFarm2 + n * 2;
  const uint64_t a = Load64(s) * kFarm2;
  const uint64_t b = Load64(s + 8);
  const uint64_t c = Load64(s + n - 8) * factor;
  const uint64_t d = Load64(s + n - 16) * kFarm2;
  const uint64_t y = std::rotr(a + b, 43) + std::rotr(c, 30) + d;
  const uint64_t z = Mix(y, a + std::rotr(b + kFarm2, 18) + c, factor);
  const uint64_t e = Load64(s + 16) * factor;
  const uint64_t f = Load64(s + 24);
  const uint64_t g = (y + Load64(s + n - 32)) * factor;
  const uint64_t h = (z + Load64(s + n - 24)) * factor;
  return Mix(std::rotr(e + f, 43) + std::rotr(g, 30) + h,
             e + std::rotr(f + a, 18) + g, factor);
}

using Pair = std::pair<uint64_t, uint64_t>;

// Mixes two seeds and 32 bytes to two numbers.
Pair Mix32Bytes(const char* s, uint64_t a, uint64_t b) {
  const uint64_t w = Load64(s), x = Load64(s + 8);
  const uint64_t y = Load64(s + 16), z = Load64(s + 24);
  a += w;
  b = std::rotr(b + a + z, 21);
  const uint64_t c = a;
  a += x + y;
  b += std::rotr(a, 44);
  return {a + z, b + c};
}

// The state that a round of 64 bytes changes.
struct FarmState {
  uint64_t x, y, z;
  Pair v, w;

  void Round(const char* s, uint64_t factor, uint64_t weight) {
    x = std::rotr(x + y + v.first + Load64(s + 8), 37) * factor;
    y = std::rotr(y + v.second + Load64(s + 48), 42) * factor;
    x ^= w.second * weight;
    y += v.first * weight + Load64(s + 40);
    z = std::rotr(z + w.first, 33) * factor;
    v = Mix32Bytes(s, v.second * factor, x + w.first);
    w = Mix32Bytes(s + 32, z + w.second, y + Load64(s + 16));
    std::swap(z, x);
  }
};

}  // namespace

uint64_t MurmurHash(absl::string_view text) {
  constexpr uint64_t kSeed = 0xdecafcaffe;
  constexpr uint64_t kFactor = 0xc6a4a7935bd1e995;
  const char* at = text.data();
  size_t n = text.size();
  uint64_t h = kSeed ^ n * kFactor;
  for (; n >= 8; at += 8, n -= 8) {
    h = (h ^ Fold(Load64(at) * kFactor) * kFactor) * kFactor;
  }
  if (n > 0) h = (h ^ Tail(at, n)) * kFactor;
  return Fold(Fold(h) * kFactor);
}

uint64_t FarmFingerprint(absl::string_view text) {
  constexpr uint64_t kSeed = 81;
  const char* s = text.data();
  const size_t n = text.size();
  if (n <= 16) return FarmUpTo16(s, n);
  if (n <= 32) return FarmUpTo32(s, n);
  if (n <= 64) return FarmUpTo64(s, n);
  FarmState state;
  state.y = kSeed * kFarm1 + 113;
  state.z = Fold(state.y * kFarm2 + 113) * kFarm2;
  state.x = kSeed * kFarm2 + Load64(s);
  state.v = state.w = {0, 0};
  // Whole rounds, except for the last 1 to 64 bytes.
  const char* const end = s + (n - 1) / 64 * 64;
  for (; s != end; s += 64) state.Round(s, kFarm1, 1);
  const uint64_t factor = kFarm1 + ((state.z & 0xff) << 1);
  state.w.first += (n - 1) & 63;
  state.v.first += state.w.first;
  state.w.first += state.v.first;
  state.Round(text.data() + n - 64, factor, 9);
  return Mix(Mix(state.v.first, state.w.first, factor) +
                 Fold(state.y) * kFarm0 + state.z,
             Mix(state.v.second, state.w.second, factor) + state.x, factor);
}

}  // namespace millrace::ops
