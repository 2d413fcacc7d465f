#include "millrace/checkpoint/bundle/bundle_merge.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "millrace/base/files/memory_files.h"
#include "millrace/checkpoint/bundle/bundle_reader.h"
#include "millrace/checkpoint/bundle/bundle_writer.h"
#include "millrace/checkpoint/checkpoint_paths.h"
#include "millrace/checkpoint/testing/sample_tensors.h"

namespace millrace {
namespace {

constexpr char kDestination[] = "/model/ckpt-7";

std::string Part(int i, int n) {
  return ShardedFilename("/model/ckpt-7_temp_abc/part", i, n);
}

class BundleMergeTest : public testing::Test {
 protected:
  std::unique_ptr<BundleWriter> Writer(const std::string& prefix) {
    return *BundleWriter::Open(&files_, prefix);
  }
  MemoryFiles files_;
};

TEST_F(BundleMergeTest, JoinsTensorsAndSlices) {
  std::vector<std::string> parts;
  for (int i = 0; i < 3; ++i) {
    parts.push_back(Part(i, 3));
    auto writer = Writer(parts.back());
    ASSERT_TRUE(
        writer->Add(absl::StrCat("own/", i), Tensor::Scalar<int32_t>(i)).ok());
    const TensorSlice slice = *TensorSlice::Make({{i * 2, 2}, {}});
    ASSERT_TRUE(writer
                    ->AddSlice("part", {6, 3}, slice,
                               SampleTensor(DataType::kFloat, {2, 3}, i * 6))
                    .ok());
    ASSERT_TRUE(writer->Finish().ok());
  }
  ASSERT_TRUE(MergeBundles(&files_, parts, kDestination).ok());
  EXPECT_EQ(*files_.GetChildren("/model"),
            (std::vector<std::string>{
                "ckpt-7.data-00000-of-00003", "ckpt-7.data-00001-of-00003",
                "ckpt-7.data-00002-of-00003", "ckpt-7.index"}));
  auto reader = *BundleReader::Open(&files_, kDestination);
  EXPECT_TRUE(reader->CheckComplete().ok());
  EXPECT_EQ(reader->num_shards(), 3);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(reader->Lookup(absl::StrCat("own/", i))->scalar<int32_t>(), i);
  }
  EXPECT_TRUE(IdenticalTensors(*reader->Lookup("part"),
                               SampleTensor(DataType::kFloat, {6, 3})));
}

TEST_F(BundleMergeTest, MissingParts) {
  auto writer = Writer(Part(1, 2));
  ASSERT_TRUE(writer->Add("a", Tensor::Scalar<float>(1)).ok());
  ASSERT_TRUE(writer->Finish().ok());
  const std::vector<std::string> parts = {Part(0, 2), Part(1, 2)};
  EXPECT_EQ(MergeBundles(&files_, parts, kDestination).code(),
            StatusCode::kInvalidArgument);
  EXPECT_FALSE(CheckpointExists(&files_, kDestination));
  EXPECT_TRUE(
      MergeBundles(&files_, parts, kDestination, {.allow_missing = true}).ok());
  EXPECT_TRUE((*BundleReader::Open(&files_, kDestination))->Lookup("a").ok());
  EXPECT_EQ(MergeBundles(&files_, parts, kDestination, {.allow_missing = true})
                .code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(MergeBundles(&files_, {}, kDestination).code(),
            StatusCode::kInvalidArgument);
  EXPECT_TRUE((*BundleReader::Open(&files_, kDestination))->Lookup("a").ok());
}

TEST_F(BundleMergeTest, RefusesDoubledTensorsAndKeepsTheParts) {
  std::vector<std::string> parts;
  for (int i = 0; i < 2; ++i) {
    parts.push_back(Part(i, 2));
    auto writer = Writer(parts.back());
    ASSERT_TRUE(writer->Add("same", Tensor::Scalar<float>(1)).ok());
    ASSERT_TRUE(writer->Finish().ok());
  }
  EXPECT_EQ(MergeBundles(&files_, parts, kDestination).code(),
            StatusCode::kInvalidArgument);
  for (const std::string& part : parts) {
    EXPECT_TRUE((*BundleReader::Open(&files_, part))->CheckComplete().ok());
  }
}

TEST_F(BundleMergeTest, KeepsDirectoriesOnDemand) {
  auto writer = Writer(Part(0, 1));
  ASSERT_TRUE(writer->Add("a", Tensor::Scalar<float>(1)).ok());
  ASSERT_TRUE(writer->Finish().ok());
  const std::vector<std::string> parts = {Part(0, 1)};
  ASSERT_TRUE(
      MergeBundles(&files_, parts, kDestination, {.delete_old_dirs = false})
          .ok());
  EXPECT_TRUE(files_.IsDirectory("/model/ckpt-7_temp_abc").ok());
  EXPECT_TRUE(files_.GetChildren("/model/ckpt-7_temp_abc")->empty());
}

}  // namespace
}  // namespace millrace
