#include "millrace/base/files/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "millrace/base/files/memory_files.h"
#include "millrace/base/files/rooted_files.h"
#include "millrace/base/random.h"
#include "millrace/base/sim/sim.h"

namespace millrace {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::IsEmpty;

// Every file system meets the same expectations.
class FileSystemTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const std::string kind = GetParam();
    const char* temporary = getenv("TMPDIR");
    root_ = JoinPath(
        temporary ? temporary : "/tmp",
        absl::StrCat("millrace-file-test-", absl::Hex(RandomUint64())));
    files_ = kind == "memory" ? &memory_ : PosixFiles();
    ASSERT_TRUE(files_->CreateDirRecursively(root_).ok());
    if (kind == "rooted") {
      rooted_ = RootedFiles::Make(files_, root_).value();
      files_ = rooted_.get();
    }
  }
  void TearDown() override {
    FileSystem* all = rooted_ ? PosixFiles() : files_;
    EXPECT_TRUE(all->DeleteDirRecursively(root_).ok());
    EXPECT_FALSE(all->Exists(root_).ok());
  }
  std::string Path(absl::string_view name) { return JoinPath(root_, name); }

  MemoryFiles memory_;
  std::unique_ptr<RootedFiles> rooted_;
  FileSystem* files_ = nullptr;
  std::string root_;
};

TEST_P(FileSystemTest, WritesAndReads) {
  const std::string path = Path("a");
  auto file = files_->NewWritableFile(path).value();
  EXPECT_TRUE(file->Append("hello ").ok());
  EXPECT_TRUE(file->Append(std::string(200'000, 'x')).ok());
  EXPECT_TRUE(file->Flush().ok());
  EXPECT_EQ(*files_->GetSize(path), 200'006u);
  EXPECT_TRUE(file->Append("end").ok());
  EXPECT_TRUE(file->Sync().ok());
  EXPECT_TRUE(file->Close().ok());
  EXPECT_TRUE(file->Close().ok());
  EXPECT_EQ(file->Append("x").code(), StatusCode::kFailedPrecondition);

  auto reader = files_->NewRandomAccessFile(path).value();
  EXPECT_EQ(*reader->Size(), 200'009u);
  char buffer[16];
  EXPECT_EQ(*reader->Read(200'005, 16, buffer), 4u);
  EXPECT_EQ(absl::string_view(buffer, 4), "xend");
  EXPECT_EQ(*reader->Read(200'009, 16, buffer), 0u);
  EXPECT_EQ(*reader->Read(1'000'000, 16, buffer), 0u);

  EXPECT_TRUE(files_->NewAppendableFile(path).value()->Append("!").ok());
  EXPECT_THAT(*ReadFileToString(files_, path), EndsWith("xend!"));
  EXPECT_TRUE(WriteStringToFile(files_, path, "short").ok());
  EXPECT_EQ(*ReadFileToString(files_, path), "short");
  EXPECT_TRUE(WriteFileAtomically(files_, path, "new").ok());
  EXPECT_EQ(*ReadFileToString(files_, path), "new");
  EXPECT_EQ(files_->NewExclusiveFile(path).status().code(),
            StatusCode::kAlreadyExists);
  EXPECT_EQ(*ReadFileToString(files_, path), "new");
  EXPECT_THAT(*files_->GetChildren(root_), ElementsAre("a"));
  EXPECT_GT(*files_->GetModifiedNanos(path), 0);
}

TEST_P(FileSystemTest, ErrorsHaveCodeAndText) {
  const std::string path = Path("missing");
  const Status missing = NotFound(path, "; No such file or directory");
  EXPECT_EQ(files_->NewRandomAccessFile(path).status(), missing);
  EXPECT_EQ(files_->Exists(path), missing);
  EXPECT_EQ(files_->Delete(path), missing);
  EXPECT_EQ(files_->GetSize(path).status(), missing);
  EXPECT_EQ(files_->GetChildren(path).status(), missing);
  EXPECT_EQ(files_->IsDirectory(path), missing);
  EXPECT_EQ(files_->NewWritableFile(Path("no/dir")).status().code(),
            StatusCode::kNotFound);
  EXPECT_EQ(files_->NewRandomAccessFile(root_).status().code(),
            StatusCode::kFailedPrecondition);
  ASSERT_TRUE(WriteStringToFile(files_, Path("file"), "x").ok());
  EXPECT_EQ(files_->IsDirectory(Path("file")).code(),
            StatusCode::kFailedPrecondition);
  EXPECT_EQ(files_->CreateDir(Path("file")).code(), StatusCode::kAlreadyExists);
}

TEST_P(FileSystemTest, Directories) {
  EXPECT_TRUE(files_->CreateDirRecursively(Path("x/y/z")).ok());
  EXPECT_TRUE(files_->CreateDirRecursively(Path("x/y/z/")).ok());
  EXPECT_TRUE(files_->IsDirectory(Path("x/y")).ok());
  ASSERT_TRUE(WriteStringToFile(files_, Path("x/y/f"), "1").ok());
  ASSERT_TRUE(WriteStringToFile(files_, Path("x/y-g"), "2").ok());
  EXPECT_THAT(*files_->GetChildren(Path("x")), ElementsAre("y", "y-g"));
  EXPECT_EQ(files_->DeleteDir(Path("x/y")).code(),
            StatusCode::kFailedPrecondition);
  EXPECT_TRUE(files_->Rename(Path("x/y"), Path("x/w")).ok());
  EXPECT_EQ(*ReadFileToString(files_, Path("x/w/f")), "1");
  EXPECT_FALSE(files_->Exists(Path("x/y/f")).ok());
  EXPECT_TRUE(files_->Rename(Path("x/y-g"), Path("x/w/f")).ok());
  EXPECT_EQ(*ReadFileToString(files_, Path("x/w/f")), "2");
  EXPECT_TRUE(files_->SyncDir(Path("x")).ok());
  EXPECT_TRUE(files_->DeleteDirRecursively(Path("x")).ok());
  EXPECT_FALSE(files_->Exists(Path("x")).ok());
}

TEST_P(FileSystemTest, MatchingPaths) {
  ASSERT_TRUE(files_->CreateDirRecursively(Path("d1")).ok());
  ASSERT_TRUE(files_->CreateDirRecursively(Path("d2")).ok());
  for (const char* name : {"d1/a.csv", "d1/b.csv", "d2/a.csv", "d2/.c.csv"}) {
    ASSERT_TRUE(WriteStringToFile(files_, Path(name), "").ok());
  }
  EXPECT_THAT(*files_->GetMatchingPaths(Path("d*/a.csv")),
              ElementsAre(Path("d1/a.csv"), Path("d2/a.csv")));
  EXPECT_THAT(*files_->GetMatchingPaths(Path("d[2-3]/*")),
              ElementsAre(Path("d2/a.csv")));
  EXPECT_THAT(*files_->GetMatchingPaths(Path("d1/b.csv")),
              ElementsAre(Path("d1/b.csv")));
  EXPECT_THAT(*files_->GetMatchingPaths(Path("nowhere/*")), IsEmpty());
  EXPECT_THAT(*files_->GetMatchingPaths(Path("d1/a.csv/*")), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(All, FileSystemTest,
                         ::testing::Values("posix", "memory", "rooted"),
                         [](const auto& info) {
                           return std::string(info.param);
                         });

TEST(RootedFilesTest, NothingLeavesTheRoot) {
  const std::string top =
      absl::StrCat("/tmp/millrace-rooted-test-", absl::Hex(RandomUint64()));
  FileSystem* disk = PosixFiles();
  ASSERT_TRUE(disk->CreateDirRecursively(top + "/root/sub").ok());
  ASSERT_TRUE(WriteStringToFile(disk, top + "/secret", "s").ok());
  ASSERT_TRUE(WriteStringToFile(disk, top + "/root/sub/f", "inside").ok());
  ASSERT_EQ(symlink((top + "/secret").c_str(), (top + "/root/l1").c_str()), 0);
  ASSERT_EQ(symlink("..", (top + "/root/l2").c_str()), 0);
  ASSERT_EQ(symlink("../new", (top + "/root/dangling").c_str()), 0);
  ASSERT_EQ(symlink("sub/f", (top + "/root/good").c_str()), 0);
  const auto rooted = RootedFiles::Make(disk, top + "/root").value();

  EXPECT_EQ(*ReadFileToString(rooted.get(), "sub/f"), "inside");
  EXPECT_EQ(*ReadFileToString(rooted.get(), "good"), "inside");
  EXPECT_EQ(*ReadFileToString(rooted.get(), top + "/root/sub/../sub/f"),
            "inside");
  for (const std::string& path :
       {top + "/secret", std::string("../secret"), std::string("l1"),
        std::string("l2/secret"), std::string("sub/../../secret"),
        std::string("/etc/passwd"), top + "/root/../secret",
        top + "/rootless"}) {
    EXPECT_EQ(ReadFileToString(rooted.get(), path).status().code(),
              StatusCode::kPermissionDenied)
        << path;
  }
  EXPECT_EQ(WriteStringToFile(rooted.get(), "dangling", "x").code(),
            StatusCode::kPermissionDenied);
  EXPECT_FALSE(disk->Exists(top + "/new").ok());
  EXPECT_EQ(rooted->Rename("sub/f", "../f").code(),
            StatusCode::kPermissionDenied);
  EXPECT_EQ(rooted->GetChildren("..").status().code(),
            StatusCode::kPermissionDenied);
  EXPECT_EQ(rooted->Exists(std::string("sub/f\0x", 7)).code(),
            StatusCode::kInvalidArgument);
  // Deleting a link deletes the link.
  EXPECT_TRUE(rooted->Delete("l1").ok());
  EXPECT_TRUE(disk->Exists(top + "/secret").ok());
  EXPECT_THAT(*rooted->GetMatchingPaths("../*"), IsEmpty());
  EXPECT_TRUE(disk->DeleteDirRecursively(top).ok());
}

TEST(MemoryFilesTest, CrashLosesOnlyWhatIsNotSynced) {
  bool lost_file = false;
  bool lost_tail = false;
  bool torn = false;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    MemoryFiles files(seed);
    ASSERT_TRUE(
        WriteStringToFile(&files, "/safe", "safe", Durability::kSynced).ok());
    ASSERT_TRUE(files.SyncDir("/").ok());
    auto open = files.NewAppendableFile("/safe").value();
    ASSERT_TRUE(open->Append("-tail").ok());
    ASSERT_TRUE(
        WriteStringToFile(&files, "/loose", "x", Durability::kSynced).ok());
    files.Crash();
    EXPECT_FALSE(open->Append("x").ok());
    const std::string text = ReadFileToString(&files, "/safe").value();
    EXPECT_EQ(text.substr(0, 4), "safe");
    lost_tail |= text == "safe";
    torn |=
        text.substr(0, 9) != std::string("safe-tail").substr(0, text.size());
    lost_file |= !files.Exists("/loose").ok();
  }
  EXPECT_TRUE(lost_file && lost_tail && torn);
}

TEST(MemoryFilesTest, AtomicWriteSurvivesCrashes) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    MemoryFiles files(seed);
    ASSERT_TRUE(WriteFileAtomically(&files, "/f", "old").ok());
    files.SetFault([](FileOp op, const std::string&) {
      return op == FileOp::kSyncDir ? ErrnoStatus("disk", EIO) : OkStatus();
    });
    EXPECT_FALSE(WriteFileAtomically(&files, "/f", "new").ok());
    files.SetFault(nullptr);
    files.Crash();
    const std::string text = ReadFileToString(&files, "/f").value();
    EXPECT_TRUE(text == "old" || text == "new") << text;
  }
}

TEST(MemoryFilesTest, FullDiskAndFaults) {
  MemoryFiles files;
  files.SetLimit(10);
  EXPECT_TRUE(WriteStringToFile(&files, "a", "12345").ok());
  const Status full = WriteStringToFile(&files, "b", "1234567");
  EXPECT_EQ(full, ResourceExhausted("b; No space left on device"));
  EXPECT_EQ(*ReadFileToString(&files, "b"), "12345");
  files.SetFault([](FileOp op, const std::string& path) {
    return op == FileOp::kRead ? ErrnoStatus(path, EIO) : OkStatus();
  });
  EXPECT_EQ(ReadFileToString(&files, "a").status().message(),
            "a; Input/output error");
}

TEST(FileTest, DefaultFilesOfASimulation) {
  EXPECT_EQ(DefaultFiles(), PosixFiles());
  SimWorld({}).Run([] {
    EXPECT_NE(DefaultFiles(), PosixFiles());
    EXPECT_TRUE(WriteStringToFile(DefaultFiles(), "/x", "y").ok());
    EXPECT_EQ(*ReadFileToString(DefaultFiles(), "/x"), "y");
  });
}

TEST(FileTest, ReadsFilesOfUnknownSize) {
  EXPECT_FALSE(ReadFileToString(PosixFiles(), "/proc/self/status")->empty());
}

TEST(FileTest, PipesWithoutTheOtherEndAreErrorsAtOnce) {
  const char* temporary = getenv("TMPDIR");
  const std::string path =
      JoinPath(temporary ? temporary : "/tmp",
               absl::StrCat("millrace-pipe-test-", absl::Hex(RandomUint64())));
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_FALSE(PosixFiles()->NewRandomAccessFile(path).ok());
  EXPECT_FALSE(PosixFiles()->NewWritableFile(path).ok());
  EXPECT_FALSE(PosixFiles()->NewAppendableFile(path).ok());
  EXPECT_TRUE(PosixFiles()->Delete(path).ok());
}

TEST(FileTest, Globs) {
  EXPECT_TRUE(MatchGlob("a*c", "abbbc"));
  EXPECT_TRUE(MatchGlob("*.tf?ecord*", "x.tfrecord-00001"));
  EXPECT_TRUE(MatchGlob("[!a-c]x", "dx"));
  EXPECT_FALSE(MatchGlob("[!a-c]x", "bx"));
  EXPECT_TRUE(MatchGlob("[]x]", "]"));
  EXPECT_TRUE(MatchGlob("\\*", "*"));
  EXPECT_FALSE(MatchGlob("\\*", "a"));
  EXPECT_FALSE(MatchGlob("*", "a/b"));
  EXPECT_TRUE(MatchGlob("*", ""));
  EXPECT_TRUE(MatchGlob("*a*b", "xaxbxb"));
  EXPECT_FALSE(MatchGlob("?", "/"));
  EXPECT_TRUE(MatchGlob("[", "["));
  EXPECT_FALSE(MatchGlob("a", "ab"));
}

TEST(FileTest, Paths) {
  EXPECT_EQ(JoinPath("a/", "/b"), "a/b");
  EXPECT_EQ(JoinPath("", "b"), "b");
  EXPECT_EQ(JoinPath("/", "b"), "/b");
  EXPECT_EQ(Dirname("/a/b"), "/a");
  EXPECT_EQ(Dirname("/a"), "/");
  EXPECT_EQ(Dirname("a"), "");
  EXPECT_EQ(Basename("/a/b"), "b");
  EXPECT_EQ(CleanPath("/a//./b/../c/"), "/a/c");
  EXPECT_EQ(CleanPath("/../a"), "/a");
  EXPECT_EQ(CleanPath("../a/.."), "..");
  EXPECT_EQ(CleanPath(""), ".");
}

TEST(FileTest, ErrnoCodes) {
  EXPECT_TRUE(ErrnoStatus("x", 0).ok());
  EXPECT_EQ(ErrnoStatus("p", ENOENT), NotFound("p; No such file or directory"));
  EXPECT_EQ(ErrnoStatus("p", EACCES).code(), StatusCode::kPermissionDenied);
  EXPECT_EQ(ErrnoStatus("p", ENOSPC).code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(ErrnoStatus("p", EIO).code(), StatusCode::kUnknown);
}

}  // namespace
}  // namespace millrace
