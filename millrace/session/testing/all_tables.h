// The ops and kernels of the tests of sessions: all that there are.
#pragma once

#include <memory>
#include <utility>

#include "millrace/base/check.h"
#include "millrace/graph/all_ops.h"
#include "millrace/kernel/all_kernels.h"

namespace millrace {

struct AllTables {
  std::unique_ptr<const OpRegistry> ops;
  KernelTable kernels;
};
inline const AllTables& TablesOfAll() {
  static const AllTables* const tables = [] {
    auto ops = OpRegistry::Build(AllOps());
    MR_CHECK(ops.ok(), ops.status().message());
    auto kernels = KernelTable::Build(AllKernels());
    MR_CHECK(kernels.ok(), kernels.status().message());
    return new AllTables{*std::move(ops), *std::move(kernels)};
  }();
  return *tables;
}

}  // namespace millrace
