#include "millrace/rpc/grpc/slices.h"

#include <grpcpp/support/slice.h>

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "millrace/base/memory/memory_budget.h"

// gRPC's own class, of the version that we build with: a thread has one while
// it is in gRPC's code.
namespace grpc_core {
class ExecCtx {
 public:
  static thread_local ExecCtx* exec_ctx_;
};
}  // namespace grpc_core

namespace millrace {
namespace {

// A buffer that reports when it is freed.
class WatchedBuffer final : public Buffer {
 public:
  WatchedBuffer(std::string* bytes, bool* freed)
      : Buffer(bytes->data(), bytes->size()), freed_(freed) {
    *freed_ = false;
  }
  ~WatchedBuffer() override { *freed_ = true; }

 private:
  bool* const freed_;
};

Ref<Buffer> Watched(std::string* bytes, bool* freed) {
  return MakeRef<WatchedBuffer>(bytes, freed);
}

TEST(SlicesTest, BigChunksAreSharedUntilTheyAreSent) {
  std::string big(100'000, 'b');
  bool freed;
  grpc::ByteBuffer buffer;
  {
    ByteChunks bytes;
    bytes.Append("head");
    bytes.Append(Watched(&big, &freed), big);
    bytes.Append("tail");
    buffer = ToByteBuffer(bytes);
  }
  EXPECT_FALSE(freed);
  EXPECT_EQ(buffer.Length(), 100'008u);
  std::vector<grpc::Slice> slices;
  ASSERT_TRUE(buffer.Dump(&slices).ok());
  ASSERT_EQ(slices.size(), 3u);
  EXPECT_EQ(static_cast<const void*>(slices[1].begin()), big.data());
  slices.clear();
  buffer.Clear();
  EXPECT_TRUE(freed);
}

TEST(SlicesTest, SmallAndBorrowedChunksAreGathered) {
  ByteChunks bytes;
  for (int i = 0; i < 100; ++i) bytes.Append(std::string(50, 'a'));
  const std::string borrowed(10'000, 'b');
  bytes.Append(ByteChunks::Borrow(borrowed));
  const grpc::ByteBuffer buffer = ToByteBuffer(bytes);
  std::vector<grpc::Slice> slices;
  ASSERT_TRUE(buffer.Dump(&slices).ok());
  ASSERT_EQ(slices.size(), 1u);
  EXPECT_EQ(slices[0].size(), 15'000u);
  EXPECT_EQ(ToByteBuffer(ByteChunks()).Length(), 0u);
}

// Memory that returns to a quota wakes those that wait for it, which crashes on
// a thread that is not in gRPC's code.
TEST(SlicesTest, ReceivedSlicesAreGivenBackWithinGrpc) {
  std::string first(100'000, 'b'), second(100, 'c');
  std::vector<bool> within;
  const auto give_back = [](void* seen) {
    static_cast<std::vector<bool>*>(seen)->push_back(
        grpc_core::ExecCtx::exec_ctx_ != nullptr);
  };
  std::vector<grpc::Slice> slices;
  for (std::string* const s : {&first, &second}) {
    slices.emplace_back(s->data(), s->size(), +give_back, &within);
  }
  grpc::ByteBuffer buffer(slices.data(), slices.size());
  slices.clear();
  StatusOr<ByteChunks> bytes = TakeBytes(&buffer);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  EXPECT_TRUE(within.empty());
  bytes = ByteChunks();
  EXPECT_EQ(within, std::vector<bool>({true, true}));
}

TEST(SlicesTest, ReceivedChunksKeepTheirSlices) {
  const std::string big(200'000, 'b');
  const std::string small = "x";  // is stored inside its slice object
  std::vector<grpc::Slice> slices = {grpc::Slice(small), grpc::Slice(big)};
  grpc::ByteBuffer buffer(slices.data(), slices.size());
  slices.clear();
  MemoryBudget& budget = MemoryBudget::Process();
  const int64_t before = budget.used();
  StatusOr<ByteChunks> bytes = TakeBytes(&buffer);
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(buffer.Length(), 0u);
  EXPECT_EQ(bytes->Flatten(), small + big);
  EXPECT_EQ(budget.used() - before, 200'001);
  const Chunk kept = bytes->chunks()[0];
  *bytes = {};
  EXPECT_EQ(kept.bytes, "x");
  EXPECT_EQ(budget.used() - before, 200'001);
}

TEST(SlicesTest, MessagesAboveTheBudgetAreRefused) {
  const std::string big(200'000, 'b');
  const grpc::Slice slice(big);
  grpc::ByteBuffer buffer(&slice, 1);
  MemoryBudget& budget = MemoryBudget::Process();
  const int64_t limit = budget.limit();
  budget.set_limit(budget.used() + 1000);
  const Status status = TakeBytes(&buffer).status();
  budget.set_limit(limit);
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace millrace
