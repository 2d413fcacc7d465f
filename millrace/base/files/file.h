// FileSystem: every access to files, so that object stores, memory and
// simulated disks can stand in for the local disk.
//
// Errors have TensorFlow's codes and "PATH; reason" as text, for example
// NOT_FOUND "/a/b; No such file or directory".
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "millrace/base/status.h"

namespace millrace {

// Thread-safe.
class RandomAccessFile {
 public:
  virtual ~RandomAccessFile() = default;
  // Reads up to `n` bytes from `offset` into `buffer` and returns how many:
  // less only at the end of the file, 0 at and behind it.
  virtual StatusOr<size_t> Read(uint64_t offset, size_t n,
                                char* buffer) const = 0;
  virtual StatusOr<uint64_t> Size() const = 0;
};

// One thread at a time. Dropping it without Close may lose data and errors.
class WritableFile {
 public:
  virtual ~WritableFile() = default;
  virtual Status Append(absl::string_view data) = 0;
  // Hands buffered data to the operating system.
  virtual Status Flush() = 0;
  // Flush, and waits until the data is on the disk.
  virtual Status Sync() = 0;
  // Flush and close. A second call gives OK.
  virtual Status Close() = 0;
};

// Thread-safe. Paths are separated by '/'.
class FileSystem {
 public:
  virtual ~FileSystem() = default;

  virtual StatusOr<std::unique_ptr<RandomAccessFile>> NewRandomAccessFile(
      const std::string& path) = 0;
  // Truncates or creates.
  virtual StatusOr<std::unique_ptr<WritableFile>> NewWritableFile(
      const std::string& path) = 0;
  // Appends or creates.
  virtual StatusOr<std::unique_ptr<WritableFile>> NewAppendableFile(
      const std::string& path) = 0;

  // OK or NOT_FOUND (or what kept us from looking).
  virtual Status Exists(const std::string& path) = 0;
  // OK, NOT_FOUND, or FAILED_PRECONDITION for anything but a directory.
  virtual Status IsDirectory(const std::string& path) = 0;
  // Names, not paths, sorted, without . and ..
  virtual StatusOr<std::vector<std::string>> GetChildren(
      const std::string& path) = 0;
  virtual StatusOr<uint64_t> GetSize(const std::string& path) = 0;
  // Time of the last change in nanoseconds since 1970.
  virtual StatusOr<int64_t> GetModifiedNanos(const std::string& path) = 0;

  virtual Status Delete(const std::string& path) = 0;  // a file
  virtual Status CreateDir(const std::string& path) = 0;
  virtual Status DeleteDir(const std::string& path) = 0;  // must be empty
  // Replaces `to` atomically.
  virtual Status Rename(const std::string& from, const std::string& to) = 0;
  // Waits until creations, renames and deletions in the directory are on the
  // disk.
  virtual Status SyncDir(const std::string& path) = 0;
  // The path without ., .. and symbolic links; what does not exist is kept as
  // it is.
  virtual StatusOr<std::string> Canonical(const std::string& path) = 0;

  // By the calls above; all may be overridden.
  // Creates missing parents too; OK if it is there.
  virtual Status CreateDirRecursively(const std::string& path);
  // Deletes the directory and all in it.
  virtual Status DeleteDirRecursively(const std::string& path);
  // Paths that match `pattern` (see MatchGlob), sorted; none is not an error.
  virtual StatusOr<std::vector<std::string>> GetMatchingPaths(
      const std::string& pattern);
};

// The local disk. Never destroyed.
FileSystem* PosixFiles();
// PosixFiles(); in a simulation the MemoryFiles of the world, one for all of
// its processes.
FileSystem* DefaultFiles();

StatusOr<std::string> ReadFileToString(FileSystem* files,
                                       const std::string& path);
// Whether what is written is on the disk when the call returns.
enum class Durability { kUnsynced, kSynced };
// Writes and closes.
Status WriteStringToFile(FileSystem* files, const std::string& path,
                         absl::string_view data,
                         Durability durability = Durability::kUnsynced);
// The same through PATH.tmp-RANDOM and Rename, so that readers see the old or
// the new content, also after a crash.
Status WriteFileAtomically(FileSystem* files, const std::string& path,
                           absl::string_view data);

// The shell's patterns within one component: * ? [a-z] [!a-z] and \ before a
// special character. Neither * nor ? matches a '/'.
bool MatchGlob(absl::string_view pattern, absl::string_view text);

// The Status for `errno_value` with TensorFlow's code: "CONTEXT; strerror".
Status ErrnoStatus(absl::string_view context, int errno_value);

// Paths, lexically.
std::string JoinPath(absl::string_view directory, absl::string_view name);
absl::string_view Dirname(absl::string_view path);   // "" if there is no '/'
absl::string_view Basename(absl::string_view path);  // "" after a last '/'
// Without "//", "." and, where possible, "..".
std::string CleanPath(absl::string_view path);

}  // namespace millrace
