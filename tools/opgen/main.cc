// opgen: generates the C++ wrappers of all ops from their schemas.
//
//   opgen --cc DIR    DIR/millrace/client/ops.gen.h and ops.gen.cc
#include <cstdio>
#include <string>

#include "absl/strings/string_view.h"
#include "millrace/base/files/file.h"
#include "millrace/graph/all_ops.h"
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

int Main(int argc, char** argv) {
  if (argc != 3 || absl::string_view(argv[1]) != "--cc") {
    std::fprintf(stderr, "usage: opgen --cc DIR\n");
    return 2;
  }
  const Status status = WriteWrappers(argv[2]);
  if (!status.ok()) {
    std::fprintf(stderr, "opgen: %s\n", status.ToString().c_str());
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace millrace::opgen

int main(int argc, char** argv) { return millrace::opgen::Main(argc, argv); }
