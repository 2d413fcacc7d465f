#include "millrace/ops/data/elements.cases.h"

namespace millrace::cases {
namespace {

// `no_stock`: why stock cannot iterate over it; empty if it can.
void RandomCases(CaseList& c, const std::string& no_stock) {
  Elements(c.Sequence("twice")
               .Node("op", c.op().name, {Count(5), Count(7)}, Numbers())
               .Node("some", "TakeDataset", {"op", Count(6)}, Numbers())
               .Node("twice", "RepeatDataset", {"some", Count(2)}, Numbers()),
           "twice", Numbers(), 12)
      .NoStock(no_stock);
  c.Sequence("cardinality")
      .Node("op", c.op().name, {Count(1), Count(0)}, Numbers())
      .Node("size", "DatasetCardinality", {"op"})
      .Run({"size"});
  WithIterator(c.Sequence("by_chance")
                   .Node("op", c.op().name, {Count(0), Count(0)}, Numbers()),
               "op", Numbers())
      .Run({"next"})
      .Random()
      .NoStock(no_stock);
  c.BuildError({Values<int64_t>({1}), Count(2)}, Numbers(),
               "Shape must be rank 0 but is rank 1");
}

}  // namespace

MR_CASES(RandomDataset)(CaseList& c) { RandomCases(c, ""); }
MR_CASES(ExperimentalRandomDataset)(CaseList& c) {
  RandomCases(c,
              "it builds its own op anew with inputs that the op does not "
              "have");
}
MR_CASES(SamplingDataset)(CaseList& c) {
  const auto sampled = [&](const char* name, double rate, int count) {
    Elements(
        WithRange(c, name, 20)
            .Node("op", "SamplingDataset",
                  {"range", Scalar(DataType::kFloat, rate), Count(5), Count(7)},
                  Numbers()),
        "op", Numbers(), count);
  };
  sampled("some", 0.3, 6);
  sampled("half", 0.5, 11);
  sampled("none", 0, 0);
  sampled("less", -1, 0);
  sampled("all", 1, 20);
  sampled("more", 2, 20);
  Elements(
      WithRange(c, "twice", 6)
          .Node("op", "SamplingDataset",
                {"range", Scalar(DataType::kFloat, 0.5), Count(5), Count(7)},
                Numbers())
          .Node("twice", "RepeatDataset", {"op", Count(2)}, Numbers()),
      "twice", Numbers(), 8);
}

}  // namespace millrace::cases
