#include "millrace/rpc/grpc/inflate.h"

#include <zlib.h>

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "millrace/base/memory/memory_budget.h"

namespace millrace {
namespace {

std::string Compressed(const std::string& bytes,
                       grpc_compression_algorithm algorithm) {
  z_stream z{};
  const int gzip = algorithm == GRPC_COMPRESS_GZIP ? 16 : 0;
  EXPECT_EQ(
      deflateInit2(&z, 6, Z_DEFLATED, MAX_WBITS + gzip, 8, Z_DEFAULT_STRATEGY),
      Z_OK);
  std::string out(deflateBound(&z, bytes.size()), '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  z.avail_in = static_cast<uInt>(bytes.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&z, Z_FINISH), Z_STREAM_END);
  out.resize(z.total_out);
  deflateEnd(&z);
  return out;
}

// A buffer of slices of 1000 bytes.
grpc::ByteBuffer Sliced(const std::string& bytes) {
  std::vector<grpc::Slice> slices;
  for (size_t i = 0; i < bytes.size(); i += 1000) {
    slices.emplace_back(bytes.substr(i, 1000));
  }
  return grpc::ByteBuffer(slices.data(), slices.size());
}

class InflateTest
    : public ::testing::TestWithParam<grpc_compression_algorithm> {};
INSTANTIATE_TEST_SUITE_P(, InflateTest,
                         ::testing::Values(GRPC_COMPRESS_DEFLATE,
                                           GRPC_COMPRESS_GZIP));

TEST_P(InflateTest, MessagesComeBack) {
  for (const size_t size : {size_t{0}, size_t{1}, size_t{64} << 10,
                            (size_t{64} << 10) + 1, size_t{3'000'000}}) {
    std::string message(size, '\0');
    for (size_t i = 0; i < size; ++i) {
      message[i] = static_cast<char>(i * i / 1000);
    }
    grpc::ByteBuffer buffer = Sliced(Compressed(message, GetParam()));
    StatusOr<ByteChunks> inflated = Inflate(&buffer, GetParam());
    ASSERT_TRUE(inflated.ok()) << inflated.status();
    EXPECT_EQ(inflated->Flatten(), message);
    EXPECT_EQ(buffer.Length(), 0u);
  }
}

TEST_P(InflateTest, WhatIsNotOfTheAlgorithmIsRefused) {
  const std::string whole = Compressed(std::string(10'000, 'a'), GetParam());
  std::string changed = whole;
  changed[1] = '\0';
  for (const std::string& bytes :
       {std::string("no"), whole.substr(0, whole.size() / 2), whole + "more",
        changed}) {
    grpc::ByteBuffer buffer = Sliced(bytes);
    EXPECT_EQ(Inflate(&buffer, GetParam()).status().code(),
              StatusCode::kDataLoss);
  }
}

TEST_P(InflateTest, AMessageTakesNoMoreThanThereIs) {
  const std::string bomb =
      Compressed(std::string(size_t{64} << 20, '\0'), GetParam());
  ASSERT_LT(bomb.size(), 100'000u);
  MemoryBudget& budget = MemoryBudget::Process();
  const int64_t limit = budget.limit();
  const int64_t before = budget.used();
  budget.set_limit(before + (16 << 20));
  grpc::ByteBuffer buffer = Sliced(bomb);
  EXPECT_EQ(Inflate(&buffer, GetParam()).status().code(),
            StatusCode::kResourceExhausted);
  budget.set_limit(limit);
}

}  // namespace
}  // namespace millrace
