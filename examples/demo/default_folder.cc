#include "examples/demo/default_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "millrace/millrace.h"

namespace millrace::demo {
namespace {

Status CheckOwn(const std::string& path) {
  struct stat folder {};
  if (lstat(path.c_str(), &folder) != 0) return ErrnoStatus(path, errno);
  const char* const wrong = S_ISLNK(folder.st_mode)      ? " is a link"
                            : !S_ISDIR(folder.st_mode)   ? " is no folder"
                            : folder.st_uid != geteuid() ? " is another user's"
                            : (folder.st_mode & (S_IWGRP | S_IWOTH))
                                ? " can be written by others"
                                : nullptr;
  if (wrong == nullptr) return OkStatus();
  return FailedPrecondition(path, wrong, "; choose a folder with --dir");
}

}  // namespace

std::string DefaultFolder() {
  const char* const given = std::getenv("TMPDIR");
  return JoinPath(given == nullptr || *given == '\0' ? "/tmp" : given,
                  absl::StrCat("millrace-demo-", geteuid()));
}

Status MakeDefaultFolder() {
  const std::string path = DefaultFolder();
  // One that is there stays as it is: what it is good for is seen afterwards.
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    return Annotate(ErrnoStatus(path, errno), "; choose a folder with --dir");
  }
  return CheckOwn(path);
}

}  // namespace millrace::demo
