#include "millrace/ops/data/elements.cases.h"

namespace millrace::cases {
namespace {

void Same(CaseList& c, std::vector<Value> more, AttrMap attrs) {
  std::vector<Value> inputs{"range"};
  for (Value& v : more) inputs.push_back(std::move(v));
  Elements(WithRange(c, "same", 3)
               .Node("op", c.op().name, std::move(inputs), std::move(attrs)),
           "op", Numbers(), 3);
}

}  // namespace

MR_CASES(OptionsDataset)(CaseList& c) {
  Same(c, {}, With(Numbers(), "serialized_options", ""));
}
MR_CASES(RewriteDataset)(CaseList& c) {
  Same(c, {StrScalar("replicate_on_split")}, Numbers());
}
MR_CASES(ModelDataset)(CaseList& c) { Same(c, {}, Numbers()); }
MR_CASES(FinalizeDataset)(CaseList& c) { Same(c, {}, Numbers()); }
MR_CASES(MaxIntraOpParallelismDataset)(CaseList& c) {
  Same(c, {Count(1)}, Numbers());
}
MR_CASES(ExperimentalMaxIntraOpParallelismDataset)(CaseList& c) {
  Same(c, {Count(1)}, Numbers());
}
MR_CASES(PrivateThreadPoolDataset)(CaseList& c) {
  Same(c, {Count(1)}, Numbers());
}
MR_CASES(ExperimentalPrivateThreadPoolDataset)(CaseList& c) {
  Same(c, {Count(1)}, Numbers());
}
MR_CASES(NonSerializableDataset)(CaseList& c) { Same(c, {}, Numbers()); }
MR_CASES(ExperimentalNonSerializableDataset)(CaseList& c) {
  Same(c, {}, Numbers());
}
MR_CASES(OptimizeDataset)(CaseList& c) {
  Same(c, {Str({"noop_elimination"})}, Numbers());
  Same(c, {Empty(DataType::kString, {0})}, Numbers());
  NoDataset(WithRange(c, "scalar", 3)
                .Node("op", "OptimizeDataset",
                      {"range", StrScalar("noop_elimination")}, Numbers()),
            "optimizations must be a vector");
}

}  // namespace millrace::cases
