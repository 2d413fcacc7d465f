#include "millrace/checkpoint/bundle/bundle_index.h"

#include <vector>

#include "millrace/checkpoint/bundle/bundle_entry.h"
#include "millrace/checkpoint/table/table_builder.h"

namespace millrace {

Status WriteBundleIndex(FileSystem* files, const std::string& path,
                        int num_shards,
                        const std::map<std::string, std::string>& entries) {
  MR_ASSIGN_OR_RETURN(std::unique_ptr<WritableFile> file,
                      files->NewWritableFile(path));
  TableBuilder table(file.get());
  MR_RETURN_IF_ERROR(
      table.Add(kBundleHeaderKey, EncodeBundleHeader(num_shards)));
  for (const auto& [key, value] : entries)
    MR_RETURN_IF_ERROR(table.Add(key, value));
  MR_RETURN_IF_ERROR(table.Finish());
  MR_RETURN_IF_ERROR(file->Sync());
  return file->Close();
}

Status UnpublishBundle(FileSystem* files, const std::string& index_path) {
  Status status = files->Delete(index_path);
  if (status.code() == StatusCode::kNotFound) return OkStatus();
  MR_RETURN_IF_ERROR(status);
  return files->SyncDir(DirectoryOf(index_path));
}

Status PublishBundle(FileSystem* files, const std::string& index_temp,
                     const std::string& index_path) {
  const std::string directory = DirectoryOf(index_path);
  MR_RETURN_IF_ERROR(files->SyncDir(directory));
  MR_RETURN_IF_ERROR(files->Rename(index_temp, index_path));
  return files->SyncDir(directory);
}

Status CreateDirForGood(FileSystem* files, const std::string& path) {
  std::vector<std::string> missing;
  for (std::string at = path; files->Exists(at).code() == StatusCode::kNotFound;
       at = DirectoryOf(at)) {
    missing.push_back(at);
    if (at == DirectoryOf(at)) break;
  }
  if (missing.empty()) return files->IsDirectory(path);
  MR_RETURN_IF_ERROR(files->CreateDirRecursively(path));
  for (auto it = missing.rbegin(); it != missing.rend(); ++it) {
    MR_RETURN_IF_ERROR(files->SyncDir(DirectoryOf(*it)));
  }
  return OkStatus();
}

std::string DirectoryOf(const std::string& path) {
  const std::string directory(Dirname(path));
  if (!directory.empty()) return directory;
  return path.empty() || path[0] != '/' ? "." : "/";
}

}  // namespace millrace
