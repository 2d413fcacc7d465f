#include "millrace/base/machine.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "millrace/base/files/file.h"
#include "millrace/base/sim/sim_hooks.h"

namespace millrace {
namespace {

std::string ReadLine(const std::string& path) {
  StatusOr<std::string> text = ReadFileToString(PosixFiles(), path);
  return text.ok() ? std::string(absl::StripAsciiWhitespace(*text)) : "";
}

// Returns the cgroup directories that limit this process for `controller`: its
// own and all above it, of version 2 and of version 1.
std::vector<std::string> CgroupFolders(absl::string_view controller) {
  const std::string v1 = absl::StrCat("/sys/fs/cgroup/", controller);
  // In a container the root of the file system is often the group itself.
  std::vector<std::string> folders = {"/sys/fs/cgroup", v1};
  const std::string groups = ReadLine("/proc/self/cgroup");
  for (absl::string_view line : absl::StrSplit(groups, '\n')) {
    const std::vector<std::string> parts =
        absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (parts.size() != 3) continue;
    std::string root;
    if (parts[1].empty()) {
      root = "/sys/fs/cgroup";
    } else {
      const std::vector<std::string> names = absl::StrSplit(parts[1], ',');
      if (std::find(names.begin(), names.end(), controller) == names.end()) {
        continue;
      }
      root = v1;
    }
    for (absl::string_view path = parts[2]; path.size() > 1;
         path = Dirname(path)) {
      folders.push_back(absl::StrCat(root, path));
    }
  }
  return folders;
}

}  // namespace

int UsableCores() {
  int cores = std::max<int>(1, sysconf(_SC_NPROCESSORS_ONLN));
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof(mask), &mask) == 0) {
    cores = std::min(cores, CPU_COUNT(&mask));
  }
  const auto apply = [&](double quota, double period) {
    if (quota > 0 && period > 0) {
      cores = std::min(cores, static_cast<int>((quota + period - 1) / period));
    }
  };
  for (const std::string& folder : CgroupFolders("cpu")) {
    double quota = 0;
    double period = 0;
    const std::vector<std::string> max =
        absl::StrSplit(ReadLine(folder + "/cpu.max"), ' ');
    if (max.size() == 2 && absl::SimpleAtod(max[0], &quota) &&
        absl::SimpleAtod(max[1], &period)) {
      apply(quota, period);
    }
    if (absl::SimpleAtod(ReadLine(folder + "/cpu.cfs_quota_us"), &quota) &&
        absl::SimpleAtod(ReadLine(folder + "/cpu.cfs_period_us"), &period)) {
      apply(quota, period);
    }
  }
  return std::max(1, cores);
}

int64_t UsableMemoryBytes() {
  int64_t bytes =
      int64_t{sysconf(_SC_PHYS_PAGES)} * int64_t{sysconf(_SC_PAGESIZE)};
  for (const std::string& folder : CgroupFolders("memory")) {
    for (const char* name : {"/memory.max", "/memory.limit_in_bytes"}) {
      int64_t limit = 0;
      if (absl::SimpleAtoi(ReadLine(folder + name), &limit) && limit > 0) {
        bytes = std::min(bytes, limit);
      }
    }
  }
  return bytes;
}

std::string MachineId() {
  // Virtual machines have a virtual clock.
  if (internal::InSim()) return "";
  return ReadLine("/proc/sys/kernel/random/boot_id");
}

}  // namespace millrace
