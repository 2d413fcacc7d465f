#include "millrace/ops/dataset_files/snapshot_files.h"

#include <gtest/gtest.h>

#include "millrace/base/files/memory_files.h"
#include "millrace/base/random.h"
#include "millrace/tensor/buffer.h"

namespace millrace::ops {
namespace {

constexpr char kFolder[] = "/snapshots/custom-x";
constexpr char kFirstFile[] = "/snapshots/custom-x/custom/00000000.snapshot";

ElementSignature Signature() {
  return {{DataType::kString, DataType::kFloat, DataType::kInt64},
          {PartialShape({2}), PartialShape({-1}), PartialShape({})}};
}

SnapshotMetadata Metadata() {
  SnapshotMetadata metadata;
  metadata.fingerprint = "0123456789abcdef";
  metadata.run = "custom";
  metadata.created_us = 1'574'000'000'000'000;
  metadata.types = {7, 1, 9};
  return metadata;
}

std::vector<Element> Sample(int64_t count) {
  std::vector<Element> elements;
  for (int64_t i = 0; i < count; ++i) {
    const std::vector<float> numbers(static_cast<size_t>(i * 7), 1.5f);
    elements.push_back({Tensor::Vector<std::string>({"", std::string(30, 'a')}),
                        Tensor::Vector<float>(absl::MakeConstSpan(numbers)),
                        Tensor::Scalar<int64_t>(i)});
  }
  return elements;
}

class SnapshotFilesTest : public testing::TestWithParam<SnapshotCompression> {
 protected:
  void WriteAll(const std::vector<Element>& elements) {
    auto writer = SnapshotWriter::Begin(&files_, kFolder, options_, Metadata());
    ASSERT_TRUE(writer.ok()) << writer.status();
    for (const Element& element : elements) {
      const Status added = (*writer)->Add(element);
      ASSERT_TRUE(added.ok()) << added;
    }
    const Status finished = (*writer)->Finish();
    ASSERT_TRUE(finished.ok()) << finished;
  }
  // Reads up to the end, some elements at a time, and adds errors to `errors`.
  std::vector<Element> ReadAll(std::vector<Status>* errors) {
    std::vector<Element> all;
    auto reader = SnapshotReader::Open(&files_, kFolder, options_, Metadata(),
                                       Signature());
    if (!reader.ok()) {
      errors->push_back(reader.status());
      return all;
    }
    for (;;) {
      auto some = (*reader)->Read(3, uint64_t{1} << 20, HostAllocator());
      if (!some.ok()) {
        errors->push_back(some.status());
        continue;
      }
      if (some->empty()) return all;
      for (Element& element : *some) all.push_back(std::move(element));
    }
  }
  void ExpectSame(const std::vector<Element>& got,
                  const std::vector<Element>& expected) {
    ASSERT_EQ(got.size(), expected.size());
    for (size_t i = 0; i < got.size(); ++i) {
      ASSERT_EQ(got[i].size(), expected[i].size());
      for (size_t c = 0; c < got[i].size(); ++c) {
        EXPECT_TRUE(IdenticalTensors(got[i][c], expected[i][c]));
      }
    }
  }

  MemoryFiles files_;
  SnapshotOptions options_{.compression = GetParam()};
};

TEST_P(SnapshotFilesTest, RoundTrips) {
  WriteAll(Sample(20));
  std::vector<Status> errors;
  ExpectSame(ReadAll(&errors), Sample(20));
  EXPECT_TRUE(errors.empty());
  const auto metadata = ReadSnapshotMetadata(&files_, kFolder);
  ASSERT_TRUE(metadata.ok() && metadata->has_value());
  EXPECT_TRUE((*metadata)->finalized);
  EXPECT_EQ((*metadata)->types, Metadata().types);
  EXPECT_EQ((*metadata)->created_us, Metadata().created_us);
}

TEST_P(SnapshotFilesTest, LongOnesAreSeveralFiles) {
  options_.shard_bytes = 500;
  WriteAll(Sample(20));
  EXPECT_GT(files_.GetChildren("/snapshots/custom-x/custom")->size(), 2u);
  std::vector<Status> errors;
  ExpectSame(ReadAll(&errors), Sample(20));
  EXPECT_TRUE(errors.empty());
}

// As in stock, what is written under a name that was used goes behind.
TEST_P(SnapshotFilesTest, WritesBehindWhatIsThere) {
  WriteAll(Sample(2));
  WriteAll(Sample(3));
  std::vector<Element> expected = Sample(2);
  for (Element& element : Sample(3)) expected.push_back(std::move(element));
  std::vector<Status> errors;
  ExpectSame(ReadAll(&errors), expected);
}

// A file that was cut off anywhere ends before.
TEST_P(SnapshotFilesTest, EndsWhereTheFileEnds) {
  WriteAll(Sample(3));
  const std::string whole = *ReadFileToString(&files_, kFirstFile);
  for (size_t size = 0; size < whole.size(); ++size) {
    ASSERT_TRUE(
        WriteStringToFile(&files_, kFirstFile, whole.substr(0, size)).ok());
    std::vector<Status> errors;
    EXPECT_LE(ReadAll(&errors).size(), 3u);
    EXPECT_TRUE(errors.empty()) << size;
  }
}

// Damage is an error, or elements of the right types and shapes.
TEST_P(SnapshotFilesTest, DamageDoesNoHarm) {
  WriteAll(Sample(3));
  const std::string whole = *ReadFileToString(&files_, kFirstFile);
  Rng rng(7);
  for (int i = 0; i < 2'000; ++i) {
    std::string bad = whole;
    bad[rng.Uniform(bad.size())] = static_cast<char>(rng());
    ASSERT_TRUE(WriteStringToFile(&files_, kFirstFile, bad).ok());
    std::vector<Status> errors;
    for (const Element& element : ReadAll(&errors)) {
      EXPECT_TRUE(CheckElement(Signature(), element).ok());
    }
  }
}

TEST_P(SnapshotFilesTest, OfAnotherWriterIsNotFinal) {
  auto writer = SnapshotWriter::Begin(&files_, kFolder, options_, Metadata());
  ASSERT_TRUE(writer.ok());
  SnapshotMetadata other = Metadata();
  other.run = "other";
  ASSERT_TRUE(WriteSnapshotMetadata(&files_, kFolder, other).ok());
  ASSERT_TRUE((*writer)->Finish().ok());
  EXPECT_FALSE((*ReadSnapshotMetadata(&files_, kFolder))->finalized);
}

TEST_P(SnapshotFilesTest, NoFilesAreAnError) {
  std::vector<Status> errors;
  ReadAll(&errors);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].code(), StatusCode::kNotFound);
}

INSTANTIATE_TEST_SUITE_P(All, SnapshotFilesTest,
                         testing::Values(SnapshotCompression::kNone,
                                         SnapshotCompression::kGzip,
                                         SnapshotCompression::kSnappy));

}  // namespace
}  // namespace millrace::ops
