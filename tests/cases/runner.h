// Runs bound cases on CPU kernels taken straight from the table, one node after
// the other, without an executor.
#pragma once

#include <vector>

#include "millrace/base/files/file.h"
#include "millrace/base/threads/intra_op.h"
#include "millrace/device/cpu/cpu_allocator.h"
#include "millrace/kernel/kernel_decl.h"
#include "tests/cases/bind.h"

namespace millrace::cases {

struct RunOptions {
  // Which of the fitting kernel entries runs the nodes of the case's own op;
  // 0 is the best one, which all other nodes get.
  int entry = 0;
  int width = 1;  // intra-op threads: 1 or 2
  // Inputs belong to the kernel, which may take their buffers over.
  bool own_inputs = false;
  // How long an asynchronous kernel may wait before it is cancelled.
  int64_t blocked_ms = 10'000;
  // What a kernel may take of the process's memory budget while it runs; 0: as
  // much as there is.
  int64_t limit_bytes = 0;
  FileSystem* files = nullptr;  // null: DefaultFiles()
};

struct RunOutcome {
  Status status;
  std::vector<Tensor> fetched;  // by BoundRun::fetches; invalid where dead
};

struct CaseOutcome {
  std::vector<RunOutcome> runs;
  // Values after the last run; invalid where uninitialized.
  std::vector<Tensor> variables;
  // Outputs of each node when it last ran (a reference: the variable's value);
  // empty if it never ran without an error.
  std::vector<std::vector<Tensor>> outputs;
  // Names of fed values that a kernel has changed.
  std::vector<std::string> changed_inputs;
  // What no kernel may do, whatever its inputs are: outputs that are missing or
  // of another type, exceptions other than for lack of memory. The status of
  // the run is INTERNAL, too.
  std::vector<std::string> broken;
};

// One thread.
class CaseRunner {
 public:
  explicit CaseRunner(const KernelTable& kernels);

  CaseOutcome Run(const BoundCase& c, const RunOptions& options);
  // How many kernel entries fit the nodes of the case's own op (the least, if
  // there are several nodes); 1 for what the executor does itself.
  int CountEntries(const BoundCase& c) const;

 private:
  const KernelTable& kernels_;
  IntraOpPool one_, two_;
  Ref<CpuAllocator> allocator_;
};

// Ops that need no kernel: Const, NoOp and such.
bool RunsWithoutKernel(absl::string_view op);

}  // namespace millrace::cases
