#include "millrace/device/cuda/code_files.h"

#include <algorithm>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "millrace/base/coding.h"
#include "millrace/base/environment.h"
#include "millrace/base/hash/crc32c.h"
#include "millrace/base/log.h"

namespace millrace::cuda {
namespace {

// A file: the mark, the checksum of what follows it (4 bytes), the key and a
// newline, the code.
constexpr absl::string_view kMark = "millrace gpu code 1\n";
constexpr absl::string_view kSuffix = ".gpucode";

}  // namespace

CodeFiles::CodeFiles(FileSystem* files, std::string folder, int64_t limit_bytes)
    : files_(files), folder_(std::move(folder)), limit_bytes_(limit_bytes) {}

std::string CodeFiles::DefaultFolder() {
  if (const auto folder = EnvironmentVariable("MILLRACE_GPU_CACHE")) {
    return *folder;
  }
  if (const auto cache = EnvironmentVariable("XDG_CACHE_HOME");
      cache && !cache->empty()) {
    return JoinPath(*cache, "millrace/gpu");
  }
  if (const auto home = EnvironmentVariable("HOME"); home && !home->empty()) {
    return JoinPath(*home, ".cache/millrace/gpu");
  }
  return "";
}

std::string CodeFiles::PathOf(const std::string& key) const {
  return JoinPath(folder_, absl::StrCat(key, kSuffix));
}

std::optional<std::string> CodeFiles::Read(const std::string& key) const {
  if (folder_.empty()) return std::nullopt;
  StatusOr<std::string> file = ReadFileToString(files_, PathOf(key));
  if (!file.ok()) return std::nullopt;
  absl::string_view rest = *file;
  if (!absl::StartsWith(rest, kMark)) return std::nullopt;
  rest.remove_prefix(kMark.size());
  if (rest.size() < 4) return std::nullopt;
  const uint32_t checksum = LoadFixed<uint32_t>(rest.data());
  rest.remove_prefix(4);
  if (crc32c::Value(rest) != checksum) return std::nullopt;
  const std::string head = absl::StrCat(key, "\n");
  if (!absl::StartsWith(rest, head)) return std::nullopt;
  rest.remove_prefix(head.size());
  return std::string(rest);
}

void CodeFiles::Write(const std::string& key, const std::string& code) {
  if (folder_.empty()) return;
  const std::string rest = absl::StrCat(key, "\n", code);
  std::string file(kMark);
  PutFixed32(&file, crc32c::Value(rest));
  file += rest;
  const int64_t bytes = static_cast<int64_t>(file.size());
  if (bytes > limit_bytes_ / 4) return;
  Status status = files_->CreateDirRecursively(folder_);
  if (status.ok()) status = WriteFileAtomically(files_, PathOf(key), file);
  MutexLock lock(mu_);
  if (!status.ok()) {
    if (!warned_) {
      MR_LOG(Warning) << "compiled kernels for GPUs are not kept: " << status;
    }
    warned_ = true;
    return;
  }
  room_bytes_ -= bytes;
  if (room_bytes_ < 0) DeleteOldest();
}

void CodeFiles::DeleteOldest() {
  struct File {
    int64_t nanos;
    int64_t bytes;
    std::string path;
  };
  const auto names = files_->GetChildren(folder_);
  if (!names.ok()) return;
  std::vector<File> found;
  int64_t total = 0;
  for (const std::string& name : *names) {
    // Also what a process that died has left of a write.
    if (!absl::StrContains(name, kSuffix)) continue;
    const std::string path = JoinPath(folder_, name);
    const auto bytes = files_->GetSize(path);
    const auto nanos = files_->GetModifiedNanos(path);
    if (!bytes.ok() || !nanos.ok()) continue;  // deleted meanwhile
    found.push_back({*nanos, static_cast<int64_t>(*bytes), path});
    total += found.back().bytes;
  }
  std::sort(found.begin(), found.end(), [](const File& a, const File& b) {
    return a.nanos != b.nanos ? a.nanos < b.nanos : a.path < b.path;
  });
  if (total > limit_bytes_) {
    // Down to three quarters, so that this is rare.
    for (const File& file : found) {
      if (total <= limit_bytes_ / 4 * 3) break;
      if (files_->Delete(file.path).ok()) total -= file.bytes;
    }
  }
  room_bytes_ = std::max<int64_t>(limit_bytes_ - total, 0);
}

}  // namespace millrace::cuda
