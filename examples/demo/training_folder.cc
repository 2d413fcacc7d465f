#include "examples/demo/training_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "examples/demo/default_folder.h"
#include "millrace/millrace.h"

namespace millrace::demo {
namespace {

constexpr char kLockFile[] = "demo.lock";
constexpr char kLogFolder[] = "logs";
constexpr char kTempFolder[] = "_temp_";  // of the parts of a checkpoint

bool IsOurs(const std::string& name) {
  return absl::StartsWith(name, kCheckpointName) ||
         absl::StartsWith(name, "events.out.tfevents.") ||
         name == kCheckpointStateFilename;
}

bool IsLink(const std::string& path) {
  struct stat file;
  return lstat(path.c_str(), &file) == 0 && S_ISLNK(file.st_mode);
}

Status LinkError(const std::string& path) {
  return FailedPrecondition(path, " is a link; choose a folder with --dir");
}

}  // namespace

TrainingFolder::~TrainingFolder() {
  if (lock_ >= 0) close(lock_);
}

Status TrainingFolder::Open(const DemoOptions& options) {
  path_ = options.dir;
  FileSystem* const files = PosixFiles();
  MR_RETURN_IF_ERROR(path_ == DefaultFolder()
                         ? MakeDefaultFolder()
                         : files->CreateDirRecursively(path_));
  const std::string lock = JoinPath(path_, kLockFile);
  if (IsLink(lock)) return LinkError(lock);
  // Only what an earlier demo left is deleted, and it left this.
  constexpr int kFlags = O_RDWR | O_CLOEXEC | O_NOFOLLOW;
  lock_ = open(lock.c_str(), kFlags);
  if (lock_ < 0) {
    MR_RETURN_IF_ERROR(CheckNobodyElses(options.resume));
    lock_ = open(lock.c_str(), kFlags | O_CREAT, 0644);
  }
  if (lock_ < 0) return ErrnoStatus(lock, errno);
  if (flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    return Unavailable("another demo works in ", path_,
                       "; choose a folder with --dir");
  }
  MR_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                      files->GetChildren(path_));
  for (const std::string& name : names) {
    const std::string path = JoinPath(path_, name);
    if ((IsOurs(name) || name == kLogFolder) && IsLink(path)) {
      return LinkError(path);
    }
    if (files->IsDirectory(path).ok()) {
      if (name == kLogFolder) {
        MR_RETURN_IF_ERROR(files->DeleteDirRecursively(path));
      } else if (IsOurs(name) && absl::StrContains(name, kTempFolder)) {
        // What is none of a save's stays.
        DeleteParts(files, path).IgnoreError();
      }
    } else if (IsOurs(name) && !options.resume) {
      MR_RETURN_IF_ERROR(files->Delete(path));
    }
  }
  return OkStatus();
}

Status TrainingFolder::CheckNobodyElses(bool resume) const {
  MR_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                      PosixFiles()->GetChildren(path_));
  for (const std::string& name : names) {
    if ((IsOurs(name) && !resume) || name == kLogFolder) {
      return FailedPrecondition(path_, " has ", name,
                                " that no demo made, and the demo would "
                                "replace it; choose a folder with --dir");
    }
  }
  return OkStatus();
}

StatusOr<std::string> TrainingFolder::Newest(
    const std::vector<std::string>& variables) const {
  FileSystem* const files = PosixFiles();
  MR_ASSIGN_OR_RETURN(std::string newest, LatestCheckpoint(files, path_));
  if (newest.empty()) return newest;
  MR_ASSIGN_OR_RETURN(const std::unique_ptr<BundleReader> reader,
                      BundleReader::Open(files, newest));
  for (const std::string& name : variables) {
    if (reader->Contains(name)) continue;
    return FailedPrecondition(newest, " has no ", name,
                              ": it was trained by another --optimizer");
  }
  return newest;
}

}  // namespace millrace::demo
