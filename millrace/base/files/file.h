// FileSystem: the interface for all access to files, so that object stores,
// memory and simulated disks can replace the local disk.
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

// A file that is read at any offset. Thread-safe.
class RandomAccessFile {
 public:
  virtual ~RandomAccessFile() = default;
  // Reads up to `n` bytes at `offset` into `buffer` and returns how many.
  // Returns less than `n` only at the end of the file, and 0 at and behind it.
  virtual StatusOr<size_t> Read(uint64_t offset, size_t n,
                                char* buffer) const = 0;
  virtual StatusOr<uint64_t> Size() const = 0;
};

// A file that is written from front to back. For one thread at a time.
// Destroying it without Close may lose data and errors.
class WritableFile {
 public:
  virtual ~WritableFile() = default;
  virtual Status Append(absl::string_view data) = 0;
  // Hands buffered data to the operating system.
  virtual Status Flush() = 0;
  // Flushes, and waits until the data is on the disk.
  virtual Status Sync() = 0;
  // Flushes and closes. A second call returns OK.
  virtual Status Close() = 0;
};

// A file system. Thread-safe. Paths are separated by '/'.
class FileSystem {
 public:
  virtual ~FileSystem() = default;

  virtual StatusOr<std::unique_ptr<RandomAccessFile>> NewRandomAccessFile(
      const std::string& path) = 0;
  // Truncates the file, or creates it.
  virtual StatusOr<std::unique_ptr<WritableFile>> NewWritableFile(
      const std::string& path) = 0;
  // Opens the file for appending, or creates it.
  virtual StatusOr<std::unique_ptr<WritableFile>> NewAppendableFile(
      const std::string& path) = 0;
  // Creates the file. Returns ALREADY_EXISTS if there is one: of several
  // processes that try at the same time, one has it.
  virtual StatusOr<std::unique_ptr<WritableFile>> NewExclusiveFile(
      const std::string& path) = 0;

  // Returns OK or NOT_FOUND, or the error that prevented the check.
  virtual Status Exists(const std::string& path) = 0;
  // Returns OK for a directory, NOT_FOUND, or FAILED_PRECONDITION for anything
  // else.
  virtual Status IsDirectory(const std::string& path) = 0;
  // Returns the names of the entries, not their paths, sorted, without "." and
  // "..".
  virtual StatusOr<std::vector<std::string>> GetChildren(
      const std::string& path) = 0;
  virtual StatusOr<uint64_t> GetSize(const std::string& path) = 0;
  // Returns the time of the last change in nanoseconds since 1970.
  virtual StatusOr<int64_t> GetModifiedNanos(const std::string& path) = 0;

  virtual Status Delete(const std::string& path) = 0;  // a file
  virtual Status CreateDir(const std::string& path) = 0;
  virtual Status DeleteDir(const std::string& path) = 0;  // must be empty
  // Replaces `to` atomically.
  virtual Status Rename(const std::string& from, const std::string& to) = 0;
  // Blocks until creations, renames and deletions in the directory are on the
  // disk.
  virtual Status SyncDir(const std::string& path) = 0;
  // Returns the path without ".", ".." and symbolic links. Components that do
  // not exist are kept as they are.
  virtual StatusOr<std::string> Canonical(const std::string& path) = 0;

  // The following are implemented by the calls above; all may be overridden.
  //
  // Creates the directory and its missing parents. Returns OK if it exists.
  virtual Status CreateDirRecursively(const std::string& path);
  // Deletes the directory and everything in it.
  virtual Status DeleteDirRecursively(const std::string& path);
  // Returns the paths that match `pattern` (see MatchGlob), sorted; an empty
  // list is not an error.
  virtual StatusOr<std::vector<std::string>> GetMatchingPaths(
      const std::string& pattern);
};

// Returns the local disk, which is never destroyed.
FileSystem* PosixFiles();
// Returns PosixFiles(); in a simulation the world's MemoryFiles, which all of
// its processes share.
FileSystem* DefaultFiles();

StatusOr<std::string> ReadFileToString(FileSystem* files,
                                       const std::string& path);
// Whether the data is on the disk when the call returns.
enum class Durability { kUnsynced, kSynced };
// Creates or truncates the file, writes `data` and closes it.
Status WriteStringToFile(FileSystem* files, const std::string& path,
                         absl::string_view data,
                         Durability durability = Durability::kUnsynced);
// Writes the file through PATH.tmp-RANDOM and Rename, so that readers see
// either the old or the new content, also after a crash.
Status WriteFileAtomically(FileSystem* files, const std::string& path,
                           absl::string_view data);

// Returns whether `text` matches a pattern of the shell within one path
// component: * ? [a-z] [!a-z] and \ before a special character. Neither * nor ?
// matches a '/'.
bool MatchGlob(absl::string_view pattern, absl::string_view text);

// Returns the Status for `errno_value` with TensorFlow's code and the message
// "CONTEXT; strerror".
Status ErrnoStatus(absl::string_view context, int errno_value);

// The following functions handle paths as text, without access to files.
std::string JoinPath(absl::string_view directory, absl::string_view name);
absl::string_view Dirname(absl::string_view path);   // "" if there is no '/'
absl::string_view Basename(absl::string_view path);  // "" after a last '/'
// Returns the path without "//", "." and, where possible, "..".
std::string CleanPath(absl::string_view path);

}  // namespace millrace
