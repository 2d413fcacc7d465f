#include "millrace/ops/data/elements.cases.h"
#include "millrace/ops/summary_writer/writer.cases.h"

namespace millrace::cases {
namespace {

// The names of one generation of these ops.
struct StatsOps {
  const char *handle, *set, *bytes, *summary;
};
constexpr StatsOps kNew = {"StatsAggregatorHandle", "SetStatsAggregatorDataset",
                           "BytesProducedStatsDataset",
                           "StatsAggregatorSummary"};
constexpr StatsOps kOld = {"ExperimentalStatsAggregatorHandle",
                           "ExperimentalSetStatsAggregatorDataset",
                           "ExperimentalBytesProducedStatsDataset",
                           "ExperimentalStatsAggregatorSummary"};

// Returns the name of the node of an op: "op" for the op whose case it is.
std::string NodeOf(const CaseList& c, const char* op) {
  return c.op().name == op ? "op" : op;
}

// Counts the bytes of all elements; iterators of stock may work ahead.
Case& Counted(CaseList& c, const StatsOps& ops, const char* tag,
              std::string name) {
  const std::string handle = NodeOf(c, ops.handle), set = NodeOf(c, ops.set);
  const std::string bytes = NodeOf(c, ops.bytes);
  return Elements(
      WithRange(c, std::move(name), 3)
          .Node(handle, ops.handle, {},
                {{"container", ""}, {"shared_name", ""}})
          .Node(bytes, ops.bytes, {"range", StrScalar("bytes")}, Numbers())
          .Node(set, ops.set,
                {bytes, handle, StrScalar(tag), StrScalar("prefix")},
                Numbers()),
      set, Numbers(), 3);
}

void StatsCases(CaseList& c, const StatsOps& ops) {
  for (const char* tag : {"tag", ""}) {
    const std::string summary = NodeOf(c, ops.summary);
    Counted(c, ops, tag, absl::StrCat("tag_", tag))
        .Node(summary, ops.summary, {NodeOf(c, ops.handle)})
        .Run({summary});
  }
}

void SameCases(CaseList& c) {
  Elements(WithRange(c, "without_aggregator", 3)
               .Node("op", c.op().name, {"range", StrScalar("tag")}, Numbers()),
           "op", Numbers(), 3);
}

}  // namespace

MR_CASES(StatsAggregatorHandle)(CaseList& c) { StatsCases(c, kNew); }
MR_CASES(SetStatsAggregatorDataset)(CaseList& c) { StatsCases(c, kNew); }
MR_CASES(StatsAggregatorSummary)(CaseList& c) { StatsCases(c, kNew); }
MR_CASES(BytesProducedStatsDataset)(CaseList& c) {
  StatsCases(c, kNew);
  SameCases(c);
}
MR_CASES(LatencyStatsDataset)(CaseList& c) { SameCases(c); }
MR_CASES(ExperimentalStatsAggregatorHandle)(CaseList& c) {
  StatsCases(c, kOld);
}
MR_CASES(ExperimentalSetStatsAggregatorDataset)(CaseList& c) {
  StatsCases(c, kOld);
}
MR_CASES(ExperimentalStatsAggregatorSummary)(CaseList& c) {
  StatsCases(c, kOld);
}
MR_CASES(ExperimentalBytesProducedStatsDataset)(CaseList& c) {
  StatsCases(c, kOld);
  SameCases(c);
}
MR_CASES(ExperimentalLatencyStatsDataset)(CaseList& c) { SameCases(c); }
// Its figures are for a summary writer, and nothing is kept without one.
MR_CASES(StatsAggregatorHandleV2)(CaseList& c) {
  constexpr StatsOps ops = {
      "StatsAggregatorHandleV2", "SetStatsAggregatorDataset",
      "BytesProducedStatsDataset", "StatsAggregatorSummary"};
  StatsCases(c, ops);
}
MR_CASES(StatsAggregatorSetSummaryWriter)(CaseList& c) {
  for (const char* handle :
       {"StatsAggregatorHandle", "StatsAggregatorHandleV2"}) {
    WithWriter(c.Sequence(handle), handle)
        .Node("stats", handle, {}, {{"shared_name", c.op().name + handle}})
        .Node("set", c.op().name, {"stats", "w"})
        .Node("close", "CloseSummaryWriter", {"w"})
        .RunError({"set"}, StatusCode::kNotFound, "does not exist")
        .Run({"open"})
        .Run({"set"})
        .Run({"set"})
        .Run({"close"})
        .RunError({"set"}, StatusCode::kNotFound, "does not exist");
  }
}

}  // namespace millrace::cases
