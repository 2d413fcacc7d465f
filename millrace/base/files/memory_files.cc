#include "millrace/base/files/memory_files.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/match.h"
#include "millrace/base/clock.h"

namespace millrace {
namespace {

struct Inode {
  bool directory = false;
  std::string data;
  std::string durable;  // the content that survives a crash
  int64_t modified_nanos = 0;
};

using InodePtr = std::shared_ptr<Inode>;
using Names = std::map<std::string, InodePtr>;

// A change of the directory entries that is not on the disk yet.
struct NameChange {
  enum { kLink, kUnlink, kRename } kind;
  std::string path;
  std::string to;
  InodePtr inode;

  bool Touches(const std::string& directory) const {
    return Dirname(path) == directory ||
           (kind == kRename && Dirname(to) == directory);
  }

  void ApplyTo(Names& names) const {
    if (kind == kLink) {
      names[path] = inode;
    } else if (kind == kUnlink) {
      names.erase(path);
    } else {
      Names moved;
      for (auto it = names.lower_bound(path); it != names.end();) {
        if (it->first != path && !absl::StartsWith(it->first, path + "/")) {
          if (!absl::StartsWith(it->first, path)) break;
          ++it;  // "a-b" sorts between "a" and "a/b"
          continue;
        }
        moved[to + it->first.substr(path.size())] = std::move(it->second);
        it = names.erase(it);
      }
      for (auto& [name, node] : moved) names[name] = std::move(node);
    }
  }
};

std::string Normal(const std::string& path) {
  return CleanPath(path.empty() || path[0] != '/' ? "/" + path : path);
}

}  // namespace

struct MemoryFiles::State : RefCounted {
  explicit State(uint64_t seed) : rng(seed) {
    auto root = std::make_shared<Inode>();
    root->directory = true;
    names["/"] = durable_names["/"] = root;
  }

  // Calls the fault hook.
  Status Before(FileOp op, const std::string& path) {
    std::shared_ptr<Fault> hook;
    {
      MutexLock lock(mu);
      ++operations;
      hook = fault;
    }
    return hook && *hook ? (*hook)(op, path) : OkStatus();
  }

  // All of the following require `mu`.
  InodePtr Find(const std::string& path) const {
    const auto it = names.find(path);
    return it == names.end() ? nullptr : it->second;
  }
  Status CheckParent(const std::string& path, const std::string& shown) const {
    const InodePtr parent = Find(std::string(Dirname(path)));
    if (!parent) return ErrnoStatus(shown, ENOENT);
    return parent->directory ? OkStatus() : ErrnoStatus(shown, ENOTDIR);
  }
  bool HasChildren(const std::string& path) const {
    const std::string prefix = path == "/" ? path : path + "/";
    auto it = names.upper_bound(prefix);
    return it != names.end() && absl::StartsWith(it->first, prefix);
  }
  void Change(NameChange change) {
    change.ApplyTo(names);
    pending.push_back(std::move(change));
  }
  int64_t Used() const {
    int64_t bytes = 0;
    for (const auto& [name, node] : names) bytes += node->data.size();
    return bytes;
  }

  Mutex mu;
  Rng rng;
  Names names;
  Names durable_names;
  std::vector<NameChange> pending;
  int64_t limit = -1;
  int64_t crashes = 0;
  int64_t operations = 0;
  std::shared_ptr<Fault> fault;
};

namespace {

class MemoryReader final : public RandomAccessFile {
 public:
  MemoryReader(Ref<MemoryFiles::State> state, std::string path, InodePtr inode)
      : state_(std::move(state)),
        path_(std::move(path)),
        inode_(std::move(inode)) {}

  StatusOr<size_t> Read(uint64_t offset, size_t n,
                        char* buffer) const override {
    MR_RETURN_IF_ERROR(state_->Before(FileOp::kRead, path_));
    MutexLock lock(state_->mu);
    const std::string& data = inode_->data;
    if (offset >= data.size()) return size_t{0};
    const size_t got = std::min<uint64_t>(n, data.size() - offset);
    std::memcpy(buffer, data.data() + offset, got);
    return got;
  }
  StatusOr<uint64_t> Size() const override {
    MutexLock lock(state_->mu);
    return static_cast<uint64_t>(inode_->data.size());
  }

 private:
  const Ref<MemoryFiles::State> state_;
  const std::string path_;
  const InodePtr inode_;
};

class MemoryWriter final : public WritableFile {
 public:
  MemoryWriter(Ref<MemoryFiles::State> state, std::string path, InodePtr inode,
               int64_t crashes)
      : state_(std::move(state)),
        path_(std::move(path)),
        inode_(std::move(inode)),
        crashes_(crashes) {}

  Status Append(absl::string_view data) override {
    MR_RETURN_IF_ERROR(state_->Before(FileOp::kAppend, path_));
    MutexLock lock(state_->mu);
    MR_RETURN_IF_ERROR(CheckOpen());
    bool full = false;
    if (state_->limit >= 0) {
      const int64_t room = std::max<int64_t>(0, state_->limit - state_->Used());
      full = static_cast<int64_t>(data.size()) > room;
      if (full) data = data.substr(0, room);
    }
    inode_->data.append(data.data(), data.size());
    inode_->modified_nanos = WallMicros() * 1000;
    return full ? ErrnoStatus(path_, ENOSPC) : OkStatus();
  }
  Status Flush() override {
    MR_RETURN_IF_ERROR(state_->Before(FileOp::kFlush, path_));
    MutexLock lock(state_->mu);
    return CheckOpen();
  }
  Status Sync() override {
    MR_RETURN_IF_ERROR(state_->Before(FileOp::kSync, path_));
    MutexLock lock(state_->mu);
    MR_RETURN_IF_ERROR(CheckOpen());
    inode_->durable = inode_->data;
    return OkStatus();
  }
  Status Close() override {
    if (closed_) return OkStatus();
    const Status status = state_->Before(FileOp::kClose, path_);
    MutexLock lock(state_->mu);
    const Status open = CheckOpen();
    closed_ = true;
    return status.ok() ? open : status;
  }

 private:
  Status CheckOpen() const {
    if (crashes_ != state_->crashes) return ErrnoStatus(path_, EIO);
    if (closed_) return FailedPrecondition(path_, "; the file is closed");
    return OkStatus();
  }

  const Ref<MemoryFiles::State> state_;
  const std::string path_;
  const InodePtr inode_;
  const int64_t crashes_;
  bool closed_ = false;
};

enum class OldContent { kKept, kDropped, kRefused };

StatusOr<std::unique_ptr<WritableFile>> OpenWriter(
    const Ref<MemoryFiles::State>& state, const std::string& path,
    OldContent old_content) {
  MR_RETURN_IF_ERROR(state->Before(FileOp::kOpenWrite, path));
  const std::string normal = Normal(path);
  MutexLock lock(state->mu);
  MR_RETURN_IF_ERROR(state->CheckParent(normal, path));
  InodePtr inode = state->Find(normal);
  if (!inode) {
    inode = std::make_shared<Inode>();
    state->Change({NameChange::kLink, normal, "", inode});
  } else if (old_content == OldContent::kRefused) {
    return ErrnoStatus(path, EEXIST);
  } else if (inode->directory) {
    return ErrnoStatus(path, EISDIR);
  } else if (old_content == OldContent::kDropped) {
    inode->data.clear();
  }
  inode->modified_nanos = WallMicros() * 1000;
  return std::make_unique<MemoryWriter>(state, path, std::move(inode),
                                        state->crashes);
}

}  // namespace

MemoryFiles::MemoryFiles(uint64_t seed) : state_(MakeRef<State>(seed)) {}
MemoryFiles::~MemoryFiles() = default;

void MemoryFiles::Crash() {
  MutexLock lock(state_->mu);
  State& s = *state_;
  ++s.crashes;
  const size_t kept = s.rng.Uniform(s.pending.size() + 1);
  for (size_t i = 0; i < kept; ++i) s.pending[i].ApplyTo(s.durable_names);
  s.pending.clear();
  s.names = s.durable_names;
  for (auto& [name, node] : s.names) {
    std::string& data = node->data;
    const std::string& safe = node->durable;
    if (absl::StartsWith(data, safe)) {
      // Data was appended: any part of the tail survives, perhaps with garbage
      // at its end.
      data.resize(safe.size() + s.rng.Uniform(data.size() - safe.size() + 1));
      if (data.size() > safe.size() && s.rng.Uniform(2) == 0) {
        const size_t torn =
            1 + s.rng.Uniform(std::min<size_t>(512, data.size() - safe.size()));
        for (size_t i = 0; i < torn; ++i) {
          data[data.size() - 1 - i] = static_cast<char>(s.rng());
        }
      }
    } else if (s.rng.Uniform(2) == 0) {
      data = safe;  // the truncation was lost
    } else {
      data.resize(s.rng.Uniform(data.size() + 1));
    }
    node->durable = data;
  }
}

void MemoryFiles::SetLimit(int64_t bytes) {
  MutexLock lock(state_->mu);
  state_->limit = bytes;
}

void MemoryFiles::SetFault(Fault fault) {
  auto shared = std::make_shared<Fault>(std::move(fault));
  MutexLock lock(state_->mu);
  state_->fault.swap(shared);
}

int64_t MemoryFiles::operations() const {
  MutexLock lock(state_->mu);
  return state_->operations;
}

StatusOr<std::unique_ptr<RandomAccessFile>> MemoryFiles::NewRandomAccessFile(
    const std::string& path) {
  MR_RETURN_IF_ERROR(state_->Before(FileOp::kOpenRead, path));
  MutexLock lock(state_->mu);
  InodePtr inode = state_->Find(Normal(path));
  if (!inode) return ErrnoStatus(path, ENOENT);
  if (inode->directory) return ErrnoStatus(path, EISDIR);
  return std::make_unique<MemoryReader>(state_, path, std::move(inode));
}

StatusOr<std::unique_ptr<WritableFile>> MemoryFiles::NewWritableFile(
    const std::string& path) {
  return OpenWriter(state_, path, OldContent::kDropped);
}

StatusOr<std::unique_ptr<WritableFile>> MemoryFiles::NewAppendableFile(
    const std::string& path) {
  return OpenWriter(state_, path, OldContent::kKept);
}

StatusOr<std::unique_ptr<WritableFile>> MemoryFiles::NewExclusiveFile(
    const std::string& path) {
  return OpenWriter(state_, path, OldContent::kRefused);
}

Status MemoryFiles::Exists(const std::string& path) {
  MR_RETURN_IF_ERROR(state_->Before(FileOp::kStat, path));
  MutexLock lock(state_->mu);
  return state_->Find(Normal(path)) ? OkStatus() : ErrnoStatus(path, ENOENT);
}

Status MemoryFiles::IsDirectory(const std::string& path) {
  MR_RETURN_IF_ERROR(state_->Before(FileOp::kStat, path));
  MutexLock lock(state_->mu);
  const InodePtr inode = state_->Find(Normal(path));
  if (!inode) return ErrnoStatus(path, ENOENT);
  return inode->directory ? OkStatus()
                          : FailedPrecondition(path, "; Not a directory");
}

StatusOr<std::vector<std::string>> MemoryFiles::GetChildren(
    const std::string& path) {
  MR_RETURN_IF_ERROR(state_->Before(FileOp::kList, path));
  const std::string normal = Normal(path);
  MutexLock lock(state_->mu);
  const InodePtr inode = state_->Find(normal);
  if (!inode) return ErrnoStatus(path, ENOENT);
  if (!inode->directory) return ErrnoStatus(path, ENOTDIR);
  const std::string prefix = normal == "/" ? normal : normal + "/";
  std::vector<std::string> names;
  for (auto it = state_->names.upper_bound(prefix);
       it != state_->names.end() && absl::StartsWith(it->first, prefix); ++it) {
    std::string name = it->first.substr(prefix.size());
    if (name.find('/') == std::string::npos) names.push_back(std::move(name));
  }
  return names;
}

StatusOr<uint64_t> MemoryFiles::GetSize(const std::string& path) {
  MR_RETURN_IF_ERROR(state_->Before(FileOp::kStat, path));
  MutexLock lock(state_->mu);
  const InodePtr inode = state_->Find(Normal(path));
  if (!inode) return ErrnoStatus(path, ENOENT);
  return static_cast<uint64_t>(inode->data.size());
}

StatusOr<int64_t> MemoryFiles::GetModifiedNanos(const std::string& path) {
  MR_RETURN_IF_ERROR(state_->Before(FileOp::kStat, path));
  MutexLock lock(state_->mu);
  const InodePtr inode = state_->Find(Normal(path));
  if (!inode) return ErrnoStatus(path, ENOENT);
  return inode->modified_nanos;
}

Status MemoryFiles::Delete(const std::string& path) {
  MR_RETURN_IF_ERROR(state_->Before(FileOp::kDelete, path));
  const std::string normal = Normal(path);
  MutexLock lock(state_->mu);
  const InodePtr inode = state_->Find(normal);
  if (!inode) return ErrnoStatus(path, ENOENT);
  if (inode->directory) return ErrnoStatus(path, EISDIR);
  state_->Change({NameChange::kUnlink, normal, "", nullptr});
  return OkStatus();
}

Status MemoryFiles::CreateDir(const std::string& path) {
  MR_RETURN_IF_ERROR(state_->Before(FileOp::kCreateDir, path));
  const std::string normal = Normal(path);
  MutexLock lock(state_->mu);
  if (state_->Find(normal)) return ErrnoStatus(path, EEXIST);
  MR_RETURN_IF_ERROR(state_->CheckParent(normal, path));
  auto inode = std::make_shared<Inode>();
  inode->directory = true;
  inode->modified_nanos = WallMicros() * 1000;
  state_->Change({NameChange::kLink, normal, "", std::move(inode)});
  return OkStatus();
}

Status MemoryFiles::DeleteDir(const std::string& path) {
  MR_RETURN_IF_ERROR(state_->Before(FileOp::kDeleteDir, path));
  const std::string normal = Normal(path);
  MutexLock lock(state_->mu);
  const InodePtr inode = state_->Find(normal);
  if (!inode) return ErrnoStatus(path, ENOENT);
  if (!inode->directory) return ErrnoStatus(path, ENOTDIR);
  if (normal == "/") return ErrnoStatus(path, EBUSY);
  if (state_->HasChildren(normal)) return ErrnoStatus(path, ENOTEMPTY);
  state_->Change({NameChange::kUnlink, normal, "", nullptr});
  return OkStatus();
}

Status MemoryFiles::Rename(const std::string& from, const std::string& to) {
  MR_RETURN_IF_ERROR(state_->Before(FileOp::kRename, from));
  const std::string source = Normal(from);
  const std::string target = Normal(to);
  MutexLock lock(state_->mu);
  const InodePtr inode = state_->Find(source);
  if (!inode) return ErrnoStatus(from, ENOENT);
  MR_RETURN_IF_ERROR(state_->CheckParent(target, to));
  if (source == target) return OkStatus();
  if (source == "/" || absl::StartsWith(target, source + "/")) {
    return ErrnoStatus(from, EINVAL);
  }
  if (const InodePtr old = state_->Find(target)) {
    if (old->directory && !inode->directory) return ErrnoStatus(from, EISDIR);
    if (!old->directory && inode->directory) return ErrnoStatus(from, ENOTDIR);
    if (state_->HasChildren(target)) return ErrnoStatus(from, ENOTEMPTY);
  }
  state_->Change({NameChange::kRename, source, target, nullptr});
  return OkStatus();
}

Status MemoryFiles::SyncDir(const std::string& path) {
  MR_RETURN_IF_ERROR(state_->Before(FileOp::kSyncDir, path));
  const std::string normal = Normal(path);
  MutexLock lock(state_->mu);
  const InodePtr inode = state_->Find(normal);
  if (!inode) return ErrnoStatus(path, ENOENT);
  if (!inode->directory) return ErrnoStatus(path, ENOTDIR);
  // Like a journal: changes before the last change of this directory are safe,
  // too.
  auto& pending = state_->pending;
  size_t safe = pending.size();
  while (safe > 0 && !pending[safe - 1].Touches(normal)) --safe;
  for (size_t i = 0; i < safe; ++i) pending[i].ApplyTo(state_->durable_names);
  pending.erase(pending.begin(), pending.begin() + safe);
  return OkStatus();
}

StatusOr<std::string> MemoryFiles::Canonical(const std::string& path) {
  return Normal(path);
}

}  // namespace millrace
