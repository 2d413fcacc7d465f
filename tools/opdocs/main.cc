// opdocs: writes the reference of all ops, one page per family.
//
//   opdocs SOURCES OUT    SOURCES: the folder millrace/ops, OUT: docs/ops
#include <cstdio>
#include <map>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "millrace/base/files/file.h"
#include "millrace/client/gradients/all_gradients.h"
#include "millrace/graph/all_ops.h"
#include "millrace/kernel/all_kernels.h"
#include "tools/opdocs/op_page.h"

namespace millrace::opdocs {
namespace {

// Returns the names that MR_OP declares in a text.
std::vector<std::string> DeclaredOps(absl::string_view text) {
  std::vector<std::string> names;
  size_t at = 0;
  while ((at = text.find("MR_OP(", at)) != absl::string_view::npos) {
    const bool at_line_start = at == 0 || text[at - 1] == '\n';
    at += 6;
    const absl::string_view name =
        absl::StripAsciiWhitespace(text.substr(at, text.find(')', at) - at));
    if (at_line_start) names.emplace_back(name);
  }
  return names;
}

Status WritePages(const std::string& sources, const std::string& out) {
  MR_ASSIGN_OR_RETURN(const auto ops, OpRegistry::Build(AllOps()));
  MR_ASSIGN_OR_RETURN(const KernelTable kernels,
                      KernelTable::Build(AllKernels()));
  absl::flat_hash_map<std::string, bool> gradients;
  for (const GradientDecl* decl : AllGradients())
    gradients[decl->op] = decl->build != nullptr;
  FileSystem* files = PosixFiles();
  MR_ASSIGN_OR_RETURN(const auto paths,
                      files->GetMatchingPaths(JoinPath(sources, "*/*.op.cc")));
  std::map<std::string, std::vector<OpFacts>> families;
  for (const std::string& path : paths) {
    MR_ASSIGN_OR_RETURN(const std::string text, ReadFileToString(files, path));
    for (const std::string& name : DeclaredOps(text)) {
      const OpDef* op = ops->Find(name);
      if (!op)
        return NotFound(path, " declares ", name,
                        ", which this program does not have");
      const auto gradient = gradients.find(name);
      const bool known = gradient != gradients.end();
      families[std::string(Basename(Dirname(path)))].push_back(
          {op, known && gradient->second, known && !gradient->second});
    }
  }
  MR_RETURN_IF_ERROR(files->CreateDirRecursively(out));
  for (const auto& [family, members] : families) {
    MR_RETURN_IF_ERROR(WriteStringToFile(files, JoinPath(out, family + ".md"),
                                         FamilyPage(family, members, kernels)));
  }
  return OkStatus();
}

int Main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: opdocs SOURCES OUT\n");
    return 2;
  }
  const Status status = WritePages(argv[1], argv[2]);
  if (!status.ok())
    std::fprintf(stderr, "opdocs: %s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}

}  // namespace
}  // namespace millrace::opdocs

int main(int argc, char** argv) { return millrace::opdocs::Main(argc, argv); }
