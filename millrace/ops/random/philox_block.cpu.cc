#include "millrace/ops/random/philox_block.h"

#include <algorithm>

#include "millrace/base/target_clones.h"

namespace millrace::ops {
namespace {

// Computes the results of the counters first[0], first[0] + 1, ..., which must
// not carry.
MR_TARGET_CLONES void Rounds(const uint32_t* first, const uint32_t* key,
                             uint32_t* words) {
  const uint32_t c0 = first[0], c1 = first[1], c2 = first[2], c3 = first[3];
  uint32_t k0[10], k1[10];
  for (uint32_t r = 0; r < 10; ++r) {
    k0[r] = key[0] + r * 0x9E3779B9u;
    k1[r] = key[1] + r * 0xBB67AE85u;
  }
#pragma GCC ivdep
  for (uint32_t i = 0; i < kPhiloxBlock; ++i) {
    uint32_t w0 = c0 + i, w1 = c1, w2 = c2, w3 = c3;
#pragma GCC unroll 10
    for (int r = 0; r < 10; ++r) {
      const uint64_t a = uint64_t{0xD2511F53} * w0;
      const uint64_t b = uint64_t{0xCD9E8D57} * w2;
      w0 = static_cast<uint32_t>(b >> 32) ^ w1 ^ k0[r];
      w1 = static_cast<uint32_t>(b);
      w2 = static_cast<uint32_t>(a >> 32) ^ w3 ^ k1[r];
      w3 = static_cast<uint32_t>(a);
    }
    words[4 * i] = w0;
    words[4 * i + 1] = w1;
    words[4 * i + 2] = w2;
    words[4 * i + 3] = w3;
  }
}

}  // namespace

void PhiloxBlock(Philox4x32* generator, uint32_t* words) {
  if (generator->counter()[0] > ~uint32_t{0} - kPhiloxBlock) {
    for (int i = 0; i < kPhiloxBlock; ++i) {
      const Philox4x32::Result r = (*generator)();
      std::copy(r.begin(), r.end(), words + 4 * i);
    }
    return;
  }
  Rounds(generator->counter().data(), generator->key().data(), words);
  generator->Skip(kPhiloxBlock);
}

}  // namespace millrace::ops
