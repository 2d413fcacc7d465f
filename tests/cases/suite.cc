#include "tests/cases/suite.h"

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "millrace/base/check.h"
#include "millrace/graph/all_ops.h"
#include "millrace/kernel/all_kernels.h"
#include "tests/cases/all_cases.h"

namespace millrace::cases {
namespace {

// "product" of ".../millrace/ops/product/matmul.cases.cc".
std::string FamilyOf(absl::string_view file) {
  const size_t at = file.rfind("millrace/ops/");
  if (at == absl::string_view::npos) return "other";
  const std::vector<absl::string_view> parts =
      absl::StrSplit(file.substr(at), '/');
  return std::string(parts[2]);
}

void NameCases(std::vector<std::unique_ptr<Case>>& cases) {
  absl::flat_hash_set<std::string> taken;
  for (size_t i = 0; i < cases.size(); ++i) {
    std::string& name = cases[i]->options.name;
    if (name.empty()) name = absl::StrCat("case ", i);
    if (!taken.insert(name).second) name = absl::StrCat(name, " (", i, ")");
  }
}

}  // namespace

std::unique_ptr<Suite> LoadSuite() {
  auto suite = std::make_unique<Suite>();
  auto ops = OpRegistry::Build(AllOps());
  MR_CHECK(ops.ok(), ops.status().message());
  suite->ops = *std::move(ops);
  auto kernels = KernelTable::Build(AllKernels());
  MR_CHECK(kernels.ok(), kernels.status().message());
  suite->kernels = *std::move(kernels);
  for (const CasesDecl* decl : AllCases()) {
    const OpDef* op = suite->ops->Find(decl->op);
    MR_CHECK(op != nullptr, "cases of an unknown op ", decl->op, " in ",
             decl->file);
    ResetFills(decl->op);
    CaseList list(*op, suite->kernels);
    decl->fill(list);
    NameCases(list.cases());
    suite->op_cases.push_back(
        {FamilyOf(decl->file), op, std::move(list.cases())});
  }
  return suite;
}

}  // namespace millrace::cases
