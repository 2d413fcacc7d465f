#include "millrace/device/cuda/libraries.h"

#include <dlfcn.h>

#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "millrace/base/environment.h"
#include "millrace/base/files/file.h"
#include "millrace/base/log.h"
#include "millrace/base/threads/thread.h"

namespace millrace::cuda {
namespace {

// Adds the folders of libraries of Python's packages by NVIDIA:
// .../site-packages/nvidia/cublas/lib, .../nvidia/cu13/lib.
void AddPackages(const std::string& site_packages,
                 std::vector<std::string>* folders) {
  const std::string nvidia = JoinPath(site_packages, "nvidia");
  const auto packages = PosixFiles()->GetChildren(nvidia);
  if (!packages.ok()) return;
  for (const std::string& package : *packages) {
    const std::string lib = JoinPath(JoinPath(nvidia, package), "lib");
    if (PosixFiles()->IsDirectory(lib).ok()) folders->push_back(lib);
  }
}

void AddEnvironmentOfPython(const char* variable,
                            std::vector<std::string>* folders) {
  const auto root = EnvironmentVariable(variable);
  if (!root || root->empty()) return;
  const std::string lib = JoinPath(*root, "lib");
  const auto versions = PosixFiles()->GetChildren(lib);
  if (!versions.ok()) return;
  for (const std::string& version : *versions) {
    if (absl::StartsWith(version, "python3")) {
      AddPackages(JoinPath(JoinPath(lib, version), "site-packages"), folders);
    }
  }
}

// Returns the folder site-packages that this program or extension lies in;
// empty if it lies elsewhere.
std::string OwnSitePackages() {
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(&LogMissingLibrary), &info) == 0 ||
      info.dli_fname == nullptr) {
    return "";
  }
  const auto path = PosixFiles()->Canonical(info.dli_fname);
  if (!path.ok()) return "";
  std::string folder(Dirname(*path));
  while (folder.size() > 1 && Basename(folder) != "site-packages") {
    folder = std::string(Dirname(folder));
  }
  return folder.size() > 1 ? folder : "";
}

// The folder before the system's.
std::vector<std::string> FirstFolders() {
  const auto folder = EnvironmentVariable("MILLRACE_CUDA_LIBRARIES");
  if (!folder || folder->empty()) return {};
  return {*folder};
}

// Those behind the system's, in order.
std::vector<std::string> LastFolders() {
  std::vector<std::string> homes, folders;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const auto home = EnvironmentVariable(variable);
    if (home && !home->empty()) homes.push_back(*home);
  }
  homes.push_back("/usr/local/cuda");
  for (const std::string& home : homes) {
    for (const char* lib : {"lib64", "lib", "targets/x86_64-linux/lib"}) {
      const std::string folder = JoinPath(home, lib);
      if (PosixFiles()->IsDirectory(folder).ok()) folders.push_back(folder);
    }
  }
  AddEnvironmentOfPython("VIRTUAL_ENV", &folders);
  AddEnvironmentOfPython("CONDA_PREFIX", &folders);
  const std::string own = OwnSitePackages();
  if (!own.empty()) AddPackages(own, &folders);
  return folders;
}

}  // namespace

void* Library::Symbol(const char* name) const { return dlsym(handle, name); }

StatusOr<Library> OpenLibrary(absl::Span<const std::string> names) {
  std::vector<std::string> paths;
  const auto add = [&](const std::vector<std::string>& folders) {
    for (const std::string& folder : folders) {
      for (const std::string& name : names) {
        const std::string path = JoinPath(folder, name);
        if (PosixFiles()->Exists(path).ok()) paths.push_back(path);
      }
    }
  };
  add(FirstFolders());
  paths.insert(paths.end(), names.begin(), names.end());  // the system's
  add(LastFolders());
  std::string reason;
  for (const std::string& path : paths) {
    if (void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
      return Library{handle, path};
    }
    const char* const error = dlerror();
    if (reason.empty() && error != nullptr) reason = error;
  }
  return NotFound(reason);
}

void LogMissingLibrary(absl::string_view name, const Status& reason,
                       absl::string_view consequence) {
  static constinit Mutex mu;
  static constinit std::set<std::string, std::less<>>* logged = nullptr;
  {
    MutexLock lock(mu);
    if (logged == nullptr) logged = new std::set<std::string, std::less<>>;
    if (!logged->emplace(name).second) return;
  }
  MR_LOG(Info) << name << " is not there (" << reason.message()
               << "): " << consequence;
}

}  // namespace millrace::cuda
