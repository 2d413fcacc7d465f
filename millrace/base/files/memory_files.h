// MemoryFiles: a file system in memory, for tests and simulations, whose
// operations can fail and which can crash as a disk does.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "millrace/base/files/file.h"
#include "millrace/base/memory/ref.h"
#include "millrace/base/random.h"
#include "millrace/base/threads/thread.h"

namespace millrace {

enum class FileOp {
  kOpenRead,
  kRead,
  kOpenWrite,
  kAppend,
  kFlush,
  kSync,
  kClose,
  kStat,
  kList,
  kDelete,
  kCreateDir,
  kDeleteDir,
  kRename,
  kSyncDir,
};

// Thread-safe. The root "/" exists; a relative path starts there.
class MemoryFiles final : public FileSystem {
 public:
  explicit MemoryFiles(uint64_t seed = 1);
  ~MemoryFiles() override;

  // Loses what a machine loses when its power fails. Of each file, any part of
  // the data appended after the last Sync survives (its last bytes may be
  // torn). Of the creations, renames and deletions in a directory after its
  // last SyncDir, any prefix survives. Files open for writing fail from now on.
  void Crash();
  // Limits the total bytes of all files. Beyond the limit, Append writes what
  // fits and fails with RESOURCE_EXHAUSTED. A negative value means no limit.
  void SetLimit(int64_t bytes);
  // Called before each operation, on its thread and under no lock; an error
  // that it returns becomes the operation's result.
  using Fault = absl::AnyInvocable<Status(FileOp op, const std::string& path)>;
  void SetFault(Fault fault);
  // Returns the number of operations (opens, reads and so on) so far, for
  // tests.
  int64_t operations() const;

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

  struct State;

 private:
  Ref<State> state_;
};

}  // namespace millrace
