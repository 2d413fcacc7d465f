#include "millrace/base/files/rooted_files.h"

#include "absl/strings/match.h"

namespace millrace {

StatusOr<std::unique_ptr<RootedFiles>> RootedFiles::Make(
    FileSystem* base, const std::string& root) {
  MR_RETURN_IF_ERROR(base->IsDirectory(root));
  MR_ASSIGN_OR_RETURN(std::string canonical, base->Canonical(root));
  return std::unique_ptr<RootedFiles>(
      new RootedFiles(base, std::move(canonical)));
}

StatusOr<std::string> RootedFiles::Resolve(const std::string& path,
                                           LastLink last_link) {
  if (path.find('\0') != std::string::npos) {
    return InvalidArgument("A path with a zero byte");
  }
  const bool absolute = !path.empty() && path[0] == '/';
  std::string full = absolute ? path : JoinPath(root_, path);
  while (full.size() > 1 && full.back() == '/') full.pop_back();
  const std::string name(Basename(full));
  std::string canonical;
  if (last_link == LastLink::kFollowed || name.empty() || name == "." ||
      name == "..") {
    MR_ASSIGN_OR_RETURN(canonical, base_->Canonical(full));
  } else {
    MR_ASSIGN_OR_RETURN(canonical,
                        base_->Canonical(std::string(Dirname(full))));
    canonical = JoinPath(canonical, name);
  }
  if (root_ == "/" || canonical == root_ ||
      absl::StartsWith(canonical, root_ + "/")) {
    return canonical;
  }
  return PermissionDenied(path, "; the path leaves the file root ", root_);
}

StatusOr<std::unique_ptr<RandomAccessFile>> RootedFiles::NewRandomAccessFile(
    const std::string& path) {
  MR_ASSIGN_OR_RETURN(const std::string inside,
                      Resolve(path, LastLink::kFollowed));
  return base_->NewRandomAccessFile(inside);
}

StatusOr<std::unique_ptr<WritableFile>> RootedFiles::NewWritableFile(
    const std::string& path) {
  MR_ASSIGN_OR_RETURN(const std::string inside,
                      Resolve(path, LastLink::kFollowed));
  return base_->NewWritableFile(inside);
}

StatusOr<std::unique_ptr<WritableFile>> RootedFiles::NewAppendableFile(
    const std::string& path) {
  MR_ASSIGN_OR_RETURN(const std::string inside,
                      Resolve(path, LastLink::kFollowed));
  return base_->NewAppendableFile(inside);
}

StatusOr<std::unique_ptr<WritableFile>> RootedFiles::NewExclusiveFile(
    const std::string& path) {
  MR_ASSIGN_OR_RETURN(const std::string inside,
                      Resolve(path, LastLink::kFollowed));
  return base_->NewExclusiveFile(inside);
}

Status RootedFiles::Exists(const std::string& path) {
  MR_ASSIGN_OR_RETURN(const std::string inside,
                      Resolve(path, LastLink::kFollowed));
  return base_->Exists(inside);
}

Status RootedFiles::IsDirectory(const std::string& path) {
  MR_ASSIGN_OR_RETURN(const std::string inside,
                      Resolve(path, LastLink::kFollowed));
  return base_->IsDirectory(inside);
}

StatusOr<std::vector<std::string>> RootedFiles::GetChildren(
    const std::string& path) {
  MR_ASSIGN_OR_RETURN(const std::string inside,
                      Resolve(path, LastLink::kFollowed));
  return base_->GetChildren(inside);
}

StatusOr<uint64_t> RootedFiles::GetSize(const std::string& path) {
  MR_ASSIGN_OR_RETURN(const std::string inside,
                      Resolve(path, LastLink::kFollowed));
  return base_->GetSize(inside);
}

StatusOr<int64_t> RootedFiles::GetModifiedNanos(const std::string& path) {
  MR_ASSIGN_OR_RETURN(const std::string inside,
                      Resolve(path, LastLink::kFollowed));
  return base_->GetModifiedNanos(inside);
}

Status RootedFiles::Delete(const std::string& path) {
  MR_ASSIGN_OR_RETURN(const std::string inside,
                      Resolve(path, LastLink::kItself));
  return base_->Delete(inside);
}

Status RootedFiles::CreateDir(const std::string& path) {
  MR_ASSIGN_OR_RETURN(const std::string inside,
                      Resolve(path, LastLink::kItself));
  return base_->CreateDir(inside);
}

Status RootedFiles::DeleteDir(const std::string& path) {
  MR_ASSIGN_OR_RETURN(const std::string inside,
                      Resolve(path, LastLink::kItself));
  return base_->DeleteDir(inside);
}

Status RootedFiles::Rename(const std::string& from, const std::string& to) {
  MR_ASSIGN_OR_RETURN(const std::string inside_from,
                      Resolve(from, LastLink::kItself));
  MR_ASSIGN_OR_RETURN(const std::string inside_to,
                      Resolve(to, LastLink::kItself));
  return base_->Rename(inside_from, inside_to);
}

Status RootedFiles::SyncDir(const std::string& path) {
  MR_ASSIGN_OR_RETURN(const std::string inside,
                      Resolve(path, LastLink::kFollowed));
  return base_->SyncDir(inside);
}

StatusOr<std::string> RootedFiles::Canonical(const std::string& path) {
  return Resolve(path, LastLink::kFollowed);
}

}  // namespace millrace
