#include "millrace/base/files/file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "millrace/base/files/memory_files.h"
#include "millrace/base/random.h"
#include "millrace/base/sim/sim.h"

namespace millrace {
namespace {

constexpr char kFilesKey = 0;
// As of Linux.
constexpr size_t kMaxPathBytes = 4096;

bool HasGlob(absl::string_view text) {
  return text.find_first_of("*?[\\") != absl::string_view::npos;
}

// Appends to `found` the paths below `directory` that match components[at...].
Status Match(FileSystem* files, const std::string& directory,
             const std::vector<std::string>& components, size_t at,
             std::vector<std::string>& found) {
  // No file has such a path.
  if (directory.size() > kMaxPathBytes) return OkStatus();
  const bool last = at + 1 == components.size();
  std::vector<std::string> names;
  if (HasGlob(components[at])) {
    StatusOr<std::vector<std::string>> children =
        files->GetChildren(directory.empty() ? "." : directory);
    if (!children.ok()) {
      // The path does not exist or is not a directory: nothing matches.
      const StatusCode code = children.status().code();
      if (code == StatusCode::kNotFound ||
          code == StatusCode::kFailedPrecondition ||
          code == StatusCode::kPermissionDenied) {
        return OkStatus();
      }
      return children.status();
    }
    for (std::string& name : *children) {
      // As in the shell, a leading dot is only matched explicitly.
      if (name[0] == '.' && components[at][0] != '.') continue;
      if (MatchGlob(components[at], name)) names.push_back(std::move(name));
    }
  } else {
    names.push_back(components[at]);
  }
  for (const std::string& name : names) {
    const std::string path = JoinPath(directory, name);
    if (!last) {
      MR_RETURN_IF_ERROR(Match(files, path, components, at + 1, found));
    } else if (files->Exists(path).ok()) {
      found.push_back(path);
    }
  }
  return OkStatus();
}

}  // namespace

Status FileSystem::CreateDirRecursively(const std::string& path) {
  if (path.empty() || IsDirectory(path).ok()) return OkStatus();
  if (path.size() > kMaxPathBytes) {
    return InvalidArgument("File name too long: a path of ", path.size(),
                           " bytes");
  }
  std::string clean(path);
  while (clean.size() > 1 && clean.back() == '/') clean.pop_back();
  const std::string parent(Dirname(clean));
  if (!parent.empty() && parent != clean) {
    MR_RETURN_IF_ERROR(CreateDirRecursively(parent));
  }
  const Status status = CreateDir(clean);
  // Another thread or process may have created it meanwhile.
  if (status.code() == StatusCode::kAlreadyExists) return IsDirectory(clean);
  return status;
}

Status FileSystem::DeleteDirRecursively(const std::string& path) {
  MR_ASSIGN_OR_RETURN(const std::vector<std::string> names, GetChildren(path));
  for (const std::string& name : names) {
    const std::string child = JoinPath(path, name);
    // Delete refuses directories and does not follow links, so a link to a
    // directory is deleted, and its target stays.
    const Status deleted = Delete(child);
    if (deleted.ok()) continue;
    if (!IsDirectory(child).ok()) return deleted;
    MR_RETURN_IF_ERROR(DeleteDirRecursively(child));
  }
  return DeleteDir(path);
}

StatusOr<std::vector<std::string>> FileSystem::GetMatchingPaths(
    const std::string& pattern) {
  std::vector<std::string> found;
  const bool absolute = !pattern.empty() && pattern[0] == '/';
  const std::vector<std::string> components =
      absl::StrSplit(pattern, '/', absl::SkipEmpty());
  if (components.empty()) return found;
  MR_RETURN_IF_ERROR(Match(this, absolute ? "/" : "", components, 0, found));
  std::sort(found.begin(), found.end());
  return found;
}

FileSystem* DefaultFiles() {
  SimWorld* world = SimWorld::Current();
  if (!world) return PosixFiles();
  // All processes share one file system, like a shared disk.
  return static_cast<MemoryFiles*>(world->Local(&kFilesKey, -1, [] {
    return std::make_shared<MemoryFiles>(RandomUint64());
  }));
}

StatusOr<std::string> ReadFileToString(FileSystem* files,
                                       const std::string& path) {
  MR_ASSIGN_OR_RETURN(const std::unique_ptr<RandomAccessFile> file,
                      files->NewRandomAccessFile(path));
  MR_ASSIGN_OR_RETURN(const uint64_t size, file->Size());
  // The size is a hint: files of /proc report 0, others may grow.
  std::string text(std::max<uint64_t>(size, 4096), '\0');
  size_t have = 0;
  while (true) {
    MR_ASSIGN_OR_RETURN(const size_t n, file->Read(have, text.size() - have,
                                                   text.data() + have));
    have += n;
    if (have < text.size()) break;
    text.resize(text.size() * 2);
  }
  text.resize(have);
  return text;
}

Status WriteStringToFile(FileSystem* files, const std::string& path,
                         absl::string_view data, Durability durability) {
  MR_ASSIGN_OR_RETURN(const std::unique_ptr<WritableFile> file,
                      files->NewWritableFile(path));
  MR_RETURN_IF_ERROR(file->Append(data));
  if (durability == Durability::kSynced) MR_RETURN_IF_ERROR(file->Sync());
  return file->Close();
}

Status WriteFileAtomically(FileSystem* files, const std::string& path,
                           absl::string_view data) {
  const std::string temporary =
      absl::StrCat(path, ".tmp-", absl::Hex(RandomUint64()));
  Status status =
      WriteStringToFile(files, temporary, data, Durability::kSynced);
  if (status.ok()) status = files->Rename(temporary, path);
  if (!status.ok()) {
    files->Delete(temporary).IgnoreError();
    return status;
  }
  const absl::string_view directory = Dirname(path);
  return files->SyncDir(directory.empty() ? "." : std::string(directory));
}

bool MatchGlob(absl::string_view pattern, absl::string_view text) {
  size_t p = 0;
  size_t t = 0;
  size_t star = absl::string_view::npos;  // the last '*', to be retried longer
  size_t star_text = 0;
  while (true) {
    bool matched = false;
    size_t next = p + 1;
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_text = t;
      continue;
    }
    if (p == pattern.size() && t == text.size()) return true;
    if (p < pattern.size() && t < text.size()) {
      const char c = text[t];
      if (pattern[p] == '?') {
        matched = c != '/';
      } else if (pattern[p] == '[' &&
                 pattern.find(']', p + 2) != absl::string_view::npos) {
        size_t q = p + 1;
        const bool negated = pattern[q] == '!' || pattern[q] == '^';
        if (negated) ++q;
        bool in = false;
        // A ']' right after the bracket is a member.
        for (bool first = true;
             q < pattern.size() && (first || pattern[q] != ']');
             first = false) {
          const char low = pattern[q];
          char high = low;
          if (q + 2 < pattern.size() && pattern[q + 1] == '-' &&
              pattern[q + 2] != ']') {
            high = pattern[q + 2];
            q += 2;
          }
          ++q;
          if (low <= c && c <= high) in = true;
        }
        next = q + 1;
        matched = in != negated && c != '/';
      } else if (pattern[p] == '\\' && p + 1 < pattern.size()) {
        matched = pattern[p + 1] == c;
        next = p + 2;
      } else {
        matched = pattern[p] == c;
      }
    }
    if (matched) {
      p = next;
      ++t;
      continue;
    }
    if (star == absl::string_view::npos || star_text >= text.size() ||
        text[star_text] == '/') {
      return false;
    }
    p = star + 1;
    t = ++star_text;
  }
}

Status ErrnoStatus(absl::string_view context, int errno_value) {
  StatusCode code = StatusCode::kUnknown;
  switch (errno_value) {
    case 0:
      return OkStatus();
    case EINVAL:
    case ENAMETOOLONG:
    case E2BIG:
    case EDESTADDRREQ:
    case EDOM:
    case EFAULT:
    case EILSEQ:
    case ENOPROTOOPT:
    case ENOTSOCK:
    case ENOTTY:
    case EPROTOTYPE:
    case ESPIPE:
      code = StatusCode::kInvalidArgument;
      break;
    case ETIMEDOUT:
    case ETIME:
      code = StatusCode::kDeadlineExceeded;
      break;
    case ENODEV:
    case ENOENT:
    case ENXIO:
    case ESRCH:
      code = StatusCode::kNotFound;
      break;
    case EEXIST:
    case EADDRNOTAVAIL:
    case EALREADY:
      code = StatusCode::kAlreadyExists;
      break;
    case EPERM:
    case EACCES:
    case EROFS:
      code = StatusCode::kPermissionDenied;
      break;
    case ENOTEMPTY:
    case EISDIR:
    case ENOTDIR:
    case EADDRINUSE:
    case EBADF:
    case EBUSY:
    case ECHILD:
    case EISCONN:
    case ENOTBLK:
    case ENOTCONN:
    case EPIPE:
    case ESHUTDOWN:
    case ETXTBSY:
      code = StatusCode::kFailedPrecondition;
      break;
    case ENOSPC:
    case EDQUOT:
    case EMFILE:
    case EMLINK:
    case ENFILE:
    case ENOBUFS:
    case ENODATA:
    case ENOMEM:
    case ENOSR:
    case EUSERS:
      code = StatusCode::kResourceExhausted;
      break;
    case EFBIG:
    case EOVERFLOW:
    case ERANGE:
      code = StatusCode::kOutOfRange;
      break;
    case ENOSYS:
    case ENOTSUP:
    case EAFNOSUPPORT:
    case EPFNOSUPPORT:
    case EPROTONOSUPPORT:
    case ESOCKTNOSUPPORT:
    case EXDEV:
      code = StatusCode::kUnimplemented;
      break;
    case EAGAIN:
    case ECONNREFUSED:
    case ECONNABORTED:
    case ECONNRESET:
    case EINTR:
    case EHOSTDOWN:
    case EHOSTUNREACH:
    case ENETDOWN:
    case ENETRESET:
    case ENETUNREACH:
    case ENOLCK:
    case ENOLINK:
      code = StatusCode::kUnavailable;
      break;
    case EDEADLK:
    case ESTALE:
      code = StatusCode::kAborted;
      break;
    case ECANCELED:
      code = StatusCode::kCancelled;
      break;
    default:
      break;
  }
  char buffer[128];
  return Status(code,
                absl::StrCat(context, "; ",
                             strerror_r(errno_value, buffer, sizeof(buffer))));
}

std::string JoinPath(absl::string_view directory, absl::string_view name) {
  if (directory.empty()) return std::string(name);
  if (name.empty()) return std::string(directory);
  if (directory.back() == '/') directory.remove_suffix(1);
  if (name[0] == '/') name.remove_prefix(1);
  return absl::StrCat(directory, "/", name);
}

absl::string_view Dirname(absl::string_view path) {
  const size_t slash = path.rfind('/');
  if (slash == absl::string_view::npos) return "";
  return path.substr(0, slash == 0 ? 1 : slash);
}

absl::string_view Basename(absl::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

std::string CleanPath(absl::string_view path) {
  const bool absolute = !path.empty() && path[0] == '/';
  std::vector<absl::string_view> kept;
  for (absl::string_view part : absl::StrSplit(path, '/')) {
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      kept.push_back(part);
    } else if (!kept.empty() && kept.back() != "..") {
      kept.pop_back();
    } else if (!absolute) {
      kept.push_back(part);
    }
  }
  const std::string joined = absl::StrJoin(kept, "/");
  if (absolute) return "/" + joined;
  return joined.empty() ? "." : joined;
}

}  // namespace millrace
