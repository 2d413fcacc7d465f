#include "millrace/checkpoint/records/lmdb_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "millrace/base/files/memory_files.h"
#include "millrace/checkpoint/testing/lmdb_file.h"

namespace millrace {
namespace {

using Records = std::vector<std::pair<std::string, std::string>>;

// Reads all records. Every file ends or fails.
StatusOr<Records> ReadLmdb(const std::string& bytes) {
  MemoryFiles files;
  MR_RETURN_IF_ERROR(WriteStringToFile(&files, "/a.mdb", bytes));
  MR_ASSIGN_OR_RETURN(auto reader, LmdbReader::Open(&files, "/a.mdb"));
  Records records;
  std::string key, value;
  while (true) {
    MR_ASSIGN_OR_RETURN(const bool found, reader->Next(&key, &value));
    if (!found) return records;
    records.emplace_back(key, value);
  }
}

Records Many() {
  Records records;
  for (int i = 100; i < 140; ++i) {
    records.emplace_back(absl::StrCat(i), absl::StrCat("value ", i));
  }
  records.emplace_back("200", std::string(10000, 'x'));
  records.emplace_back(std::string(500, 'z'), "");
  return records;
}

TEST(LmdbReader, ReadsRecordsInOrder) {
  for (const size_t per_leaf : {1, 3, 50}) {
    const auto read = ReadLmdb(LmdbFile(Many(), per_leaf));
    ASSERT_TRUE(read.ok()) << read.status().ToString();
    EXPECT_EQ(*read, Many());
  }
}

TEST(LmdbReader, ReadsAnEmptyDatabase) {
  const auto read = ReadLmdb(LmdbFile({}, 3));
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  EXPECT_TRUE(read->empty());
}

TEST(LmdbReader, OpensAFolder) {
  MemoryFiles files;
  ASSERT_TRUE(files.CreateDir("/folder").ok());
  ASSERT_TRUE(WriteStringToFile(&files, "/folder/data.mdb",
                                LmdbFile({{"key", "value"}}, 3))
                  .ok());
  auto reader = LmdbReader::Open(&files, "/folder");
  ASSERT_TRUE(reader.ok()) << reader.status().ToString();
  std::string key, value;
  const auto found = (*reader)->Next(&key, &value);
  ASSERT_TRUE(found.ok() && *found);
  EXPECT_EQ(key, "key");
  EXPECT_EQ(value, "value");
}

TEST(LmdbReader, RefusesWhatIsNoDatabase) {
  MemoryFiles files;
  EXPECT_EQ(LmdbReader::Open(&files, "/none").status().code(),
            StatusCode::kInvalidArgument);
  for (const std::string& bytes :
       {std::string(), std::string(20000, 'h'), std::string(20000, '\0'),
        LmdbFile(Many(), 3).substr(0, 5000)}) {
    EXPECT_EQ(ReadLmdb(bytes).status().code(), StatusCode::kInvalidArgument);
  }
}

TEST(LmdbReader, EndsWhereBranchesPointToEachOther) {
  // Page 2 has four children that are page 2.
  const std::vector<std::string> nodes(4, LmdbBranchNode("", 2));
  const std::string bytes = LmdbMetaPage(0, 0, 2) + LmdbMetaPage(1, 1, 2) +
                            LmdbPage(2, 1, nodes) + LmdbPage(3, 2, {});
  EXPECT_EQ(ReadLmdb(bytes).status().code(), StatusCode::kInvalidArgument);
}

TEST(LmdbReader, SurvivesFlippedBytes) {
  const std::string good = LmdbFile(Many(), 3);
  for (size_t i = 0; i < good.size(); ++i) {
    // Most of the file is empty or one long value.
    if ((good[i] == '\0' || good[i] == 'x') && i % 64 != 0) continue;
    for (const char flip : {'\x01', '\x80', '\xff'}) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ flip);
      (void)ReadLmdb(bad);
    }
  }
}

}  // namespace
}  // namespace millrace
