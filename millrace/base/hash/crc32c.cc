#include "millrace/base/hash/crc32c.h"

#include <array>

#include "millrace/base/coding.h"

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace millrace::crc32c {
namespace {

constexpr uint32_t kPolynomial = 0x82f63b78;  // bits reversed

using Table = std::array<uint32_t, 256>;

// tables[k][b] is the checksum of byte b followed by k zero bytes.
constexpr std::array<Table, 8> MakeTables() {
  std::array<Table, 8> t{};
  for (uint32_t b = 0; b < 256; ++b) {
    uint32_t crc = b;
    for (int i = 0; i < 8; ++i) {
      crc = (crc >> 1) ^ ((crc & 1) ? kPolynomial : 0);
    }
    t[0][b] = crc;
  }
  for (int k = 1; k < 8; ++k) {
    for (uint32_t b = 0; b < 256; ++b) {
      t[k][b] = (t[k - 1][b] >> 8) ^ t[0][t[k - 1][b] & 0xff];
    }
  }
  return t;
}

constexpr std::array<Table, 8> kTables = MakeTables();

#if defined(__x86_64__)

using Matrix = std::array<uint32_t, 32>;  // column i: the image of bit i

constexpr uint32_t Times(const Matrix& m, uint32_t v) {
  uint32_t result = 0;
  for (int i = 0; v != 0; ++i, v >>= 1) {
    if (v & 1) result ^= m[i];
  }
  return result;
}

// shift[k][b] is the register b << 8k after `bytes` (a power of two) zero
// bytes.
constexpr std::array<Table, 4> MakeShift(size_t bytes) {
  Matrix m{};
  m[0] = kPolynomial;  // one zero bit
  for (int i = 1; i < 32; ++i) m[i] = uint32_t{1} << (i - 1);
  for (size_t bits = 1; bits < bytes * 8; bits *= 2) {
    Matrix square{};
    for (int i = 0; i < 32; ++i) square[i] = Times(m, m[i]);
    m = square;
  }
  std::array<Table, 4> t{};
  for (int k = 0; k < 4; ++k) {
    for (uint32_t b = 0; b < 256; ++b) t[k][b] = Times(m, b << (8 * k));
  }
  return t;
}

template <size_t kBytes>
constexpr std::array<Table, 4> kShift = MakeShift(kBytes);

template <size_t kBytes>
uint32_t Shift(uint32_t crc) {
  const auto& t = kShift<kBytes>;
  return t[0][crc & 0xff] ^ t[1][(crc >> 8) & 0xff] ^ t[2][(crc >> 16) & 0xff] ^
         t[3][crc >> 24];
}

// The instruction takes three cycles but one can start every cycle, so three
// streams run side by side and are joined by shifting.
template <size_t kBytes>
__attribute__((target("sse4.2"))) uint64_t ThreeStreams(uint64_t crc,
                                                        const char*& p,
                                                        size_t& n) {
  while (n >= 3 * kBytes) {
    uint64_t b = 0;
    uint64_t c = 0;
    for (size_t i = 0; i < kBytes; i += 8) {
      crc = _mm_crc32_u64(crc, LoadFixed<uint64_t>(p + i));
      b = _mm_crc32_u64(b, LoadFixed<uint64_t>(p + kBytes + i));
      c = _mm_crc32_u64(c, LoadFixed<uint64_t>(p + 2 * kBytes + i));
    }
    crc = Shift<kBytes>(static_cast<uint32_t>(crc)) ^ b;
    crc = Shift<kBytes>(static_cast<uint32_t>(crc)) ^ c;
    p += 3 * kBytes;
    n -= 3 * kBytes;
  }
  return crc;
}

__attribute__((target("sse4.2"))) uint32_t ExtendByInstruction(uint32_t initial,
                                                               const char* p,
                                                               size_t n) {
  uint64_t crc = ~initial;
  crc = ThreeStreams<4096>(crc, p, n);
  crc = ThreeStreams<256>(crc, p, n);
  for (; n >= 8; p += 8, n -= 8) {
    crc = _mm_crc32_u64(crc, LoadFixed<uint64_t>(p));
  }
  for (; n > 0; ++p, --n) {
    crc = _mm_crc32_u8(static_cast<uint32_t>(crc),
                       static_cast<unsigned char>(*p));
  }
  return ~static_cast<uint32_t>(crc);
}

#endif

}  // namespace

uint32_t internal::ExtendByTable(uint32_t initial, const char* p, size_t n) {
  uint32_t crc = ~initial;
  const auto& t = kTables;
  for (; n >= 8; p += 8, n -= 8) {
    const uint64_t word = LoadFixed<uint64_t>(p) ^ crc;
    crc = 0;
    for (int k = 0; k < 8; ++k) crc ^= t[7 - k][(word >> (8 * k)) & 0xff];
  }
  for (; n > 0; ++p, --n) {
    crc = (crc >> 8) ^ t[0][(crc ^ static_cast<unsigned char>(*p)) & 0xff];
  }
  return ~crc;
}

uint32_t Extend(uint32_t crc, const char* data, size_t n) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("sse4.2")) [[likely]] {
    return ExtendByInstruction(crc, data, n);
  }
#endif
  return internal::ExtendByTable(crc, data, n);
}

}  // namespace millrace::crc32c
