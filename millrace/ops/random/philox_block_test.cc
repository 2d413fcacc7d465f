#include "millrace/ops/random/philox_block.h"

#include "gtest/gtest.h"

namespace millrace::ops {
namespace {

// Blocks have the words of single results, also where counters carry.
TEST(PhiloxBlock, HasTheWordsOfSingleResults) {
  constexpr uint64_t kCarry = uint64_t{1} << 32;
  for (const uint64_t skip :
       {uint64_t{0}, uint64_t{17}, kCarry - kPhiloxBlock - 1,
        kCarry - kPhiloxBlock, kCarry - 3, kCarry, 5 * kCarry - 1}) {
    Philox4x32 blocks(0x123456789abcdef, 0xfedcba987654321);
    blocks.Skip(skip);
    Philox4x32 single = blocks;
    for (int block = 0; block < 3; ++block) {
      uint32_t words[4 * kPhiloxBlock];
      PhiloxBlock(&blocks, words);
      for (int i = 0; i < kPhiloxBlock; ++i) {
        const Philox4x32::Result r = single();
        for (int j = 0; j < 4; ++j) {
          ASSERT_EQ(words[4 * i + j], r[j]) << skip << " " << i;
        }
      }
      EXPECT_EQ(blocks.counter(), single.counter());
    }
  }
}

}  // namespace
}  // namespace millrace::ops
