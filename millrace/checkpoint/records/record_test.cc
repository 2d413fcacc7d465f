#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "millrace/base/coding.h"
#include "millrace/base/files/memory_files.h"
#include "millrace/base/hash/crc32c.h"
#include "millrace/base/random.h"
#include "millrace/checkpoint/records/record_reader.h"
#include "millrace/checkpoint/records/record_writer.h"

namespace millrace {
namespace {

constexpr char kPath[] = "/records";

std::vector<std::string> Sample() {
  Rng rng(9);
  std::vector<std::string> records = {"", "a", std::string(70000, 'b')};
  for (int i = 0; i < 300; ++i) {
    std::string record(rng.Uniform(200), '\0');
    for (char& c : record) c = static_cast<char>(rng());
    records.push_back(record);
  }
  return records;
}

class RecordTest : public testing::TestWithParam<FileCompression> {
 protected:
  void WriteAll(const std::vector<std::string>& records) {
    auto file = *files_.NewWritableFile(kPath);
    RecordWriter writer(file.get(),
                        {.compression = GetParam(), .buffer_bytes = 1000});
    for (const std::string& record : records)
      ASSERT_TRUE(writer.Write(record).ok());
    ASSERT_TRUE(writer.Close().ok());
    ASSERT_FALSE(writer.Write("late").ok());
    ASSERT_TRUE(file->Close().ok());
  }
  // Returns the records before the end or the first error, which goes to
  // `status`.
  std::vector<std::string> ReadAll(Status* status, size_t buffer_bytes = 1000) {
    auto file = *files_.NewRandomAccessFile(kPath);
    RecordReader reader(
        file.get(), {.compression = GetParam(), .buffer_bytes = buffer_bytes});
    std::vector<std::string> records;
    std::string record;
    while ((*status = reader.Read(&record)).ok()) records.push_back(record);
    return records;
  }

  MemoryFiles files_;
};

TEST_P(RecordTest, RoundTrips) {
  WriteAll(Sample());
  for (size_t buffer_bytes :
       {size_t{1}, size_t{13}, size_t{1000}, size_t{1} << 20}) {
    Status status;
    EXPECT_EQ(ReadAll(&status, buffer_bytes), Sample());
    EXPECT_EQ(status.code(), StatusCode::kOutOfRange);
  }
  WriteAll({});
  Status status;
  EXPECT_TRUE(ReadAll(&status).empty());
  EXPECT_EQ(status.code(), StatusCode::kOutOfRange);
}

TEST_P(RecordTest, SeeksAndSkips) {
  const std::vector<std::string> records = Sample();
  WriteAll(records);
  auto file = *files_.NewRandomAccessFile(kPath);
  RecordReader reader(file.get(),
                      {.compression = GetParam(), .buffer_bytes = 500});
  std::vector<uint64_t> offsets;
  std::string record;
  for (size_t i = 0; i < records.size(); ++i) {
    offsets.push_back(reader.offset());
    ASSERT_TRUE(reader.Read(&record).ok());
  }
  Rng rng(4);
  for (int round = 0; round < 100; ++round) {
    const size_t i = rng.Uniform(records.size());
    ASSERT_TRUE(reader.Seek(offsets[i]).ok());
    ASSERT_TRUE(reader.Read(&record).ok());
    ASSERT_EQ(record, records[i]);
  }
  ASSERT_TRUE(reader.Seek(0).ok());
  EXPECT_EQ(*reader.Skip(7), 7u);
  ASSERT_TRUE(reader.Read(&record).ok());
  EXPECT_EQ(record, records[7]);
  EXPECT_EQ(*reader.Skip(1000000), records.size() - 8);
  EXPECT_EQ(reader.Read(&record).code(), StatusCode::kOutOfRange);
}

TEST_P(RecordTest, FlushedRecordsCanBeRead) {
  auto file = *files_.NewWritableFile(kPath);
  RecordWriter writer(file.get(), {.compression = GetParam()});
  for (size_t n = 1; n < 5; ++n) {
    ASSERT_TRUE(writer.Write("record").ok());
    ASSERT_TRUE(writer.Flush().ok());
    Status status;
    EXPECT_EQ(ReadAll(&status).size(), n);
  }
}

TEST_P(RecordTest, TornFilesKeepWhatIsWhole) {
  const std::vector<std::string> records = {"first", "second record",
                                            std::string(300, 'x')};
  WriteAll(records);
  const std::string good = *ReadFileToString(&files_, kPath);
  for (size_t n = 0; n < good.size(); ++n) {
    ASSERT_TRUE(WriteStringToFile(&files_, kPath, good.substr(0, n)).ok());
    Status status;
    const std::vector<std::string> read = ReadAll(&status);
    ASSERT_LE(read.size(), records.size());
    for (size_t i = 0; i < read.size(); ++i) ASSERT_EQ(read[i], records[i]);
    if (GetParam() == FileCompression::kNone) {
      const bool at_border = n == 0 || n == 21 || n == 50;
      ASSERT_EQ(status.code(),
                at_border ? StatusCode::kOutOfRange : StatusCode::kDataLoss)
          << n;
    }
  }
}

TEST_P(RecordTest, FlippedBitsNeverGiveAnotherRecord) {
  const std::vector<std::string> records = {"first", "second record", ""};
  WriteAll(records);
  const std::string good = *ReadFileToString(&files_, kPath);
  for (size_t i = 0; i < good.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ (1 << bit));
      ASSERT_TRUE(WriteStringToFile(&files_, kPath, bad).ok());
      Status status;
      const std::vector<std::string> read = ReadAll(&status);
      // In compressed data a flipped bit may look like truncation, and gzip's
      // header has unused bits.
      if (GetParam() == FileCompression::kNone) {
        ASSERT_EQ(status.code(), StatusCode::kDataLoss);
      }
      for (size_t k = 0; k < read.size(); ++k) ASSERT_EQ(read[k], records[k]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Compressions, RecordTest,
                         testing::Values(FileCompression::kNone,
                                         FileCompression::kZlib,
                                         FileCompression::kGzip));

TEST(Record, KnownBytes) {
  MemoryFiles files;
  auto file = *files.NewWritableFile(kPath);
  RecordWriter writer(file.get());
  ASSERT_TRUE(writer.Write("abc").ok());
  ASSERT_TRUE(writer.Close().ok());
  std::string expected("\3\0\0\0\0\0\0\0", 8);
  PutFixed32(&expected, crc32c::Mask(crc32c::Value(expected)));
  expected += "abc";
  PutFixed32(&expected, crc32c::Mask(crc32c::Value("abc")));
  EXPECT_EQ(*ReadFileToString(&files, kPath), expected);
}

// A header that ends too soon is the end of the file if the options say so.
TEST(Record, AShortHeader) {
  MemoryFiles files;
  ASSERT_TRUE(WriteStringToFile(&files, kPath, "abc").ok());
  auto file = *files.NewRandomAccessFile(kPath);
  std::string record;
  EXPECT_EQ(RecordReader(file.get()).Read(&record),
            DataLoss("truncated record at 0 (Is this even a TFRecord file?)"));
  EXPECT_EQ(RecordReader(file.get(), {.short_header_is_end = true})
                .Read(&record)
                .code(),
            StatusCode::kOutOfRange);
}

// A length of an exabyte with a valid checksum.
TEST(Record, HugeLengthTakesNoMemory) {
  MemoryFiles files;
  std::string bytes;
  PutFixed64(&bytes, uint64_t{1} << 60);
  PutFixed32(&bytes, crc32c::Mask(crc32c::Value(bytes)));
  bytes += "some bytes";
  ASSERT_TRUE(WriteStringToFile(&files, kPath, bytes).ok());
  auto file = *files.NewRandomAccessFile(kPath);
  RecordReader reader(file.get());
  std::string record;
  EXPECT_EQ(reader.Read(&record),
            DataLoss("truncated record at 0 (Is this even a TFRecord file?)"));
  EXPECT_EQ(reader.Read(&record).code(), StatusCode::kDataLoss);
  EXPECT_TRUE(reader.Seek(0).ok());
  EXPECT_EQ(reader.Skip(1).status().code(), StatusCode::kDataLoss);
}

TEST(Record, NamesOfCompressions) {
  EXPECT_EQ(*ParseFileCompression(""), FileCompression::kNone);
  EXPECT_EQ(*ParseFileCompression("ZLIB"), FileCompression::kZlib);
  EXPECT_EQ(*ParseFileCompression("GZIP"), FileCompression::kGzip);
  EXPECT_EQ(ParseFileCompression("zlib").status().code(),
            StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace millrace
