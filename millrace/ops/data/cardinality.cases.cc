#include "millrace/ops/data/elements.cases.h"

namespace millrace::cases {

MR_CASES(ExperimentalDatasetCardinality)(CaseList& c) {
  WithRange(c, "of_many", 9)
      .Node("op", "ExperimentalDatasetCardinality", {"range"})
      .Run({"op"});
}
MR_CASES(DatasetCardinality)(CaseList& c) {
  WithRange(c, "of_many", 9)
      .Node("forever", "RepeatDataset", {"range", Count(-1)}, Numbers())
      .Node("few", "TakeDataset", {"forever", Count(5)}, Numbers())
      .Node("twice", "RepeatDataset", {"few", Count(2)}, Numbers())
      .Node("shard", "ShardDataset", {"twice", Count(3), Count(0)}, Numbers())
      .Node("batch", "BatchDataset", {"twice", Count(4)}, Batches())
      .Node("rows", "UnbatchDataset", {"batch"}, Numbers())
      .Node("op", "DatasetCardinality", {"range"})
      .Node("n_forever", "DatasetCardinality", {"forever"})
      .Node("n_few", "DatasetCardinality", {"few"})
      .Node("n_twice", "DatasetCardinality", {"twice"})
      .Node("n_shard", "DatasetCardinality", {"shard"})
      .Node("n_batch", "DatasetCardinality", {"batch"})
      .Run({"op", "n_forever", "n_few", "n_twice", "n_shard", "n_batch"});
}

}  // namespace millrace::cases
