// RootedFiles: a view of a file system that ends at a directory.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "millrace/base/files/file.h"

namespace millrace {

// Thread-safe. A relative path is taken from `root`; an absolute one must lie
// below it. Paths that leave it by .. or by symbolic links give
// PERMISSION_DENIED. Whoever can create links
// below the root while we look can get around it: the interface here cannot.
class RootedFiles final : public FileSystem {
 public:
  // Does not own `base`. `root` exists.
  static StatusOr<std::unique_ptr<RootedFiles>> Make(FileSystem* base,
                                                     const std::string& root);

  const std::string& root() const { return root_; }

  StatusOr<std::unique_ptr<RandomAccessFile>> NewRandomAccessFile(
      const std::string& path) override;
  StatusOr<std::unique_ptr<WritableFile>> NewWritableFile(
      const std::string& path) override;
  StatusOr<std::unique_ptr<WritableFile>> NewAppendableFile(
      const std::string& path) override;
  Status Exists(const std::string& path) override;
  Status IsDirectory(const std::string& path) override;
  StatusOr<std::vector<std::string>> GetChildren(
      const std::string& path) override;
  StatusOr<uint64_t> GetSize(const std::string& path) override;
  StatusOr<int64_t> GetModifiedNanos(const std::string& path) override;
  Status Delete(const std::string& path) override;
  Status CreateDir(const std::string& path) override;
  Status DeleteDir(const std::string& path) override;
  Status Rename(const std::string& from, const std::string& to) override;
  Status SyncDir(const std::string& path) override;
  StatusOr<std::string> Canonical(const std::string& path) override;

 private:
  RootedFiles(FileSystem* base, std::string root)
      : base_(base), root_(std::move(root)) {}
  // What a link in the last component of a path stands for: its target, which
  // must lie inside, or the entry itself.
  enum class LastLink { kFollowed, kItself };
  // The path to hand on, or PERMISSION_DENIED.
  StatusOr<std::string> Resolve(const std::string& path, LastLink last_link);

  FileSystem* base_;
  std::string root_;
};

}  // namespace millrace
