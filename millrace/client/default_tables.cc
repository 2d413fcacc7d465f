#include "millrace/client/default_tables.h"

#include "millrace/base/check.h"
#include "millrace/base/threads/thread.h"
#include "millrace/graph/all_ops.h"
#include "millrace/kernel/all_kernels.h"

namespace millrace {
namespace {

constinit Mutex tables_mu;
constinit const OpRegistry* known_ops = nullptr;
constinit const KernelTable* kernels = nullptr;

}  // namespace

const OpRegistry& DefaultOps() {
  MutexLock lock(tables_mu);
  if (!known_ops) {
    auto built = OpRegistry::Build(AllOps());
    MR_CHECK(built.ok(), built.status().ToString());
    known_ops = built->release();
  }
  return *known_ops;
}

const KernelTable& DefaultKernels() {
  MutexLock lock(tables_mu);
  if (!kernels) {
    auto built = KernelTable::Build(AllKernels());
    MR_CHECK(built.ok(), built.status().ToString());
    kernels = new KernelTable(*std::move(built));
  }
  return *kernels;
}

}  // namespace millrace
