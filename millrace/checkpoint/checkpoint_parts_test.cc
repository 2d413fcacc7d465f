#include "millrace/checkpoint/checkpoint_parts.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "millrace/base/clock.h"
#include "millrace/base/files/memory_files.h"
#include "millrace/base/sim/sim.h"
#include "millrace/checkpoint/bundle/bundle_writer.h"
#include "millrace/checkpoint/checkpoint_paths.h"
#include "millrace/tensor/tensor.h"

namespace millrace {
namespace {

constexpr int64_t kHourNanos = 3'600'000'000'000;
constexpr char kId[] = "0123456789abcdef0123456789abcdef";

class CheckpointPartsTest : public testing::Test {
 protected:
  void Write(const std::string& path) {
    ASSERT_TRUE(files_.CreateDirRecursively(std::string(Dirname(path))).ok());
    ASSERT_TRUE(WriteStringToFile(&files_, path, "x").ok());
  }
  // Makes the folder of a save that died after its first part.
  std::string Left(const std::string& folder) {
    Write(folder + "/part-00000-of-00002.index");
    Write(folder + "/part-00000-of-00002.data-00000-of-00001");
    Write(folder + "/part-00001-of-00002.data-00000-of-00001.tempstate123");
    return folder;
  }
  bool IsThere(const std::string& path) { return files_.Exists(path).ok(); }

  MemoryFiles files_;
};

TEST_F(CheckpointPartsTest, FoldersOfPartsGo) {
  const std::string suffix = FreshPartsSuffix();
  EXPECT_TRUE(absl::StartsWith(suffix, "_temp_millrace_")) << suffix;
  EXPECT_NE(suffix, FreshPartsSuffix());
  // The names that a save writes are recognized as its parts.
  const std::string part = ShardedFilename("/d/m" + suffix, 0, 2);
  auto writer = *BundleWriter::Open(&files_, part);
  ASSERT_TRUE(writer->Add("v", Tensor::Zeros(DataType::kFloat, {10})).ok());
  ASSERT_TRUE(writer->Finish().ok());
  auto unfinished =
      *BundleWriter::Open(&files_, ShardedFilename("/d/m" + suffix, 1, 2));
  const std::string folder(Dirname(part));
  const Status deleted = DeleteParts(&files_, folder);
  EXPECT_TRUE(deleted.ok()) << deleted;
  EXPECT_FALSE(IsThere(folder));
  EXPECT_TRUE(DeleteParts(&files_, folder).ok());
  EXPECT_FALSE(unfinished->Finish().ok());

  EXPECT_TRUE(DeleteParts(&files_, Left("/d/m_temp_0")).ok());
  EXPECT_FALSE(IsThere("/d/m_temp_0"));
}

TEST_F(CheckpointPartsTest, FoldersWithOtherFilesStayWhole) {
  for (const char* other :
       {"notes", "part-00000-of-00002", "part-00000-of-00002.index.old",
        "part-0-of-2.index", "part-00000-of-00002.data",
        "part-00000-of-00002.index.tempstate", "sub/file"}) {
    const std::string folder = Left("/d/m_temp_1");
    Write(folder + "/" + other);
    EXPECT_EQ(DeleteParts(&files_, folder).code(),
              StatusCode::kFailedPrecondition)
        << other;
    EXPECT_TRUE(IsThere(folder + "/part-00000-of-00002.index"));
    ASSERT_TRUE(files_.DeleteDirRecursively(folder).ok());
  }
  Write("/d/file");
  EXPECT_FALSE(DeleteParts(&files_, "/d/file").ok());
  EXPECT_TRUE(IsThere("/d/file"));
}

TEST_F(CheckpointPartsTest, OnlyAbandonedOnesOfTheSameCheckpointsGo) {
  const std::string id = kId;
  const std::vector<std::string> ours = {Left("/d/m_temp_millrace_" + id),
                                         Left("/d/m-7_temp_millrace_" + id)};
  std::vector<std::string> others = {
      Left("/d/m-7_temp_" + id),  // of TensorFlow
      Left("/d/m-7_temp_millrace_" + id.substr(1)),
      Left("/d/m-7_temp_millrace_" + id + "0"),
      Left("/d/m-7_temp_millrace_" + id.substr(1) + "x"),
      Left("/d/m-x_temp_millrace_" + id),
      Left("/d/m-_temp_millrace_" + id),
      Left("/d/mm-7_temp_millrace_" + id),
      Left("/d/m-7-8_temp_millrace_" + id),
      Left("/e/m-7_temp_millrace_" + id),
      Left("/d/m-8_temp_millrace_" + id)};
  Write(others.back() + "/notes");
  Write("/d/m-9.index");
  ASSERT_TRUE(
      DeleteAbandonedParts(&files_, "/d/m", "/d/m-9.index", kHourNanos).ok());
  for (const std::string& folder : ours) EXPECT_TRUE(IsThere(folder));
  ASSERT_TRUE(DeleteAbandonedParts(&files_, "/d/m", "/d/m-9.index", 0).ok());
  for (const std::string& folder : ours) EXPECT_FALSE(IsThere(folder));
  for (const std::string& folder : others) EXPECT_TRUE(IsThere(folder));
  EXPECT_FALSE(DeleteAbandonedParts(&files_, "/d/m", "/d/none", 0).ok());
}

// Each write to one file keeps all of them.
TEST(AbandonedParts, GoAnHourAfterTheLastChange) {
  const SimResult result = SimWorld({.seed = 1}).Run([] {
    constexpr int64_t kMinuteMs = 60'000;
    const auto wait = [](int64_t minutes) {
      SleepUntil(Deadline::AfterMillis(minutes * kMinuteMs));
    };
    MemoryFiles files;
    const std::string folder = absl::StrCat("/d/m-7_temp_millrace_", kId);
    ASSERT_TRUE(files.CreateDirRecursively(folder).ok());
    for (const char* part : {"/part-00000-of-00002.index",
                             "/part-00001-of-00002.index.tempstate1"}) {
      ASSERT_TRUE(WriteStringToFile(&files, folder + part, "x").ok());
      wait(40);
    }
    ASSERT_TRUE(WriteStringToFile(&files, "/d/m-9.index", "x").ok());
    wait(600);  // time without a look at the folder does not count
    ASSERT_TRUE(
        DeleteAbandonedParts(&files, "/d/m", "/d/m-9.index", kHourNanos).ok());
    EXPECT_TRUE(files.Exists(folder).ok());
    ASSERT_TRUE(WriteStringToFile(&files, "/d/m-10.index", "x").ok());
    ASSERT_TRUE(
        DeleteAbandonedParts(&files, "/d/m", "/d/m-10.index", kHourNanos).ok());
    EXPECT_FALSE(files.Exists(folder).ok());
  });
  EXPECT_TRUE(result.status.ok()) << result.Report();
}

}  // namespace
}  // namespace millrace
