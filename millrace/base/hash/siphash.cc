#include "millrace/base/hash/siphash.h"

#include <bit>

#include "millrace/base/coding.h"

namespace millrace {
namespace {

struct SipState {
  uint64_t v0, v1, v2, v3;

  void Round() {
    v0 += v1;
    v1 = std::rotl(v1, 13) ^ v0;
    v0 = std::rotl(v0, 32);
    v2 += v3;
    v3 = std::rotl(v3, 16) ^ v2;
    v0 += v3;
    v3 = std::rotl(v3, 21) ^ v0;
    v2 += v1;
    v1 = std::rotl(v1, 17) ^ v2;
    v2 = std::rotl(v2, 32);
  }
  void Add(uint64_t word) {
    v3 ^= word;
    Round();
    Round();
    v0 ^= word;
  }
};

// The last bytes, fewer than 8, as a little-endian number.
uint64_t SipTail(const char* at, size_t n) {
  uint64_t v = 0;
  for (size_t i = 0; i < n; ++i) {
    v |= uint64_t{static_cast<unsigned char>(at[i])} << 8 * i;
  }
  return v;
}

}  // namespace

uint64_t SipHash(const SipKey& key, absl::string_view text) {
  SipState s{key[0] ^ 0x736f6d6570736575, key[1] ^ 0x646f72616e646f6d,
             key[0] ^ 0x6c7967656e657261, key[1] ^ 0x7465646279746573};
  const char* at = text.data();
  size_t n = text.size();
  for (; n >= 8; at += 8, n -= 8) s.Add(LoadFixed<uint64_t>(at));
  s.Add(SipTail(at, n) | static_cast<uint64_t>(text.size()) << 56);
  s.v2 ^= 0xff;
  for (int i = 0; i < 4; ++i) s.Round();
  return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}

}  // namespace millrace
