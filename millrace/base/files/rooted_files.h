// RootedFiles: a view of a file system that is confined to a directory.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "millrace/base/files/file.h"

namespace millrace {

// Thread-safe. A relative path starts at `root`; an absolute one must lie below
// it. Paths that leave the root by ".." or by symbolic links return
// PERMISSION_DENIED. A process that can create links below the root during the
// check can get around it; this interface cannot create links.
class RootedFiles final : public FileSystem {
 public:
  // Does not take ownership of `base`. Requires: `root` exists.
  static StatusOr<std::unique_ptr<RootedFiles>> Make(FileSystem* base,
                                                     const std::string& root);

  const std::string& root() const { return root_; }

  StatusOr<std::unique_ptr<RandomAccessFile>> NewRandomAccessFile(
      const std::string& path) override;
  StatusOr<std::unique_ptr<WritableFile>> NewWritableFile(
      const std::string& path) override;
  StatusOr<std::unique_ptr<WritableFile>> NewAppendableFile(
      const std::string& path) override;
  StatusOr<std::unique_ptr<WritableFile>> NewExclusiveFile(
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
  // Whether a link in the last component of a path stands for its target, which
  // must lie inside the root, or for the entry itself.
  enum class LastLink { kFollowed, kItself };
  // Returns the path for `base_`, or PERMISSION_DENIED.
  StatusOr<std::string> Resolve(const std::string& path, LastLink last_link);

  FileSystem* base_;
  std::string root_;
};

}  // namespace millrace
