#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "millrace/base/files/memory_files.h"
#include "millrace/checkpoint/checkpoint_paths.h"
#include "millrace/checkpoint/testing/sample_tensors.h"
#include "millrace/checkpoint/v1/v1_reader.h"
#include "millrace/checkpoint/v1/v1_writer.h"

namespace millrace {
namespace {

constexpr char kV1Path[] = "/old/model.ckpt";

TEST(V1, RoundTripsEveryDtype) {
  MemoryFiles files;
  V1Writer writer(&files, kV1Path);
  const TensorShape full({5, 3});
  for (DataType type : SavedDataTypes()) {
    const std::string name = DataTypeName(type);
    ASSERT_TRUE(
        writer.Add(name, full, TensorSlice::Full(2), SampleTensor(type, full))
            .ok());
    ASSERT_TRUE(writer
                    .Add("part/" + name, full, *TensorSlice::Parse("0,2:-"),
                         SampleTensor(type, {2, 3}))
                    .ok());
    ASSERT_TRUE(writer
                    .Add("part/" + name, full, *TensorSlice::Parse("2,3:-"),
                         SampleTensor(type, {3, 3}, 6))
                    .ok());
    ASSERT_TRUE(
        writer
            .Add("scalar/" + name, {}, TensorSlice(), SampleTensor(type, {}, 3))
            .ok());
  }
  ASSERT_TRUE(writer.Finish().ok());
  EXPECT_EQ(files.GetChildren("/old")->size(), 1u);
  auto reader = *V1Reader::Open(&files, kV1Path);
  for (DataType type : SavedDataTypes()) {
    const std::string name = DataTypeName(type);
    for (const std::string& which : {name, "part/" + name}) {
      auto tensor = reader->Lookup(which);
      ASSERT_TRUE(tensor.ok()) << tensor.status();
      EXPECT_TRUE(IdenticalTensors(*tensor, SampleTensor(type, full))) << which;
      auto rows = reader->LookupSlice(which, *TensorSlice::Parse("1,3:-"));
      ASSERT_TRUE(rows.ok()) << rows.status();
      EXPECT_TRUE(IdenticalTensors(*rows, SampleTensor(type, {3, 3}, 3)))
          << which;
    }
    EXPECT_TRUE(IdenticalTensors(*reader->Lookup("scalar/" + name),
                                 SampleTensor(type, {}, 3)));
  }
}

TEST(V1, ReadsShards) {
  MemoryFiles files;
  for (int i = 0; i < 2; ++i) {
    V1Writer writer(&files, ShardedFilename(kV1Path, i, 2));
    const TensorSlice slice = *TensorSlice::Make({{i * 2, 2}});
    ASSERT_TRUE(
        writer.Add("v", {4}, slice, SampleTensor(DataType::kInt64, {2}, i * 2))
            .ok());
    ASSERT_TRUE(writer.Finish().ok());
  }
  auto reader = *V1Reader::Open(&files, ShardedFilespec(kV1Path, 2));
  EXPECT_TRUE(IdenticalTensors(*reader->Lookup("v"),
                               SampleTensor(DataType::kInt64, {4})));
}

TEST(V1, Errors) {
  MemoryFiles files;
  EXPECT_EQ(V1Reader::Open(&files, kV1Path).status().code(),
            StatusCode::kNotFound);
  V1Writer writer(&files, kV1Path);
  const TensorSlice half = *TensorSlice::Parse("0,1");
  const Tensor one = Tensor::Vector<float>({1});
  ASSERT_TRUE(writer.Add("v", {2}, half, one).ok());
  EXPECT_EQ(writer.Add("v", {2}, half, one).code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(writer.Add("v", {3}, *TensorSlice::Parse("1,1"), one).code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(writer
                .Add("v", {2}, *TensorSlice::Parse("1,1"),
                     Tensor::Vector<int32_t>({1}))
                .code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(writer.Add("w", {2}, TensorSlice::Full(1), one).code(),
            StatusCode::kInvalidArgument);
  ASSERT_TRUE(writer.Finish().ok());
  auto reader = *V1Reader::Open(&files, kV1Path);
  EXPECT_EQ(reader->Lookup("v").status().code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(reader->LookupSlice("v", half).ok());
  EXPECT_EQ(reader->Lookup("w").status().code(), StatusCode::kNotFound);
}

TEST(V1, EveryFlippedByteIsAnError) {
  MemoryFiles files;
  V1Writer writer(&files, kV1Path);
  ASSERT_TRUE(writer
                  .Add("v", {3}, TensorSlice::Full(1),
                       SampleTensor(DataType::kHalf, {3}))
                  .ok());
  ASSERT_TRUE(writer.Finish().ok());
  const std::string good = *ReadFileToString(&files, kV1Path);
  for (size_t i = 0; i < good.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ (1 << bit));
      ASSERT_TRUE(WriteStringToFile(&files, kV1Path, bad).ok());
      auto reader = V1Reader::Open(&files, kV1Path);
      ASSERT_FALSE(reader.ok() && (*reader)->Lookup("v").ok()) << i;
    }
  }
}

}  // namespace
}  // namespace millrace
