#include "examples/distributed_cpp/input_files.h"

#include "absl/strings/str_cat.h"
#include "millrace/millrace.h"

namespace millrace::distributed {

InputFiles::InputFiles()
    : folder_(absl::StrCat("/tmp/millrace_distributed_",
                           absl::Hex(RandomUint64()))) {}

InputFiles::~InputFiles() {
  DefaultFiles()->DeleteDirRecursively(folder_).IgnoreError();
}

Status InputFiles::Add(const std::string& name, const std::string& content) {
  MR_RETURN_IF_ERROR(DefaultFiles()->CreateDirRecursively(folder_));
  names_.push_back(JoinPath(folder_, name));
  return WriteStringToFile(DefaultFiles(), names_.back(), content);
}

}  // namespace millrace::distributed
