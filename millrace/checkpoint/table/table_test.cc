#include <map>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "millrace/base/coding.h"
#include "millrace/base/files/memory_files.h"
#include "millrace/base/hash/crc32c.h"
#include "millrace/base/memory/memory_budget.h"
#include "millrace/base/random.h"
#include "millrace/checkpoint/table/table_builder.h"
#include "millrace/checkpoint/table/table_reader.h"

namespace millrace {
namespace {

constexpr char kTablePath[] = "/table";

std::string Build(const std::map<std::string, std::string>& entries,
                  TableOptions options = {}) {
  MemoryFiles files;
  auto file = *files.NewWritableFile(kTablePath);
  TableBuilder builder(file.get(), options);
  for (const auto& [key, value] : entries)
    EXPECT_TRUE(builder.Add(key, value).ok());
  EXPECT_TRUE(builder.Finish().ok());
  EXPECT_TRUE(file->Close().ok());
  EXPECT_EQ(builder.size_bytes(), *files.GetSize(kTablePath));
  return *ReadFileToString(&files, kTablePath);
}

StatusOr<std::unique_ptr<Table>> OpenBytes(MemoryFiles* files,
                                           const std::string& bytes) {
  EXPECT_TRUE(WriteStringToFile(files, kTablePath, bytes).ok());
  return Table::Open(*files->NewRandomAccessFile(kTablePath));
}

// Returns everything in the table, or the first error.
StatusOr<std::map<std::string, std::string>> ReadAll(const std::string& bytes) {
  MemoryFiles files;
  MR_ASSIGN_OR_RETURN(auto table, OpenBytes(&files, bytes));
  std::map<std::string, std::string> entries;
  auto it = table->NewIterator();
  for (it.SeekToFirst(); it.valid(); it.Next())
    entries.emplace(it.key(), it.value());
  MR_RETURN_IF_ERROR(it.status());
  return entries;
}

std::map<std::string, std::string> Sample(int n) {
  std::map<std::string, std::string> entries = {{"", "header"}};
  Rng rng(7);
  for (int i = 0; i < n; ++i) {
    std::string key =
        absl::StrCat("layer", rng.Uniform(50), "/weights/", rng());
    if (i % 5 == 0) key.insert(0, 1, '\0');
    entries[key] = std::string(rng.Uniform(90), static_cast<char>(rng()));
  }
  return entries;
}

TEST(Table, EmptyTable) {
  const std::string bytes = Build({});
  // Metaindex and index blocks of one restart point each, and the footer.
  EXPECT_EQ(bytes.size(), 2 * (8 + kBlockTrailerBytes) + kTableFooterBytes);
  EXPECT_TRUE(ReadAll(bytes)->empty());
}

TEST(Table, KnownBytes) {
  const std::string bytes = Build({{"", "h"}, {"ab", "1"}, {"ac", "22"}});
  const std::string block(
      "\0\0\1h"
      "\0\2\1ab1"
      "\1\1\2c22"
      "\0\0\0\0\1\0\0\0",
      4 + 6 + 6 + 8);
  EXPECT_EQ(bytes.substr(0, block.size()), block);
  // The index: "b" is a short key after "ac".
  EXPECT_NE(bytes.find(std::string("\0\1\2b\0\x18", 6)), std::string::npos);
  EXPECT_EQ(bytes.substr(bytes.size() - 8), "\x57\xfb\x80\x8b\x24\x75\x47\xdb");
}

TEST(Table, RoundTripsOverManyBlocks) {
  const auto entries = Sample(3000);
  for (size_t block_bytes :
       {size_t{1}, size_t{100}, size_t{5000}, size_t{262144}}) {
    for (int restart_interval : {1, 3, 16}) {
      const std::string bytes = Build(
          entries,
          {.block_bytes = block_bytes, .restart_interval = restart_interval});
      EXPECT_EQ(*ReadAll(bytes), entries);
    }
  }
}

TEST(Table, Seeks) {
  const auto entries = Sample(500);
  MemoryFiles files;
  auto table = *OpenBytes(&files, Build(entries, {.block_bytes = 700}));
  auto it = table->NewIterator();
  const auto check = [&](const std::string& target) {
    it.Seek(target);
    auto expected = entries.lower_bound(target);
    ASSERT_EQ(it.valid(), expected != entries.end()) << target;
    ASSERT_TRUE(it.status().ok());
    if (it.valid()) {
      EXPECT_EQ(it.key(), expected->first);
      EXPECT_EQ(it.value(), expected->second);
    }
    EXPECT_EQ((*table->Get(target)).has_value(), entries.count(target) > 0);
  };
  for (const auto& [key, value] : entries) {
    check(key);
    check(key + std::string(1, '\0'));
    check(key.substr(0, key.size() / 2));
  }
  check("zzz");
  check("\xff\xff");
}

TEST(Table, RefusesKeysOutOfOrder) {
  MemoryFiles files;
  auto file = *files.NewWritableFile(kTablePath);
  TableBuilder builder(file.get());
  EXPECT_TRUE(builder.Add("b", "").ok());
  EXPECT_EQ(builder.Add("b", "").code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(builder.Add("a", "").code(), StatusCode::kFailedPrecondition);
  EXPECT_TRUE(builder.Finish().ok());
  EXPECT_FALSE(builder.Add("c", "").ok());
}

TEST(Table, EveryFlippedBitIsAnError) {
  const std::string bytes = Build(Sample(40), {.block_bytes = 600});
  ASSERT_TRUE(ReadAll(bytes).ok());
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string bad = bytes;
      bad[i] = static_cast<char>(bad[i] ^ (1 << bit));
      ASSERT_FALSE(ReadAll(bad).ok()) << "byte " << i << " bit " << bit;
    }
  }
}

TEST(Table, EveryTruncationIsAnError) {
  const std::string bytes = Build(Sample(20), {.block_bytes = 300});
  for (size_t n = 0; n < bytes.size(); ++n)
    ASSERT_FALSE(ReadAll(bytes.substr(0, n)).ok()) << n;
}

// Malformed bytes with valid checksums: errors, and no reads outside of the
// block (sanitizers check).
TEST(Table, MalformedBlocksAreErrors) {
  Rng rng(3);
  const auto with_block = [](const std::string& block) {
    std::string bytes = block + EncodeBlockTrailer(block);
    TableFooter footer;
    footer.metaindex = {bytes.size(), 8};
    const std::string empty("\0\0\0\0\1\0\0\0", 8);
    bytes += empty + EncodeBlockTrailer(empty);
    BlockBuilder index(1);
    std::string handle;
    BlockHandle{0, block.size()}.AppendTo(&handle);
    index.Add("zzz", handle);
    const std::string index_block = index.Finish();
    footer.index = {bytes.size(), index_block.size()};
    return bytes + index_block + EncodeBlockTrailer(index_block) +
           footer.Encode();
  };
  BlockBuilder builder(2);
  for (char c = 'a'; c < 'i'; ++c) builder.Add(std::string(3, c), "value");
  const std::string good = builder.Finish();
  ASSERT_TRUE(ReadAll(with_block(good)).ok());
  for (int round = 0; round < 3000; ++round) {
    std::string bad = good.substr(0, good.size() - rng.Uniform(3));
    for (uint64_t n = 1 + rng.Uniform(3); n > 0; --n) {
      bad[rng.Uniform(bad.size())] = static_cast<char>(rng());
    }
    MemoryFiles files;
    auto table = OpenBytes(&files, with_block(bad));
    ASSERT_TRUE(table.ok());
    auto it = (*table)->NewIterator();
    int steps = 0;
    for (it.SeekToFirst(); it.valid(); it.Next()) ASSERT_LT(++steps, 1000);
    it.Seek("ccc");
    it.Seek("zz");
  }
}

// Returns a table whose index has these entries over one data block.
std::string WithIndex(const std::string& block,
                      const std::vector<BlockHandle>& handles) {
  std::string bytes = block + EncodeBlockTrailer(block);
  TableFooter footer;
  const std::string empty = BlockBuilder(1).Finish();
  footer.metaindex = {bytes.size(), empty.size()};
  bytes += empty + EncodeBlockTrailer(empty);
  BlockBuilder index(1);
  for (size_t i = 0; i < handles.size(); ++i) {
    std::string handle;
    handles[i].AppendTo(&handle);
    index.Add(absl::StrCat("key", 1'000'000 + i), handle);
  }
  const std::string index_block = index.Finish();
  footer.index = {bytes.size(), index_block.size()};
  return bytes + index_block + EncodeBlockTrailer(index_block) +
         footer.Encode();
}

TEST(Table, ABlockIsReadOnceInAPassWhateverTheIndexSays) {
  BlockBuilder builder(1);
  builder.Add("a", "value");
  const std::string block = builder.Finish();
  const BlockHandle handle{0, block.size()};
  EXPECT_EQ(ReadAll(WithIndex(block, {handle}))->size(), 1u);
  const auto twice = ReadAll(WithIndex(block, {handle, handle}));
  EXPECT_EQ(twice.status(),
            DataLoss("Blocks of an sstable are not in ascending order"));
}

// A large empty block under many keys would hold a thread for hours.
TEST(Table, EmptyBlocksAreRefused) {
  const std::string block = BlockBuilder(1).Finish();
  const std::string bytes =
      WithIndex(block, std::vector<BlockHandle>(100, {0, block.size()}));
  EXPECT_EQ(ReadAll(bytes).status().code(), StatusCode::kDataLoss);
  MemoryFiles files;
  EXPECT_EQ((*OpenBytes(&files, bytes))->Get("k").status().code(),
            StatusCode::kDataLoss);
}

TEST(Table, BlocksAreChargedToTheBudget) {
  MemoryFiles files;
  const std::string bytes = Build({{"a", std::string(3'000'000, 'x')}});
  MemoryBudget& budget = MemoryBudget::Process();
  const int64_t limit = budget.limit();
  auto table = *OpenBytes(&files, bytes);
  budget.set_limit(budget.used() + 1'000'000);
  const Status status = table->Get("a").status();
  budget.set_limit(limit);
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted) << status;
  EXPECT_TRUE(table->Get("a").ok());
}

TEST(Table, RefusesSnappyByName) {
  std::string bytes = Build({{"a", "1"}});
  // The first block's trailer, with another type and the checksum for it.
  const size_t size = 4 + 1 + 8;
  bytes[size] = 1;
  StoreFixed<uint32_t>(&bytes[size + 1],
                       crc32c::Mask(crc32c::Value(bytes.data(), size + 1)));
  const auto all = ReadAll(bytes);
  EXPECT_EQ(all.status().code(), StatusCode::kUnimplemented);
  EXPECT_NE(all.status().message().find("snappy"), absl::string_view::npos);
}

TEST(Table, ShortKeysBetween) {
  EXPECT_EQ(ShortestSeparator("abcdef", "abzz"), "abd");
  EXPECT_EQ(ShortestSeparator("abc", "abd"), "abc");
  EXPECT_EQ(ShortestSeparator("ab", "abc"), "ab");
  EXPECT_EQ(ShortestSeparator("a\xff", "b"), "a\xff");
  EXPECT_EQ(ShortSuccessor("step"), "t");
  EXPECT_EQ(ShortSuccessor("\xff\xff"
                           "ab"),
            "\xff\xff"
            "b");
  EXPECT_EQ(ShortSuccessor("\xff"), "\xff");
  EXPECT_EQ(ShortSuccessor(""), "");
}

}  // namespace
}  // namespace millrace
