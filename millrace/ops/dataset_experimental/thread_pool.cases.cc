#include "millrace/ops/data/elements.cases.h"

namespace millrace::cases {
namespace {

AttrMap PoolOf(int threads) {
  return {{"num_threads", threads},
          {"display_name", "pool"},
          {"container", ""},
          {"shared_name", ""}};
}

void PoolCases(CaseList& c, const char* handle, const char* dataset) {
  for (const int threads : {0, 2}) {
    Elements(
        WithRange(c, absl::StrCat("threads_", threads), 3)
            .Node(c.op().name == handle ? "op" : "pool", handle, {},
                  PoolOf(threads))
            .Node(c.op().name == handle ? "pooled" : "op", dataset,
                  {"range", c.op().name == handle ? "op" : "pool"}, Numbers()),
        c.op().name == handle ? "pooled" : "op", Numbers(), 3);
  }
}

}  // namespace

MR_CASES(ThreadPoolHandle)(CaseList& c) {
  PoolCases(c, "ThreadPoolHandle", "ThreadPoolDataset");
}
MR_CASES(ThreadPoolDataset)(CaseList& c) {
  PoolCases(c, "ThreadPoolHandle", "ThreadPoolDataset");
}
MR_CASES(ExperimentalThreadPoolHandle)(CaseList& c) {
  PoolCases(c, "ExperimentalThreadPoolHandle", "ExperimentalThreadPoolDataset");
}
MR_CASES(ExperimentalThreadPoolDataset)(CaseList& c) {
  PoolCases(c, "ExperimentalThreadPoolHandle", "ExperimentalThreadPoolDataset");
}

}  // namespace millrace::cases
