// MemoryFiles: a file system in memory, for tests and simulations, that can
// fail and crash like a disk.
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

// Thread-safe. The root "/" exists; a relative path is taken from there.
class MemoryFiles final : public FileSystem {
 public:
  explicit MemoryFiles(uint64_t seed = 1);
  ~MemoryFiles() override;

  // Loses what a machine loses when its power fails: of each file any part of
  // what was appended after the last Sync survives (its last bytes may be
  // torn), of creations, renames and deletions after the last SyncDir of their
  // directory any prefix. Files open for writing fail from now on.
  void Crash();
  // Total bytes of all files; beyond it Append takes what fits and fails with
  // RESOURCE_EXHAUSTED. Negative: no limit.
  void SetLimit(int64_t bytes);
  // Asked before each operation, on its thread and under no lock; an error
  // becomes its result.
  using Fault = absl::AnyInvocable<Status(FileOp op, const std::string& path)>;
  void SetFault(Fault fault);
  // Opens, reads and such so far, to assert on.
  int64_t operations() const;

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

  struct State;

 private:
  Ref<State> state_;
};

}  // namespace millrace
