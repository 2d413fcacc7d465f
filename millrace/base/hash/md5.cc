#include "millrace/base/hash/md5.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "absl/strings/escaping.h"

namespace millrace {
namespace {

constexpr size_t kBlockBytes = 64;
constexpr int kShifts[4][4] = {
    {7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

// RFC 1321: step i adds the first 32 bits of the fraction of |sin(i + 1)|.
uint32_t SineBits(int i) {
  return static_cast<uint32_t>(
      static_cast<uint64_t>(std::abs(std::sin(i + 1.0)) * 4294967296.0));
}

uint32_t WordAt(absl::string_view bytes, size_t at) {
  uint32_t word = 0;
  for (size_t i = 0; i < 4; ++i) {
    word |= static_cast<uint32_t>(static_cast<uint8_t>(bytes[at + i]))
            << (8 * i);
  }
  return word;
}

void AddBlock(absl::string_view block, std::array<uint32_t, 4>* state) {
  auto [a, b, c, d] = *state;
  for (int i = 0; i < 64; ++i) {
    uint32_t mix = 0;
    int word = 0;
    switch (i / 16) {
      case 0:
        mix = (b & c) | (~b & d);
        word = i;
        break;
      case 1:
        mix = (d & b) | (~d & c);
        word = (5 * i + 1) % 16;
        break;
      case 2:
        mix = b ^ c ^ d;
        word = (3 * i + 5) % 16;
        break;
      default:
        mix = c ^ (b | ~d);
        word = (7 * i) % 16;
    }
    const uint32_t sum =
        a + mix + SineBits(i) + WordAt(block, 4 * static_cast<size_t>(word));
    a = d;
    d = c;
    c = b;
    b += std::rotl(sum, kShifts[i / 16][i % 4]);
  }
  (*state)[0] += a;
  (*state)[1] += b;
  (*state)[2] += c;
  (*state)[3] += d;
}

std::string LittleEndian(uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) {
    text.push_back(static_cast<char>(value >> (8 * i)));
  }
  return text;
}

}  // namespace

std::string Md5Hex(absl::string_view text) {
  std::string padded(text);
  padded.push_back(static_cast<char>(0x80));
  while (padded.size() % kBlockBytes != kBlockBytes - 8) padded.push_back('\0');
  padded += LittleEndian(8 * static_cast<uint64_t>(text.size()), 8);
  std::array<uint32_t, 4> state = {0x67452301, 0xefcdab89, 0x98badcfe,
                                   0x10325476};
  for (size_t at = 0; at < padded.size(); at += kBlockBytes) {
    AddBlock(absl::string_view(padded).substr(at, kBlockBytes), &state);
  }
  std::string digest;
  for (const uint32_t word : state) digest += LittleEndian(word, 4);
  return absl::BytesToHexString(digest);
}

}  // namespace millrace
