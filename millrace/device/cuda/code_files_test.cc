#include "millrace/device/cuda/code_files.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "millrace/base/files/memory_files.h"

namespace millrace::cuda {
namespace {

TEST(CodeFiles, ReadsWhatWasWritten) {
  MemoryFiles files;
  CodeFiles code(&files, "/home/cache/gpu", 1 << 20);
  EXPECT_EQ(code.Read("a"), std::nullopt);
  code.Write("a", std::string("code\0with zeros", 15));
  code.Write("b", "");
  EXPECT_EQ(code.Read("a"), std::string("code\0with zeros", 15));
  EXPECT_EQ(code.Read("b"), "");
  CodeFiles later(&files, "/home/cache/gpu", 1 << 20);
  EXPECT_EQ(later.Read("a"), code.Read("a"));
}

TEST(CodeFiles, DamagedFilesAreNotThere) {
  MemoryFiles files;
  CodeFiles code(&files, "/cache", 1 << 20);
  code.Write("a", "some code");
  const std::string path = "/cache/a.gpucode";
  const std::string whole = *ReadFileToString(&files, path);
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    ASSERT_TRUE(WriteStringToFile(&files, path, damaged).ok());
    EXPECT_EQ(code.Read("a"), std::nullopt) << i;
    ASSERT_TRUE(WriteStringToFile(&files, path, whole.substr(0, i)).ok());
    EXPECT_EQ(code.Read("a"), std::nullopt) << i;
  }
  // That of another key.
  ASSERT_TRUE(WriteStringToFile(&files, "/cache/b.gpucode", whole).ok());
  EXPECT_EQ(code.Read("b"), std::nullopt);
  code.Write("b", "new");
  EXPECT_EQ(code.Read("b"), "new");
}

TEST(CodeFiles, TheOldestGiveWay) {
  MemoryFiles files;
  CodeFiles code(&files, "/cache", 10'000);
  for (int i = 0; i < 40; ++i) {
    code.Write(absl::StrCat("k", 100 + i), std::string(900, 'x'));
  }
  const auto names = *files.GetChildren("/cache");
  EXPECT_LE(names.size(), 11u);
  EXPECT_GE(names.size(), 6u);
  EXPECT_NE(code.Read("k139"), std::nullopt);
  EXPECT_EQ(code.Read("k100"), std::nullopt);
  // A single file that would push out all others is not kept.
  code.Write("large", std::string(5000, 'x'));
  EXPECT_EQ(code.Read("large"), std::nullopt);
}

TEST(CodeFiles, ErrorsOnlyMeanThatNothingIsKept) {
  MemoryFiles files;
  CodeFiles code(&files, "/cache", 1 << 20);
  code.Write("a", "x");
  files.SetFault([](FileOp op, const std::string&) {
    return op == FileOp::kRename || op == FileOp::kRead ? Internal("no disk")
                                                        : OkStatus();
  });
  code.Write("b", "x");
  EXPECT_EQ(code.Read("a"), std::nullopt);
  files.SetFault(nullptr);
  EXPECT_EQ(code.Read("a"), "x");
  EXPECT_EQ(code.Read("b"), std::nullopt);
  CodeFiles none(&files, "", 1 << 20);
  none.Write("a", "x");
  EXPECT_EQ(none.Read("a"), std::nullopt);
}

}  // namespace
}  // namespace millrace::cuda
