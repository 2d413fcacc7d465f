#include "millrace/base/memory/non_temporal.h"

#include <gtest/gtest.h>

#include <string>

namespace millrace {
namespace {

TEST(NonTemporalTest, CopiesAnyPlaceAndLength) {
  std::string from;
  for (int i = 0; i < 400; ++i) from.push_back(static_cast<char>(i));
  for (size_t at : {0, 1, 15, 63, 64}) {
    for (size_t bytes : {0, 1, 63, 64, 65, 127, 128, 300}) {
      std::string to(400, 'x'), expected = to;
      expected.replace(at, bytes, from, 3, bytes);
      NonTemporalCopy(from.data() + 3, to.data() + at, bytes);
      NonTemporalFence();
      EXPECT_EQ(to, expected) << at << ", " << bytes;
    }
  }
}

TEST(NonTemporalTest, SizesAsLinuxSaysThem) {
  EXPECT_EQ(CacheBytesOf("32768K\n"), size_t{32} << 20);
  EXPECT_EQ(CacheBytesOf("96M"), size_t{96} << 20);
  EXPECT_EQ(CacheBytesOf("512"), 512u);
  for (const char* text : {"", "K", "-1K", "12X", "4294967296K"}) {
    EXPECT_EQ(CacheBytesOf(text), 0u) << text;
  }
}

TEST(NonTemporalTest, PaysForWhatIsLarge) {
  for (const WaitsFor what : {WaitsFor::kMemory, WaitsFor::kComputing}) {
    EXPECT_FALSE(IsNonTemporalFaster(size_t{64} << 10, what));
    EXPECT_TRUE(IsNonTemporalFaster(size_t{64} << 30, what));
  }
}

TEST(NonTemporalTest, PaysSoonerForWhatOnlyMoves) {
  size_t from[2] = {};  // the least power of two that pays
  for (const WaitsFor what : {WaitsFor::kMemory, WaitsFor::kComputing}) {
    size_t& bytes = from[what == WaitsFor::kComputing];
    for (bytes = 1; !IsNonTemporalFaster(bytes, what);) bytes *= 2;
  }
  EXPECT_EQ(from[1], 2 * from[0]);
}

}  // namespace
}  // namespace millrace
