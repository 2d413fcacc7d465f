// Tests of the small tools for numbers, bytes and words.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "millrace/base/coding.h"
#include "millrace/base/edit_distance.h"
#include "millrace/base/hash/crc32c.h"
#include "millrace/base/memory/checked_size.h"
#include "millrace/base/memory/memory_budget.h"
#include "millrace/base/random.h"
#include "millrace/base/sim/sim.h"

namespace millrace {
namespace {

// Known answers of the paper's reference implementation (Random123).
TEST(PhiloxTest, KnownAnswers) {
  using R = Philox4x32::Result;
  EXPECT_EQ(Philox4x32()(),
            (R{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr uint32_t kOnes = 0xffffffff;
  EXPECT_EQ(Philox4x32(R{kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes})(),
            (R{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(Philox4x32(R{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                       {0xa4093822, 0x299f31d0})(),
            (R{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(PhiloxTest, SkipEqualsCalls) {
  Philox4x32 a(12, 34);
  Philox4x32 b(12, 34);
  for (int i = 0; i < 1000; ++i) a();
  b.Skip(1000);
  EXPECT_EQ(a(), b());
  Philox4x32 edge({0xffffffff, 0xffffffff, 0xffffffff, 5}, {1, 2});
  edge.Skip(1);
  EXPECT_EQ(edge.counter(), (Philox4x32::Result{0, 0, 0, 6}));
  const Philox4x32 seeded(0x1111111122222222, 0x3333333344444444);
  EXPECT_EQ(seeded.key(), (std::array<uint32_t, 2>{0x22222222, 0x11111111}));
  EXPECT_EQ(seeded.counter(),
            (Philox4x32::Result{0, 0, 0x44444444, 0x33333333}));
}

TEST(RandomTest, EntropyAndSeeds) {
  EXPECT_NE(RandomUint64(), RandomUint64());
  uint64_t first = 0;
  uint64_t second = 0;
  SimWorld({.seed = 9}).Run([&] { first = RandomUint64(); });
  SimWorld({.seed = 9}).Run([&] { second = RandomUint64(); });
  EXPECT_EQ(first, second);
  Rng rng(0);
  EXPECT_EQ(rng(), 0xE220A8397B1DCDAF);  // the reference's first number
  for (int i = 0; i < 1000; ++i) {
    EXPECT_LT(rng.Uniform(7), 7u);
    const double d = rng.Double();
    EXPECT_TRUE(d >= 0 && d < 1);
  }
}

TEST(Crc32cTest, KnownAnswers) {
  EXPECT_EQ(crc32c::Value("123456789"), 0xe3069283u);
  EXPECT_EQ(crc32c::Value(std::string(32, '\0')), 0x8a9136aau);  // RFC 3720
  EXPECT_EQ(crc32c::Value(std::string(32, '\xff')), 0x62a8ab43u);
  EXPECT_EQ(crc32c::Value(""), 0u);
  const uint32_t crc = crc32c::Value("foo");
  EXPECT_NE(crc, crc32c::Mask(crc));
  EXPECT_EQ(crc32c::Mask(0), 0xa282ead8u);
}

TEST(Crc32cTest, AllPathsAgree) {
  Rng rng(1);
  std::string data(50'000, '\0');
  for (char& c : data) c = static_cast<char>(rng());
  for (const size_t n :
       {0, 1, 7, 8, 9, 767, 768, 769, 5000, 12'288, 12'289, 37'001, 49'990}) {
    for (const size_t offset : {0, 1, 5}) {
      const char* p = data.data() + offset;
      const uint32_t whole = crc32c::Value(p, n);
      EXPECT_EQ(whole, crc32c::internal::ExtendByTable(0, p, n)) << n;
      EXPECT_EQ(whole,
                crc32c::Extend(crc32c::Value(p, n / 3), p + n / 3, n - n / 3));
    }
  }
}

TEST(CheckedSizeTest, Saturates) {
  constexpr int64_t kMax = INT64_MAX;
  EXPECT_EQ((CheckedSize(3) * 4 + 5).value(), 17);
  EXPECT_EQ(*CheckedSize(6).Mul(7).Add(0).Get(), 42);
  EXPECT_FALSE((CheckedSize(kMax) + 1).ok());
  EXPECT_FALSE((CheckedSize(kMax / 2) * 3 * 0).ok()) << "once bad, always bad";
  EXPECT_FALSE(CheckedSize(-1).ok());
  EXPECT_FALSE((CheckedSize(1) - 2 + 5).ok());
  EXPECT_EQ(CheckedSize(-1).Get("bytes").status().code(),
            StatusCode::kInvalidArgument);
}

TEST(CodingTest, RoundTrips) {
  std::string out;
  const std::vector<uint64_t> values = {
      0, 1, 127, 128, 300, 1u << 31, UINT32_MAX, uint64_t{1} << 63, UINT64_MAX};
  for (const uint64_t v : values) PutVarint64(&out, v);
  EXPECT_EQ(out.size(), 1u + 1 + 1 + 2 + 2 + 5 + 5 + 10 + 10);
  PutFixed32(&out, 0x01020304);
  PutFixed64(&out, 42);
  PutLengthPrefixed(&out, "text");
  absl::string_view in = out;
  for (const uint64_t v : values) {
    uint64_t got = 0;
    ASSERT_TRUE(GetVarint64(&in, &got));
    EXPECT_EQ(got, v);
  }
  EXPECT_EQ(in[0], 4) << "little endian";
  uint32_t a = 0;
  uint64_t b = 0;
  absl::string_view text;
  EXPECT_TRUE(GetFixed32(&in, &a) && GetFixed64(&in, &b) &&
              GetLengthPrefixed(&in, &text));
  EXPECT_EQ(a, 0x01020304u);
  EXPECT_EQ(b, 42u);
  EXPECT_EQ(text, "text");
  EXPECT_TRUE(in.empty());
}

TEST(CodingTest, RefusesWhatIsCutOrTooBig) {
  uint32_t v32 = 0;
  uint64_t v64 = 0;
  absl::string_view text;
  for (const std::string& bad :
       {std::string(""), std::string("\x80"), std::string(11, '\xff'),
        std::string("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02")}) {
    absl::string_view in = bad;
    EXPECT_FALSE(GetVarint64(&in, &v64));
    EXPECT_EQ(in.size(), bad.size());
  }
  std::string big;
  PutVarint64(&big, uint64_t{UINT32_MAX} + 1);
  absl::string_view in = big;
  EXPECT_FALSE(GetVarint32(&in, &v32));
  in = "abc";
  EXPECT_FALSE(GetFixed32(&in, &v32));
  EXPECT_FALSE(GetFixed64(&in, &v64));
  in = "\x05text";
  EXPECT_FALSE(GetLengthPrefixed(&in, &text));
  EXPECT_EQ(in.size(), 5u);
}

TEST(EditDistanceTest, Distances) {
  EXPECT_EQ(EditDistance("", "abc", 9), 3);
  EXPECT_EQ(EditDistance("kitten", "sitting", 9), 3);
  EXPECT_EQ(EditDistance("ab", "ba", 9), 1);
  EXPECT_EQ(EditDistance("MatMul", "MatMul", 9), 0);
  EXPECT_EQ(EditDistance("abcdef", "uvwxyz", 2), 3);
}

TEST(EditDistanceTest, NearestWord) {
  const std::vector<absl::string_view> ops = {"MatMul", "MaxPool", "Mul"};
  EXPECT_EQ(NearestWord("Matmull", ops), "MatMul");
  EXPECT_EQ(NearestWord("maxpool", ops), "MaxPool");
  EXPECT_EQ(NearestWord("Softmax", ops), "");
  const std::vector<std::string> flags = {"--bind", "--port_file"};
  EXPECT_EQ(NearestWord("--port-file", flags), "--port_file");
}

TEST(MemoryBudgetTest, CountsAndRefuses) {
  MemoryBudget budget(100);
  EXPECT_TRUE(budget.Reserve(60).ok());
  EXPECT_FALSE(budget.TryReserve(41));
  const Status refused = budget.Reserve(50, "node x");
  EXPECT_EQ(refused.code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(refused.message(),
            "Out of the memory budget for node x: 50 bytes wanted, 60 of 100 "
            "in use");
  EXPECT_FALSE(budget.TryReserve(INT64_MAX));
  budget.ReserveAlways(100);
  EXPECT_FALSE(budget.TryReserve(0));
  budget.Release(160);
  EXPECT_EQ(budget.used(), 0);
  EXPECT_EQ(budget.peak(), 160);
  EXPECT_GT(MemoryBudget::Process().limit(), 0);
}

TEST(SaturatingAdd, StopsAtTheEnds) {
  constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();
  constexpr int64_t kHighest = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(SaturatingAdd(2, -5), -3);
  EXPECT_EQ(SaturatingAdd(kHighest, kLowest), -1);
  EXPECT_EQ(SaturatingAdd(kHighest, 1), kHighest);
  EXPECT_EQ(SaturatingAdd(kLowest, -1), kLowest);
}

}  // namespace
}  // namespace millrace
