#include "millrace/base/hash/siphash.h"

#include <gtest/gtest.h>

namespace millrace {
namespace {

// The first entries of the authors' list: the key is 00 01 ... 0f, the texts
// are empty, 00, 00 01, ...
TEST(SipHashTest, TheAuthorsExamples) {
  const SipKey key = {0x0706050403020100, 0x0f0e0d0c0b0a0908};
  const uint64_t expected[] = {
      0x726fdb47dd0e0e31, 0x74f839c593dc67fd, 0x0d6c8009d9a94f5a,
      0x85676696d7fb7e2d, 0xcf2794e0277187b7, 0x18765564cd99a68d,
      0xcbc9466e58fee3ce, 0xab0200f58b01d137, 0x93f5f5799a932462};
  const char text[] = {0, 1, 2, 3, 4, 5, 6, 7};
  for (size_t n = 0; n <= sizeof(text); ++n) {
    EXPECT_EQ(SipHash(key, {text, n}), expected[n]) << n;
  }
  EXPECT_NE(SipHash({key[1], key[0]}, ""), expected[0]);
}

}  // namespace
}  // namespace millrace
