#include "millrace/ops/data/elements.cases.h"

namespace millrace::cases {
namespace {

Case& Sharded(CaseList& c, std::string name, int workers, int index,
              int policy = 0) {
  Case& sharded =
      WithRange(c, std::move(name), 10)
          .Node("op", c.op().name, {"range", Count(workers), Count(index)},
                With(Numbers(), "auto_shard_policy", policy));
  if (c.op().FindAttr("num_replicas") == nullptr) {
    sharded.NoStock("stock takes num_replicas from uninitialized memory");
  }
  return sharded;
}

void AutoShardCases(CaseList& c) {
  for (const auto& [policy, count] :
       {std::pair(-1, 10), std::pair(0, 3), std::pair(2, 3)}) {
    Elements(Sharded(c, absl::StrCat("policy_", policy), 3, 1, policy), "op",
             Numbers(), count);
  }
  Elements(Sharded(c, "one_worker", 1, 0), "op", Numbers(), 10);
  NoDataset(Sharded(c, "no_workers", 0, 0),
            "num_workers must be greater than zero.");
  NoDataset(Sharded(c, "index", 3, 3), "index must be between 0 and 2");
  NoDataset(Sharded(c, "no_such_policy", 3, 1, 4),
            "auto_shard_policy is invalid.");
  Sharded(c, "no_files", 3, 1, 1)
      .Node("size", "DatasetCardinality", {"op"})
      .RunError({"size"}, StatusCode::kNotFound,
                "Found an unshardable source dataset: ");
}

}  // namespace

MR_CASES(AutoShardDataset)(CaseList& c) { AutoShardCases(c); }
MR_CASES(ExperimentalAutoShardDataset)(CaseList& c) { AutoShardCases(c); }

}  // namespace millrace::cases
