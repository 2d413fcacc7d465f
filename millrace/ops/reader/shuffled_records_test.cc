#include "millrace/ops/reader/shuffled_records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "absl/strings/str_cat.h"
#include "millrace/base/files/memory_files.h"
#include "millrace/checkpoint/records/record_writer.h"
#include "millrace/device/devices.h"
#include "millrace/kernel/kernel.h"

namespace millrace::ops {
namespace {

class ShuffledRecordsTest : public ::testing::Test {
 protected:
  ShuffledRecordsTest()
      : devices_(*MakeDevices({}, "localhost", 0)),
        ctx_(node_, *devices_[0], step_, {}, {}) {}

  void WriteFile(const std::string& path, int records) {
    auto file = files_.NewWritableFile(path);
    ASSERT_TRUE(file.ok()) << file.status();
    RecordWriter writer(file->get());
    for (int i = 0; i < records; ++i) {
      ASSERT_TRUE(writer.Write(absl::StrCat(path, " ", i)).ok());
    }
    ASSERT_TRUE(writer.Close().ok());
    ASSERT_TRUE((*file)->Close().ok());
  }

  std::vector<std::string> Take(ShuffledRecords& records, int count) {
    std::vector<std::string> taken(static_cast<size_t>(count));
    for (std::string& record : taken) {
      const Status status = records.Take(ctx_, &record);
      EXPECT_TRUE(status.ok()) << status;
    }
    return taken;
  }

  NodeInfo node_;
  std::vector<std::unique_ptr<Device>> devices_;
  CancelScope cancel_;
  MemoryFiles files_;
  StepEnvironment step_{.cancel = &cancel_, .files = &files_};
  KernelContext ctx_;
};

TEST_F(ShuffledRecordsTest, EachPassHasEachRecordOnce) {
  for (int i = 0; i < 3; ++i) WriteFile(absl::StrCat("/f", i), 5);
  WriteFile("/other", 2);
  for (const size_t buffered : {1, 4, 100}) {
    ShuffledRecords records(
        {.patterns = "/f*,/other", .shift_ratio = 0.5, .buffered = buffered});
    std::set<std::vector<std::string>> orders;
    for (int pass = 0; pass < 3; ++pass) {
      const std::vector<std::string> taken = Take(records, 17);
      EXPECT_EQ(std::set<std::string>(taken.begin(), taken.end()).size(), 17);
      orders.insert(taken);
    }
    EXPECT_EQ(orders.size(), 3);
  }
}

TEST_F(ShuffledRecordsTest, ASeedGivesOneOrder) {
  for (int i = 0; i < 3; ++i) WriteFile(absl::StrCat("/f", i), 5);
  const ShuffledRecordsOptions options{.patterns = "/f*", .seed = 7};
  ShuffledRecords a(options), b(options);
  EXPECT_EQ(Take(a, 40), Take(b, 40));
}

TEST_F(ShuffledRecordsTest, SaysWhyThereAreNoRecords) {
  std::string record;
  ShuffledRecords none({.patterns = "/none*"});
  EXPECT_EQ(none.Take(ctx_, &record).code(), StatusCode::kNotFound);
  WriteFile("/empty", 0);
  ShuffledRecords empty({.patterns = "/empty"});
  EXPECT_EQ(empty.Take(ctx_, &record).code(), StatusCode::kFailedPrecondition);
  ASSERT_TRUE(WriteStringToFile(&files_, "/bad", std::string(100, 'b')).ok());
  ShuffledRecords bad({.patterns = "/bad"});
  EXPECT_EQ(bad.Take(ctx_, &record).code(), StatusCode::kDataLoss);
}

}  // namespace
}  // namespace millrace::ops
