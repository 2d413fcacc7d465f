// CodeFiles: compiled code for GPUs on disk, since a program that starts again
// needs the same.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "millrace/base/files/file.h"
#include "millrace/base/threads/thread.h"

namespace millrace::cuda {

// Thread-safe; other processes may use the same folder. What goes wrong with
// files only means that code is compiled again.
class CodeFiles {
 public:
  // An empty `folder` keeps nothing. When the files have more than
  // `limit_bytes`, those that were written longest ago are deleted.
  CodeFiles(FileSystem* files, std::string folder, int64_t limit_bytes);

  // Returns the code that was written under `key` (letters and digits), unless
  // its file is damaged or another key's.
  std::optional<std::string> Read(const std::string& key) const;
  void Write(const std::string& key, const std::string& code);

  // Returns the folder MILLRACE_GPU_CACHE, else millrace/gpu in XDG_CACHE_HOME
  // or ~/.cache; empty if there is none of these, or the variable is empty.
  static std::string DefaultFolder();
  static constexpr int64_t kDefaultLimitBytes = int64_t{512} << 20;

 private:
  std::string PathOf(const std::string& key) const;
  void DeleteOldest();

  FileSystem* const files_;
  const std::string folder_;
  const int64_t limit_bytes_;
  Mutex mu_;
  // Bytes that may be written until the folder is looked at again.
  int64_t room_bytes_ = 0;
  bool warned_ = false;
};

}  // namespace millrace::cuda
