#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

// Once: the harness keeps each output, and so the lock.
void CriticalSection(CaseList& c) {
  c.Sequence("section")
      .Node("m", "MutexV2", {}, {{"shared_name", "of " + c.op().name}})
      .Node("lock", "MutexLock", {"m"})
      .Node("use", "ConsumeMutexLock", {"lock"})
      .Run({"use"});
}

}  // namespace

MR_CASES(MutexV2)(CaseList& c) { CriticalSection(c); }
MR_CASES(MutexLock)(CaseList& c) { CriticalSection(c); }
MR_CASES(ConsumeMutexLock)(CaseList& c) { CriticalSection(c); }

}  // namespace millrace::cases
