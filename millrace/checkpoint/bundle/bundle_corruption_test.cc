#include <map>
#include <string>

#include "gtest/gtest.h"
#include "millrace/base/files/memory_files.h"
#include "millrace/base/random.h"
#include "millrace/checkpoint/bundle/bundle_index.h"
#include "millrace/checkpoint/bundle/bundle_reader.h"
#include "millrace/checkpoint/bundle/bundle_writer.h"
#include "millrace/checkpoint/checkpoint_paths.h"
#include "millrace/checkpoint/testing/sample_tensors.h"

namespace millrace {
namespace {

constexpr char kPrefix[] = "/ckpt";

// Reads all tensors through every method.
Status ReadAll(FileSystem* files) {
  MR_ASSIGN_OR_RETURN(auto reader, BundleReader::Open(files, kPrefix));
  MR_RETURN_IF_ERROR(reader->CheckComplete());
  return reader->ForEach(
      [&](absl::string_view name, const BundleEntry& entry) -> Status {
        MR_RETURN_IF_ERROR(reader->Lookup(name).status());
        if (entry.shape.rank() == 1 && entry.shape.dim(0) > 1) {
          MR_RETURN_IF_ERROR(
              reader->LookupSlice(name, *TensorSlice::Parse("1,1")).status());
        }
        return OkStatus();
      });
}

class BundleCorruptionTest : public testing::Test {
 protected:
  void SetUp() override {
    auto writer = *BundleWriter::Open(&files_, kPrefix);
    ASSERT_TRUE(
        writer->Add("number", SampleTensor(DataType::kInt16, {5})).ok());
    ASSERT_TRUE(
        writer->Add("string", SampleTensor(DataType::kString, {6})).ok());
    ASSERT_TRUE(writer->Add("scalar", Tensor::Scalar<double>(1.5)).ok());
    for (const char* text : {"0,2", "2,3"}) {
      const TensorSlice slice = *TensorSlice::Parse(text);
      ASSERT_TRUE(
          writer
              ->AddSlice("part", {5}, slice,
                         SampleTensor(DataType::kInt32, *slice.SliceShape({5})))
              .ok());
    }
    ASSERT_TRUE(writer->Finish().ok());
    ASSERT_TRUE(ReadAll(&files_).ok());
  }

  MemoryFiles files_;
};

TEST_F(BundleCorruptionTest, EveryFlippedBitIsAnError) {
  for (const std::string& path :
       {IndexFilename(kPrefix), DataFilename(kPrefix, 0, 1)}) {
    const std::string good = *ReadFileToString(&files_, path);
    for (size_t i = 0; i < good.size(); ++i) {
      for (int bit = 0; bit < 8; ++bit) {
        std::string bad = good;
        bad[i] = static_cast<char>(bad[i] ^ (1 << bit));
        ASSERT_TRUE(WriteStringToFile(&files_, path, bad).ok());
        ASSERT_FALSE(ReadAll(&files_).ok())
            << path << " byte " << i << " bit " << bit;
      }
    }
    ASSERT_TRUE(WriteStringToFile(&files_, path, good).ok());
  }
}

TEST_F(BundleCorruptionTest, EveryTruncationIsAnError) {
  for (const std::string& path :
       {IndexFilename(kPrefix), DataFilename(kPrefix, 0, 1)}) {
    const std::string good = *ReadFileToString(&files_, path);
    for (size_t n = 0; n < good.size(); ++n) {
      ASSERT_TRUE(WriteStringToFile(&files_, path, good.substr(0, n)).ok());
      ASSERT_FALSE(ReadAll(&files_).ok()) << path << " cut to " << n;
    }
    ASSERT_TRUE(WriteStringToFile(&files_, path, good).ok());
  }
}

TEST_F(BundleCorruptionTest, MissingShard) {
  ASSERT_TRUE(files_.Delete(DataFilename(kPrefix, 0, 1)).ok());
  EXPECT_EQ(ReadAll(&files_).code(), StatusCode::kNotFound);
}

TEST_F(BundleCorruptionTest, ShardOfAnotherSave) {
  auto writer = *BundleWriter::Open(&files_, "/other");
  ASSERT_TRUE(
      writer->Add("number", SampleTensor(DataType::kInt16, {5}, 1)).ok());
  ASSERT_TRUE(writer->Finish().ok());
  ASSERT_TRUE(
      files_.Rename(DataFilename("/other", 0, 1), DataFilename(kPrefix, 0, 1))
          .ok());
  EXPECT_EQ(ReadAll(&files_).code(), StatusCode::kDataLoss);
}

// An index with valid checksums and wrong entries.
TEST_F(BundleCorruptionTest, LyingEntriesAreErrors) {
  std::map<std::string, std::string> entries;
  ASSERT_TRUE(
      (*BundleReader::Open(&files_, kPrefix))
          ->ForEachRaw([&](absl::string_view key, absl::string_view value) {
            entries.emplace(key, value);
            return OkStatus();
          })
          .ok());
  const auto with = [&](const BundleEntry& entry,
                        int num_shards = 1) -> Status {
    auto lying = entries;
    lying["number"] = EncodeBundleEntry(entry);
    EXPECT_TRUE(
        WriteBundleIndex(&files_, IndexFilename(kPrefix), num_shards, lying)
            .ok());
    MR_ASSIGN_OR_RETURN(auto reader, BundleReader::Open(&files_, kPrefix));
    return reader->Lookup("number").status();
  };
  const BundleEntry good = *ParseBundleEntry(entries["number"], 1);
  ASSERT_TRUE(with(good).ok());
  BundleEntry bad = good;
  bad.shard = 1;
  EXPECT_EQ(with(bad).code(), StatusCode::kDataLoss);
  EXPECT_EQ(with(bad, 2).code(), StatusCode::kNotFound);
  bad.shard = -1;
  EXPECT_EQ(with(bad).code(), StatusCode::kDataLoss);
  for (int64_t offset : {int64_t{-1}, int64_t{1}, int64_t{1000}, INT64_MAX}) {
    bad = good;
    bad.offset = offset;
    EXPECT_EQ(with(bad).code(), StatusCode::kDataLoss) << offset;
  }
  // Petabytes: refused before anything is allocated.
  for (DataType type : SavedDataTypes()) {
    bad = good;
    bad.dtype = type;
    bad.shape = TensorShape({int64_t{1} << 50});
    bad.size_bytes = type == DataType::kString
                         ? int64_t{1} << 50
                         : int64_t{1} << 50 << (SizeOf(type) / 2);
    EXPECT_EQ(with(bad).code(), StatusCode::kDataLoss);
    bad.size_bytes = good.size_bytes;
    EXPECT_EQ(with(bad).code(), StatusCode::kDataLoss);
  }
  bad = good;
  bad.dtype = DataType::kResource;
  EXPECT_FALSE(with(bad).ok());
  bad.dtype = static_cast<DataType>(24);
  EXPECT_EQ(with(bad).code(), StatusCode::kInvalidArgument);
  // Slices that are missing, or overlap, or are slices of slices.
  bad = good;
  bad.slices = {*TensorSlice::Parse("0,3"), *TensorSlice::Parse("3,2")};
  EXPECT_FALSE(with(bad).ok());
  bad.slices = {*TensorSlice::Parse("0,3"), *TensorSlice::Parse("2,3")};
  EXPECT_FALSE(with(bad).ok());
  entries[SliceKey("number", TensorSlice::Full(1))] = EncodeBundleEntry(bad);
  bad.slices = {TensorSlice::Full(1)};
  EXPECT_EQ(with(bad).code(), StatusCode::kDataLoss);
}

TEST_F(BundleCorruptionTest, RandomIndexBytesAreErrors) {
  Rng rng(11);
  std::map<std::string, std::string> entries;
  ASSERT_TRUE(
      (*BundleReader::Open(&files_, kPrefix))
          ->ForEachRaw([&](absl::string_view key, absl::string_view value) {
            entries.emplace(key, value);
            return OkStatus();
          })
          .ok());
  for (int round = 0; round < 2000; ++round) {
    auto broken = entries;
    for (auto& [key, value] : broken) {
      if (rng.Uniform(3) == 0)
        value[rng.Uniform(value.size())] = static_cast<char>(rng());
    }
    ASSERT_TRUE(
        WriteBundleIndex(&files_, IndexFilename(kPrefix), 1, broken).ok());
    (void)ReadAll(&files_);  // it may return anything, but must not crash
  }
}

}  // namespace
}  // namespace millrace
