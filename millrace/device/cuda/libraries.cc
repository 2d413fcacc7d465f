#include "millrace/device/cuda/libraries.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
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

// Returns where libraries of these names may be, best first. A name without a
// folder is for the system to find.
void AddPlaces(const std::vector<std::string>& names,
               std::vector<std::string>* places) {
  const auto add = [&](const std::string& folder, const std::string& name) {
    const std::string path = JoinPath(folder, name);
    if (PosixFiles()->Exists(path).ok()) places->push_back(path);
  };
  for (const std::string& folder : FirstFolders()) {
    for (const std::string& name : names) add(folder, name);
  }
  const std::vector<std::string> last = LastFolders();
  for (const std::string& name : names) {
    places->push_back(name);
    for (const std::string& folder : last) add(folder, name);
  }
}

// Returns the file that was opened, under the name `asked`.
std::string FileOf(void* handle, const std::string& asked) {
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr ||
      map->l_name == nullptr || map->l_name[0] == '\0') {
    return asked;
  }
  return map->l_name;
}

}  // namespace

void* Library::Symbol(const char* name) const { return dlsym(handle, name); }

Status CallFinder::status() const {
  if (missing_.empty()) return OkStatus();
  return FailedPrecondition(library_.path, " has no ", missing_);
}

LibraryNames NamesOfVersions(absl::string_view file,
                             absl::Span<const int> majors, int newest) {
  std::vector<int> ordered(majors.begin(), majors.end());
  std::sort(ordered.begin(), ordered.end());
  LibraryNames names;
  for (const int major : ordered) {
    const std::string name = absl::StrCat(file, ".", major);
    if (major <= newest) {
      names.fitting.insert(names.fitting.begin(), name);
    } else {
      names.others.push_back(name);
    }
  }
  return names;
}

StatusOr<Library> OpenLibrary(const LibraryNames& names,
                              absl::FunctionRef<Status(const Library&)> take) {
  std::vector<std::string> places;
  AddPlaces(names.fitting, &places);
  AddPlaces(names.others, &places);
  std::string not_opened;  // a file says more than a name
  bool has_file = false;
  Status refused;
  std::set<std::string> asked;  // files, since several names may lead to one
  for (const std::string& place : places) {
    void* const handle = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
      const char* const error = dlerror();
      const bool is_file = absl::StrContains(place, '/');
      if (error != nullptr && (not_opened.empty() || (is_file && !has_file))) {
        not_opened = error;
        has_file = is_file;
      }
      continue;
    }
    const Library library = {handle, FileOf(handle, place)};
    if (!asked.insert(library.path).second) {
      dlclose(handle);
      continue;
    }
    const Status status = take(library);
    if (status.ok()) {
      if (!refused.ok()) {
        MR_LOG(Info) << library.path << " is used, since " << refused.message();
      }
      return library;
    }
    refused = refused.ok()
                  ? status
                  : Annotate(refused, absl::StrCat("; ", status.message()));
    // The next one may have the same name for the system.
    dlclose(handle);
  }
  if (!refused.ok()) return refused;
  return NotFound(not_opened);
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
  if (reason.code() == StatusCode::kNotFound) {
    MR_LOG(Info) << name << " is not there (" << reason.message()
                 << "): " << consequence;
  } else {
    MR_LOG(Warning) << name << " does not work: " << reason.message() << ": "
                    << consequence;
  }
}

}  // namespace millrace::cuda
