// Tests when a message and its tensor share their bytes.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "millrace/tensor/wire.h"

namespace millrace {
namespace {

TEST(WireSharing, LongStringsGoByReferenceAndComeBackAsViews) {
  const Tensor t = Tensor::Vector<std::string>(
      {std::string(5000, 'x'), "", std::string(3000, 'y')});
  for (StringForm form : {StringForm::kValues, StringForm::kContent}) {
    StatusOr<ByteChunks> chunks = EncodeTensor(t, form);
    ASSERT_TRUE(chunks.ok());
    EXPECT_TRUE(std::any_of(
        chunks->chunks().begin(), chunks->chunks().end(),
        [&](const Chunk& c) { return c.owner.get() == t.buffer(); }));
    ByteChunks one(chunks->Flatten());
    StatusOr<Tensor> back = DecodeTensor(ChunkReader(one), HostAllocator());
    ASSERT_TRUE(back.ok()) << back.status();
    const char* first = back->flat<StringElement>()[0].data();
    const absl::string_view bytes = one.chunks()[0].bytes;
    EXPECT_EQ(first >= bytes.data() && first < bytes.data() + bytes.size(),
              form == StringForm::kContent);
    one = ByteChunks();
    EXPECT_TRUE(IdenticalTensors(*back, t));
  }
}

TEST(WireSharing, ShortStringsDoNotKeepTheirMessage) {
  const Tensor t = Tensor::Vector<std::string>(
      std::vector<std::string>(3000, std::string(15, 'x')));
  for (StringForm form : {StringForm::kValues, StringForm::kContent}) {
    const ByteChunks one(EncodeTensor(t, form)->Flatten());
    const Buffer* const message = one.chunks()[0].owner.get();
    StatusOr<Tensor> back = DecodeTensor(ChunkReader(one), HostAllocator());
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_TRUE(message->IsUnique());
    EXPECT_EQ(back->buffer()->size_bytes(), 3000 * sizeof(StringElement));
    EXPECT_TRUE(IdenticalTensors(*back, t));
  }
}

TEST(WireSharing, StringsOfAllLengthsComeFromAnyChunks) {
  std::vector<std::string> texts;
  for (size_t n = 0; n < 40; ++n) texts.emplace_back(n, 'a');
  const Tensor t = Tensor::Vector<std::string>(texts);
  for (StringForm form : {StringForm::kValues, StringForm::kContent}) {
    const std::string bytes = EncodeTensor(t, form)->Flatten();
    for (size_t step = 1; step < 60; ++step) {
      ByteChunks chunks;
      for (size_t at = 0; at < bytes.size(); at += step) {
        chunks.Append(bytes.substr(at, step));
      }
      StatusOr<Tensor> back =
          DecodeTensor(ChunkReader(chunks), HostAllocator());
      ASSERT_TRUE(back.ok()) << back.status();
      EXPECT_TRUE(IdenticalTensors(*back, t));
    }
  }
}

// Returns a message whose content begins `offset` bytes into an aligned buffer.
ByteChunks MessageAt(size_t offset, size_t content_bytes, size_t owner_bytes) {
  Ref<Buffer> buffer = *HostAllocator()->Allocate(owner_bytes);
  char* at = buffer->data() + offset;
  std::memset(at, 1, content_bytes);
  ChunkWriter head;
  head.VarintField(1, 1);
  head.BytesHeader(2, 2 + 1 + VarintSize(content_bytes / 4));
  head.BytesHeader(2, 1 + VarintSize(content_bytes / 4));
  head.VarintField(1, content_bytes / 4);
  head.BytesHeader(4, content_bytes);
  ByteChunks message = std::move(head).Finish();
  message.Append(buffer, absl::string_view(at, content_bytes));
  return message;
}

bool Aliases(const ByteChunks& message) {
  StatusOr<Tensor> t = DecodeTensor(ChunkReader(message), HostAllocator());
  EXPECT_TRUE(t.ok()) << t.status();
  EXPECT_EQ(t->flat<float>().back(), t->flat<float>().front());
  return t->data() == message.chunks()[1].bytes.data();
}

TEST(WireSharing, AlignedContentsAreAliased) {
  EXPECT_TRUE(Aliases(MessageAt(0, 4096, 8192)));
  EXPECT_TRUE(Aliases(MessageAt(4, 4096, 8192)));
  EXPECT_FALSE(Aliases(MessageAt(3, 4096, 8192)));  // misaligned
  EXPECT_FALSE(Aliases(MessageAt(0, 512, 1024)));   // small
  EXPECT_FALSE(
      Aliases(MessageAt(0, 4096, 1 << 20)));  // would pin a large owner
  const std::string bytes = MessageAt(0, 4096, 8192).Flatten();
  StatusOr<Tensor> t = DecodeTensor(bytes, HostAllocator());  // borrowed
  ASSERT_TRUE(t.ok());
  EXPECT_FALSE(t->data() >= bytes.data() &&
               t->data() < bytes.data() + bytes.size());
}

TEST(WireSharing, BigContentsArePassedByReference) {
  const Tensor t = Tensor::Zeros(DataType::kFloat, {1000});
  StatusOr<ByteChunks> chunks = EncodeTensor(t);
  ASSERT_TRUE(chunks.ok());
  ASSERT_EQ(chunks->chunks().size(), 2u);
  EXPECT_EQ(chunks->chunks()[1].bytes.data(), t.data());
  EXPECT_FALSE(t.IsUnshared());
  *chunks = ByteChunks();
  EXPECT_TRUE(t.IsUnshared());
}

}  // namespace
}  // namespace millrace
