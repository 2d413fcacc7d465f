// Random numbers: those of millrace's Philox4x32 (base/random.h), which
// is passed by value and has the same members.

struct PhiloxResult {
  uint32_t v[4];
  MR_DEVICE uint32_t operator[](int i) const { return v[i]; }
};
struct Philox {
  uint32_t key[2];
  uint32_t counter[4];

  MR_DEVICE void Skip(uint64_t n) {
    const uint32_t low = static_cast<uint32_t>(n);
    uint32_t high = static_cast<uint32_t>(n >> 32);
    counter[0] += low;
    if (counter[0] < low) ++high;
    counter[1] += high;
    if (counter[1] < high && ++counter[2] == 0) ++counter[3];
  }
  MR_DEVICE PhiloxResult operator()() {
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    uint32_t k0 = key[0], k1 = key[1];
#pragma unroll
    for (int round = 0; round < 10; ++round) {
      const uint32_t a_low = 0xD2511F53u * c0,
                     a_high = __umulhi(0xD2511F53u, c0);
      const uint32_t b_low = 0xCD9E8D57u * c2,
                     b_high = __umulhi(0xCD9E8D57u, c2);
      c0 = b_high ^ c1 ^ k0;
      c1 = b_low;
      c2 = a_high ^ c3 ^ k1;
      c3 = a_low;
      k0 += 0x9E3779B9u;
      k1 += 0xBB67AE85u;
    }
    Skip(1);
    return PhiloxResult{{c0, c1, c2, c3}};
  }
};
