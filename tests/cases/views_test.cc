// What kernels say of views (KernelEntry::views) fits the schemas of their ops.
#include <gtest/gtest.h>

#include <algorithm>

#include "absl/strings/str_split.h"
#include "millrace/graph/all_ops.h"
#include "millrace/graph/op_registry.h"
#include "millrace/kernel/all_kernels.h"

namespace millrace::cases {
namespace {

TEST(ViewsTest, AreArgumentsSideBySide) {
  const StatusOr<std::unique_ptr<const OpRegistry>> made =
      OpRegistry::Build(AllOps());
  ASSERT_TRUE(made.ok()) << made.status();
  const OpRegistry* const ops = made->get();
  int kernels = 0;
  for (const KernelDecl* decl : AllKernels()) {
    const OpDef* op = ops->Find(decl->op);
    ASSERT_NE(op, nullptr) << decl->op;
    for (const KernelEntry& entry : decl->list.entries) {
      if (entry.make == nullptr || *entry.views == '\0') continue;
      ++kernels;
      auto next = op->inputs.end();
      for (absl::string_view name : absl::StrSplit(entry.views, ", ")) {
        const auto it =
            std::find_if(op->inputs.begin(), op->inputs.end(),
                         [&](const ArgDef& arg) { return arg.name == name; });
        ASSERT_NE(it, op->inputs.end()) << decl->op << " has no input " << name;
        EXPECT_TRUE(next == op->inputs.end() || it == next)
            << decl->op << ": " << entry.views;
        EXPECT_FALSE(it->is_ref) << decl->op << ": a reference is no view";
        next = it + 1;
      }
    }
  }
  EXPECT_GT(kernels, 50);
}

}  // namespace
}  // namespace millrace::cases
