#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <deque>
#include <memory>
#include <utility>

#include "absl/strings/str_split.h"
#include "millrace/base/files/file.h"

namespace millrace {
namespace {

constexpr size_t kBufferBytes = 64 << 10;
// Linux moves at most 2 GiB in one call.
constexpr size_t kMaxCallBytes = size_t{1} << 30;

Status Failed(absl::string_view path) { return ErrnoStatus(path, errno); }

class PosixRandomAccessFile final : public RandomAccessFile {
 public:
  PosixRandomAccessFile(std::string path, int fd)
      : path_(std::move(path)), fd_(fd) {}
  ~PosixRandomAccessFile() override { close(fd_); }

  StatusOr<size_t> Read(uint64_t offset, size_t n,
                        char* buffer) const override {
    if (offset > INT64_MAX) return ErrnoStatus(path_, EINVAL);
    size_t have = 0;
    while (have < n) {
      const ssize_t got =
          pread(fd_, buffer + have, std::min(n - have, kMaxCallBytes),
                static_cast<off_t>(offset + have));
      if (got == 0) break;
      if (got > 0) {
        have += got;
      } else if (errno != EINTR) {
        return Failed(path_);
      }
    }
    return have;
  }

  StatusOr<uint64_t> Size() const override {
    struct stat info;
    if (fstat(fd_, &info) != 0) return Failed(path_);
    return static_cast<uint64_t>(info.st_size);
  }

 private:
  const std::string path_;
  const int fd_;
};

class PosixWritableFile final : public WritableFile {
 public:
  PosixWritableFile(std::string path, int fd)
      : path_(std::move(path)), fd_(fd) {}
  ~PosixWritableFile() override {
    if (fd_ >= 0) PosixWritableFile::Close().IgnoreError();
  }

  Status Append(absl::string_view data) override {
    MR_RETURN_IF_ERROR(CheckOpen());
    if (buffer_.size() + data.size() > kBufferBytes) {
      MR_RETURN_IF_ERROR(Flush());
    }
    if (data.size() > kBufferBytes / 2) return Write(data);
    buffer_.append(data.data(), data.size());
    return OkStatus();
  }

  Status Flush() override {
    MR_RETURN_IF_ERROR(CheckOpen());
    const Status status = Write(buffer_);
    buffer_.clear();
    return status;
  }

  Status Sync() override {
    MR_RETURN_IF_ERROR(Flush());
    return fsync(fd_) == 0 ? OkStatus() : Failed(path_);
  }

  Status Close() override {
    if (fd_ < 0) return OkStatus();
    Status status = Flush();
    if (close(std::exchange(fd_, -1)) != 0) UpdateStatus(status, Failed(path_));
    return status;
  }

 private:
  Status CheckOpen() const {
    if (fd_ >= 0) return OkStatus();
    return FailedPrecondition(path_, "; the file is closed");
  }

  Status Write(absl::string_view data) {
    while (!data.empty()) {
      const ssize_t n =
          write(fd_, data.data(), std::min(data.size(), kMaxCallBytes));
      if (n >= 0) {
        data.remove_prefix(n);
      } else if (errno != EINTR) {
        return Failed(path_);
      }
    }
    return OkStatus();
  }

  const std::string path_;
  int fd_;
  std::string buffer_;
};

class Posix final : public FileSystem {
 public:
  StatusOr<std::unique_ptr<RandomAccessFile>> NewRandomAccessFile(
      const std::string& path) override {
    // Without O_NONBLOCK, opening a pipe waits for its writer, and nobody could
    // end that. It means nothing to files and directories.
    const int fd = Open(path, O_RDONLY | O_NONBLOCK);
    if (fd < 0) return Failed(path);
    struct stat info;
    // Reading would fail later, with a less specific error: a pipe cannot be
    // read at an offset.
    if (fstat(fd, &info) == 0 &&
        (S_ISDIR(info.st_mode) || S_ISFIFO(info.st_mode))) {
      close(fd);
      return ErrnoStatus(path, S_ISDIR(info.st_mode) ? EISDIR : ESPIPE);
    }
    return std::make_unique<PosixRandomAccessFile>(path, fd);
  }
  StatusOr<std::unique_ptr<WritableFile>> NewWritableFile(
      const std::string& path) override {
    return OpenWritable(path, O_TRUNC);
  }
  StatusOr<std::unique_ptr<WritableFile>> NewAppendableFile(
      const std::string& path) override {
    return OpenWritable(path, O_APPEND);
  }
  StatusOr<std::unique_ptr<WritableFile>> NewExclusiveFile(
      const std::string& path) override {
    return OpenWritable(path, O_EXCL);
  }

  Status Exists(const std::string& path) override {
    return access(path.c_str(), F_OK) == 0 ? OkStatus() : Failed(path);
  }
  Status IsDirectory(const std::string& path) override {
    struct stat info;
    if (stat(path.c_str(), &info) != 0) return Failed(path);
    if (S_ISDIR(info.st_mode)) return OkStatus();
    return FailedPrecondition(path, "; Not a directory");
  }
  StatusOr<std::vector<std::string>> GetChildren(
      const std::string& path) override {
    DIR* dir = opendir(path.c_str());
    if (!dir) return Failed(path);
    std::vector<std::string> names;
    errno = 0;
    while (const dirent* entry = readdir(dir)) {
      const absl::string_view name(entry->d_name);
      if (name != "." && name != "..") names.emplace_back(name);
      errno = 0;
    }
    const int error = errno;
    closedir(dir);
    if (error != 0) return ErrnoStatus(path, error);
    std::sort(names.begin(), names.end());
    return names;
  }
  StatusOr<uint64_t> GetSize(const std::string& path) override {
    struct stat info;
    if (stat(path.c_str(), &info) != 0) return Failed(path);
    return static_cast<uint64_t>(info.st_size);
  }
  StatusOr<int64_t> GetModifiedNanos(const std::string& path) override {
    struct stat info;
    if (stat(path.c_str(), &info) != 0) return Failed(path);
    return int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec;
  }

  Status Delete(const std::string& path) override {
    return unlink(path.c_str()) == 0 ? OkStatus() : Failed(path);
  }
  Status CreateDir(const std::string& path) override {
    return mkdir(path.c_str(), 0777) == 0 ? OkStatus() : Failed(path);
  }
  Status DeleteDir(const std::string& path) override {
    return rmdir(path.c_str()) == 0 ? OkStatus() : Failed(path);
  }
  Status Rename(const std::string& from, const std::string& to) override {
    return rename(from.c_str(), to.c_str()) == 0 ? OkStatus() : Failed(from);
  }
  Status SyncDir(const std::string& path) override {
    const int fd = Open(path, O_RDONLY | O_DIRECTORY);
    if (fd < 0) return Failed(path);
    // Some file systems have nothing to sync for a directory and report EINVAL.
    const Status status =
        fsync(fd) == 0 || errno == EINVAL ? OkStatus() : Failed(path);
    close(fd);
    return status;
  }

  // Implemented by hand instead of by realpath, which fails where the last
  // component is missing: a dangling link would then be taken for a free name.
  StatusOr<std::string> Canonical(const std::string& path) override {
    if (path.empty()) return ErrnoStatus(path, ENOENT);
    std::string result;
    if (path[0] != '/') {
      char buffer[PATH_MAX];
      if (!getcwd(buffer, sizeof(buffer))) return Failed(path);
      result = buffer;
      if (result == "/") result.clear();
    }
    std::deque<std::string> rest = absl::StrSplit(path, '/');
    int links = 0;
    while (!rest.empty()) {
      const std::string part = std::move(rest.front());
      rest.pop_front();
      if (part.empty() || part == ".") continue;
      if (part == "..") {
        result.resize(std::min(result.size(), result.rfind('/')));
        continue;
      }
      const std::string next = result + "/" + part;
      char target[PATH_MAX];
      const ssize_t n = readlink(next.c_str(), target, sizeof(target));
      if (n < 0) {
        // EINVAL: not a link.
        if (errno != EINVAL && errno != ENOENT && errno != ENOTDIR) {
          return Failed(path);
        }
        result = next;
        continue;
      }
      if (++links > 40) return ErrnoStatus(path, ELOOP);
      const std::deque<std::string> parts =
          absl::StrSplit(absl::string_view(target, n), '/');
      if (target[0] == '/') result.clear();
      rest.insert(rest.begin(), parts.begin(), parts.end());
    }
    return result.empty() ? "/" : result;
  }

 private:
  static int Open(const std::string& path, int flags) {
    int fd;
    do {
      fd = open(path.c_str(), flags | O_CLOEXEC, 0666);
    } while (fd < 0 && errno == EINTR);
    return fd;
  }

  static StatusOr<std::unique_ptr<WritableFile>> OpenWritable(
      const std::string& path, int flags) {
    // Without O_NONBLOCK, opening a pipe waits for its reader. Where there is
    // one, writes wait for it, as anywhere.
    const int fd = Open(path, O_WRONLY | O_CREAT | O_NONBLOCK | flags);
    if (fd < 0) return Failed(path);
    if (fcntl(fd, F_SETFL, flags & O_APPEND) != 0) {
      const Status status = Failed(path);
      close(fd);
      return status;
    }
    return std::make_unique<PosixWritableFile>(path, fd);
  }
};

}  // namespace

FileSystem* PosixFiles() {
  // Never destroyed: pool threads read files while the process ends.
  static Posix* const files = new Posix;
  return files;
}

}  // namespace millrace
