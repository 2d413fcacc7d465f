// Reads files written by the stock client (tests/golden/checkpoints/make.py).
#include <map>
#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "millrace/base/files/file.h"
#include "millrace/base/files/memory_files.h"
#include "millrace/checkpoint/bundle/bundle_reader.h"
#include "millrace/checkpoint/bundle/bundle_writer.h"
#include "millrace/checkpoint/checkpoint_paths.h"
#include "millrace/checkpoint/checkpoint_reader.h"
#include "millrace/checkpoint/checkpoint_state.h"
#include "millrace/checkpoint/records/record_reader.h"
#include "millrace/checkpoint/testing/sample_tensors.h"

namespace millrace {
namespace {

constexpr char kFolder[] = "tests/golden/checkpoints";

std::string Path(absl::string_view name) {
  return absl::StrCat(kFolder, "/", name);
}

Tensor GoldenStrings() {
  return Tensor::Of<std::string>(
      {2, 3}, {"", "hello", std::string("with\0zero", 9), std::string(300, 'x'),
               "\xff\xfe", "z"});
}

// Returns numpy's names.
std::string GoldenName(DataType type) {
  switch (type) {
    case DataType::kFloat:
      return "float32";
    case DataType::kDouble:
      return "float64";
    case DataType::kHalf:
      return "float16";
    default:
      return DataTypeName(type);
  }
}

TEST(GoldenFiles, EveryDtype) {
  auto reader = *BundleReader::Open(PosixFiles(), Path("types"));
  for (DataType type : SavedDataTypes()) {
    auto tensor = reader->Lookup(GoldenName(type));
    ASSERT_TRUE(tensor.ok()) << tensor.status();
    const Tensor expected = type == DataType::kString
                                ? GoldenStrings()
                                : SampleTensor(type, {2, 3});
    EXPECT_TRUE(IdenticalTensors(*tensor, expected)) << DataTypeName(type);
  }
  EXPECT_EQ(reader->Lookup("scalar")->scalar<float>(), 42.5f);
  EXPECT_EQ(reader->Lookup("empty")->shape(), TensorShape({0, 4}));
}

// The same tensors in the same order give the same bytes as stock's.
TEST(GoldenFiles, WritesTheSameBytes) {
  auto golden = *BundleReader::Open(PosixFiles(), Path("types"));
  std::map<int64_t, std::string> by_offset;
  ASSERT_TRUE(
      golden
          ->ForEach([&](absl::string_view name, const BundleEntry& entry) {
            if (entry.size_bytes > 0)
              by_offset[entry.offset] = std::string(name);
            return OkStatus();
          })
          .ok());
  MemoryFiles files;
  auto writer = *BundleWriter::Open(&files, "/types");
  for (const auto& [offset, name] : by_offset) {
    ASSERT_TRUE(writer->Add(name, *golden->Lookup(name)).ok());
  }
  ASSERT_TRUE(writer->Add("empty", *golden->Lookup("empty")).ok());
  ASSERT_TRUE(writer->Finish().ok());
  EXPECT_EQ(*ReadFileToString(&files, DataFilename("/types", 0, 1)),
            *ReadFileToString(PosixFiles(), DataFilename(Path("types"), 0, 1)));
  EXPECT_EQ(*ReadFileToString(&files, "/types.index"),
            *ReadFileToString(PosixFiles(), Path("types.index")));
}

TEST(GoldenFiles, ShardedAndPartitioned) {
  auto latest = LatestCheckpoint(PosixFiles(), kFolder);
  ASSERT_TRUE(latest.ok()) << latest.status();
  ASSERT_EQ(*latest, Path("sharded-5"));
  auto reader = *CheckpointReader::Open(PosixFiles(), *latest);
  EXPECT_TRUE(IdenticalTensors(*reader->Lookup("weights"),
                               SampleTensor(DataType::kFloat, {5, 4})));
  EXPECT_TRUE(IdenticalTensors(*reader->Lookup("names"),
                               Tensor::Vector<std::string>({"a", "", "ccc"})));
  EXPECT_TRUE(IdenticalTensors(*reader->Lookup("half"),
                               SampleTensor(DataType::kBfloat16, {3})));
  EXPECT_EQ(reader->Lookup("global_step")->scalar<int64_t>(), 5);
  EXPECT_EQ(reader->Find("part")->slices.size(), 3u);
  EXPECT_TRUE(IdenticalTensors(*reader->Lookup("part"),
                               SampleTensor(DataType::kFloat, {7, 2})));
  // Another number of parameter servers than the one that saved it.
  auto rows = reader->Restore("part", "7 2 2,2:0,2", DataType::kFloat);
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_TRUE(
      IdenticalTensors(*rows, SampleTensor(DataType::kFloat, {2, 2}, 4)));
}

TEST(GoldenFiles, OldFormat) {
  auto reader = *CheckpointReader::Open(PosixFiles(), Path("v1"));
  EXPECT_TRUE(reader->is_v1());
  EXPECT_TRUE(IdenticalTensors(*reader->Lookup("plain"),
                               SampleTensor(DataType::kFloat, {2, 3})));
  EXPECT_EQ(reader->Lookup("count")->scalar<int32_t>(), 7);
  EXPECT_TRUE(IdenticalTensors(*reader->Lookup("wide"),
                               SampleTensor(DataType::kComplex64, {4})));
  auto part = reader->Restore("part", "4 2 1,2:0,2", DataType::kFloat);
  ASSERT_TRUE(part.ok()) << part.status();
  EXPECT_TRUE(IdenticalTensors(
      *part, Tensor::Of<float>({2, 2}, {3.5f, 3.5f, 3.5f, 3.5f})));
  EXPECT_EQ(reader->Lookup("none").status().code(), StatusCode::kNotFound);
}

TEST(GoldenFiles, Records) {
  for (auto [name, compression] :
       {std::pair("records.plain", FileCompression::kNone),
        std::pair("records.zlib", FileCompression::kZlib),
        std::pair("records.gzip", FileCompression::kGzip)}) {
    auto file = *PosixFiles()->NewRandomAccessFile(Path(name));
    RecordReader reader(file.get(), {.compression = compression});
    std::string record;
    for (int i = 0; i < 10; ++i) {
      ASSERT_TRUE(reader.Read(&record).ok()) << name;
      std::string expected;
      for (int k = 0; k < i; ++k) absl::StrAppend(&expected, "record ", i, " ");
      EXPECT_EQ(record, expected);
    }
    EXPECT_EQ(reader.Read(&record).code(), StatusCode::kOutOfRange);
  }
}

}  // namespace
}  // namespace millrace
