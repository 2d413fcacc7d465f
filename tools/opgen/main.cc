// opgen: generates the wrappers of all ops from their schemas.
//
//   opgen --cc DIR        DIR/millrace/client/ops.gen.h and ops.gen.cc
//   opgen --python DIR    the Python package millrace.gen
#include <cstdio>
#include <string>

#include "absl/strings/string_view.h"
#include "millrace/base/files/file.h"
#include "millrace/graph/all_ops.h"
#include "tools/opgen/python_wrapper.h"
#include "tools/opgen/wrapper.h"

namespace millrace::opgen {
namespace {

Status WriteWrappers(const std::string& folder) {
  MR_ASSIGN_OR_RETURN(const auto ops, OpRegistry::Build(AllOps()));
  FileSystem* files = PosixFiles();
  const std::string client = JoinPath(folder, "millrace/client");
  MR_RETURN_IF_ERROR(files->CreateDirRecursively(client));
  MR_RETURN_IF_ERROR(WriteStringToFile(files, JoinPath(client, "ops.gen.h"),
                                       WrapperHeader(*ops)));
  return WriteStringToFile(files, JoinPath(client, "ops.gen.cc"),
                           WrapperSource(*ops));
}

Status WritePython(const std::string& folder) {
  MR_ASSIGN_OR_RETURN(const auto ops, OpRegistry::Build(AllOps()));
  FileSystem* files = PosixFiles();
  MR_RETURN_IF_ERROR(files->CreateDirRecursively(folder));
  for (const auto& [name, text] : PythonPackage(*ops)) {
    MR_RETURN_IF_ERROR(WriteStringToFile(files, JoinPath(folder, name), text));
  }
  return OkStatus();
}

int Main(int argc, char** argv) {
  const absl::string_view what = argc == 3 ? argv[1] : "";
  if (what != "--cc" && what != "--python") {
    std::fprintf(stderr, "usage: opgen --cc|--python DIR\n");
    return 2;
  }
  const Status status =
      what == "--cc" ? WriteWrappers(argv[2]) : WritePython(argv[2]);
  if (!status.ok()) {
    std::fprintf(stderr, "opgen: %s\n", status.ToString().c_str());
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace millrace::opgen

int main(int argc, char** argv) { return millrace::opgen::Main(argc, argv); }
