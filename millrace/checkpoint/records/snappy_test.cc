#include "millrace/checkpoint/records/snappy.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "millrace/base/random.h"

namespace millrace {
namespace {

std::vector<std::string> Texts() {
  Rng rng(3);
  std::string noise(200'000, '\0');
  for (char& c : noise) c = static_cast<char>(rng());
  std::string words;
  while (words.size() < 300'000) {
    words += "word" + std::to_string(rng.Uniform(50)) + " ";
  }
  return {"",
          "a",
          "abcd",
          std::string(59, 'x') + "y",
          std::string(100'000, 'z'),
          noise.substr(0, 60),
          noise.substr(0, 61),
          noise.substr(0, 300),
          noise,
          words,
          words + noise + words};
}

TEST(SnappyTest, RoundTrips) {
  for (const std::string& text : Texts()) {
    const StatusOr<std::string> back = SnappyDecompress(SnappyCompress(text));
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_TRUE(*back == text) << "of " << text.size() << " bytes";
  }
}

TEST(SnappyTest, MakesRepeatedBytesSmall) {
  EXPECT_LT(SnappyCompress(std::string(100'000, 'z')).size(), 5'000u);
  EXPECT_LT(SnappyCompress(std::string(200'000, '\0')).size(), 10'000u);
}

// What another writer may use: copies with an offset of 11, 16 and 32 bits,
// such as run into what they make.
TEST(SnappyTest, ReadsEveryTag) {
  const auto read = [](std::string bytes) {
    const StatusOr<std::string> text = SnappyDecompress(bytes);
    return text.ok() ? *text : text.status().ToString();
  };
  EXPECT_EQ(read({"\x08\x04"
                  "ab\x09\x02",
                  6}),
            "abababab");
  EXPECT_EQ(read({"\x05\x04"
                  "ab\x0a\x01\x00",
                  7}),
            "abbbb");
  EXPECT_EQ(read({"\x05\x04"
                  "ab\x0b\x02\x00\x00\x00",
                  9}),
            "ababa");
  EXPECT_EQ(read({"\x03\xf0\x02"
                  "abc",
                  6}),
            "abc");
}

TEST(SnappyTest, RefusesWhatIsNotCompressed) {
  for (const std::string& bytes : std::vector<std::string>{
           "",                      // no size
           "\xff\xff\xff\xff\x0f",  // a size without bytes
           {"\x04\x0c", 2},         // a literal that is not there
           {"\x02\x0c"
            "abcd",
            6},  // longer than its size
           {"\x05\x0c"
            "abcd",
            6},  // shorter
           {"\x08\x04"
            "ab\x09\x03",
            6},  // from before the first byte
           {"\x08\x04"
            "ab\x09\x00",
            6},  // from itself
           {"\x08\x04"
            "ab\x0a\x01",
            6},  // half a tag
       }) {
    EXPECT_EQ(SnappyDecompress(bytes).status().code(), StatusCode::kDataLoss);
  }
}

TEST(SnappyTest, DamagedBytesDoNoHarm) {
  const std::string good = SnappyCompress(Texts().back().substr(0, 5'000));
  Rng rng(5);
  for (int i = 0; i < 2'000; ++i) {
    std::string bad = good;
    bad[rng.Uniform(bad.size())] = static_cast<char>(rng());
    bad.resize(bad.size() - rng.Uniform(3));
    (void)SnappyDecompress(bad).status();
  }
}

}  // namespace
}  // namespace millrace
