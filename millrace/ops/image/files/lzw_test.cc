#include "millrace/ops/image/files/lzw.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "millrace/base/random.h"

namespace millrace::ops {
namespace {

// A simple LZW encoder with a growing table; `clears` says whether a full table
// is cleared or kept.
std::string Compress(const std::string& pixels, int root_bits, bool clears) {
  const int clear = 1 << root_bits;
  std::map<std::string, int> table;
  int next = 0, bits = 0;
  uint64_t buffer = 0;
  int used = 0;
  std::string data;
  const auto put = [&](int code) {
    buffer |= static_cast<uint64_t>(code) << used;
    for (used += bits; used >= 8; used -= 8, buffer >>= 8) {
      data += static_cast<char>(buffer);
    }
  };
  const auto reset = [&] {
    table.clear();
    for (int i = 0; i < clear; ++i) table[std::string(1, char(i))] = i;
    next = clear + 2;
    bits = root_bits + 1;
  };
  reset();
  put(clear);
  std::string word;
  for (const char c : pixels) {
    if (table.count(word + c) != 0) {
      word += c;
      continue;
    }
    put(table[word]);
    if (next < 4096) {
      table[word + c] = next++;
      // The decoder is one entry behind.
      if (next - 1 == 1 << bits && bits < 12) ++bits;
    } else if (clears) {
      put(clear);
      reset();
    }
    word = c;
  }
  if (!word.empty()) put(table[word]);
  // The last code may have filled the decoder's table.
  if (next == 1 << bits && bits < 12) ++bits;
  put(clear + 1);
  if (used > 0) data += static_cast<char>(buffer);
  std::string out(1, static_cast<char>(root_bits));
  for (size_t i = 0; i < data.size(); i += 255) {
    const std::string block = data.substr(i, 255);
    out += static_cast<char>(block.size()) + block;
  }
  return out + '\0';
}

std::string Pixels(int root_bits, size_t count, uint64_t seed) {
  Rng random(seed);
  std::string out;
  while (out.size() < count) {
    // Appends runs, or noise.
    const auto value = static_cast<char>(random.Uniform(1u << root_bits));
    out.append(1 + random.Uniform(random.Uniform(3) == 0 ? 300 : 2), value);
  }
  out.resize(count);
  return out;
}

TEST(LzwTest, ReadsWhatWasWrittenInPiecesOfAnySize) {
  for (const int root_bits : {2, 3, 5, 8}) {
    for (const bool clears : {true, false}) {
      const std::string pixels = Pixels(root_bits, 30000, 7);
      const std::string data = Compress(pixels, root_bits, clears) + "rest";
      for (const size_t piece : {size_t{1}, size_t{97}, pixels.size()}) {
        LzwReader reader;
        ASSERT_TRUE(reader.Start(data).ok());
        std::string got;
        std::vector<uint8_t> row(piece);
        while (got.size() < pixels.size()) {
          const size_t n = std::min(piece, pixels.size() - got.size());
          ASSERT_TRUE(reader.Read(row.data(), static_cast<int64_t>(n)).ok());
          got.append(reinterpret_cast<char*>(row.data()), n);
        }
        EXPECT_EQ(got, pixels) << root_bits << " " << piece;
        EXPECT_EQ(reader.Finish().value(), "rest");
      }
    }
  }
}

TEST(LzwTest, EndsOfDataAreErrors) {
  const std::string pixels = Pixels(4, 500, 3);
  const std::string data = Compress(pixels, 4, true);
  LzwReader reader;
  ASSERT_TRUE(reader.Start(data).ok());
  const Status more = reader.Read(nullptr, 501);
  EXPECT_EQ(more.message(), "Image EOF detected before image complete");
  for (size_t size = 1; size < data.size(); ++size) {
    const std::string begin = data.substr(0, size);
    ASSERT_TRUE(reader.Start(begin).ok());
    const Status read = reader.Read(nullptr, 500);
    EXPECT_FALSE(read.ok() && reader.Finish().ok()) << size;
  }
  EXPECT_FALSE(reader.Start("").ok());
  EXPECT_FALSE(reader.Start("\x09").ok());
}

TEST(LzwTest, CodesWithoutMeaningAreErrors) {
  LzwReader reader;
  // Clear, pixel 1, then code 7, although the next code would be 6.
  const std::string missing("\x02\x02\xcc\x01\0", 5);
  ASSERT_TRUE(reader.Start(missing).ok());
  EXPECT_EQ(reader.Read(nullptr, 9).message(),
            "Image is defective, decoding aborted");
  // The first code must be a pixel.
  const std::string no_pixel("\x02\x01\x34\0", 4);
  ASSERT_TRUE(reader.Start(no_pixel).ok());
  EXPECT_FALSE(reader.Read(nullptr, 9).ok());
}

TEST(LzwTest, AnyBytesEnd) {
  Rng random(11);
  for (int round = 0; round < 300; ++round) {
    std::string data(1, static_cast<char>(random.Uniform(9)));
    for (uint64_t i = random.Uniform(600); i > 0; --i) {
      data += static_cast<char>(random.Uniform(256));
    }
    LzwReader reader;
    ASSERT_TRUE(reader.Start(data).ok());
    std::vector<uint8_t> row(1000);
    Status status;
    for (int i = 0; i < 3000 && status.ok(); ++i) {
      status = reader.Read(row.data(), 1000);
    }
    EXPECT_FALSE(status.ok());
  }
}

}  // namespace
}  // namespace millrace::ops
