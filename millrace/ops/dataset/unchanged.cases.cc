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

void Refused(CaseList& c, std::vector<Value> more, AttrMap attrs,
             const char* words) {
  std::vector<Value> inputs{"range"};
  for (Value& v : more) inputs.push_back(std::move(v));
  NoDataset(WithRange(c, "refused", 3)
                .Node("op", c.op().name, std::move(inputs), std::move(attrs)),
            words);
}

}  // namespace

MR_CASES(OptionsDataset)(CaseList& c) {
  Same(c, {}, With(Numbers(), "serialized_options", ""));
  Refused(c, {}, With(Numbers(), "serialized_options", "\x01 no such"),
          "Could not parse serialized_options as valid Options.");
}
MR_CASES(RewriteDataset)(CaseList& c) {
  Same(c, {StrScalar("replicate_on_split")}, Numbers());
}
MR_CASES(ModelDataset)(CaseList& c) {
  Same(c, {}, Numbers());
  Refused(c, {}, With(Numbers(), "cpu_budget", int64_t{-1}),
          "CPU budget must be positive but is -1.");
}
MR_CASES(FinalizeDataset)(CaseList& c) { Same(c, {}, Numbers()); }
MR_CASES(MaxIntraOpParallelismDataset)(CaseList& c) {
  Same(c, {Count(1)}, Numbers());
  Refused(c, {Count(-1)}, Numbers(), "`max_intra_op_parallelism` must be >= 0");
}
MR_CASES(ExperimentalMaxIntraOpParallelismDataset)(CaseList& c) {
  Same(c, {Count(1)}, Numbers());
}
MR_CASES(PrivateThreadPoolDataset)(CaseList& c) {
  Same(c, {Count(1)}, Numbers());
  Refused(c, {Count(-1)}, Numbers(), "`num_threads` must be >= 0");
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
