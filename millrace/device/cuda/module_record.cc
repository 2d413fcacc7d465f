#include "millrace/device/cuda/module_record.h"

#include <set>

#include "absl/strings/str_cat.h"
#include "millrace/base/environment.h"
#include "millrace/base/files/file.h"
#include "millrace/base/log.h"
#include "millrace/base/threads/thread.h"

namespace millrace::cuda {
namespace {

struct ModuleRecord {
  const std::string path =
      EnvironmentVariable("MILLRACE_GPU_RECORD").value_or("");
  Mutex mu;
  std::set<std::string> lines;
};

ModuleRecord& RecordOfProcess() {
  static constinit Mutex mu;
  static constinit ModuleRecord* record = nullptr;
  MutexLock lock(mu);
  if (record == nullptr) record = new ModuleRecord;
  return *record;
}

Status AppendLine(const std::string& path, const std::string& line) {
  MR_ASSIGN_OR_RETURN(const auto file, PosixFiles()->NewAppendableFile(path));
  MR_RETURN_IF_ERROR(file->Append(line));
  return file->Close();
}

}  // namespace

void RecordModule(const std::string& sources, absl::string_view entry,
                  const std::vector<GpuDefine>& defines) {
  ModuleRecord& record = RecordOfProcess();
  if (record.path.empty()) return;
  std::string line = absl::StrCat(sources, "\t", entry);
  for (const GpuDefine& define : defines) {
    absl::StrAppend(&line, "\t", define.name, "=", define.value);
  }
  line += '\n';
  MutexLock lock(record.mu);
  if (!record.lines.insert(line).second) return;
  const Status status = AppendLine(record.path, line);
  if (!status.ok()) {
    MR_LOG_EVERY_SECONDS(Warning, 60)
        << "modules for GPUs are not recorded: " << status;
  }
}

}  // namespace millrace::cuda
