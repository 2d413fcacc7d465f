// Schemas of the figures of iterations, as histograms.
#include "millrace/ops/data/element_shapes.op.h"
#include "millrace/ops/dataset_experimental/scalar_inputs.op.h"

namespace millrace::ops {
namespace {

consteval OpFields StatsDataset(const char* doc) {
  return {
      .inputs = "input_dataset: variant, tag: string",
      .outputs = "handle: variant",
      .attrs = MR_ELEMENT_ATTRS,
      .flags = kElementShapesUnread,
      .shape = ScalarsFrom<1>,
      .doc = doc,
  };
}

constexpr OpFields kBytesProduced =
    StatsDataset("The data set as it is; counts the bytes of each element.");

constexpr OpFields kLatency =
    StatsDataset("The data set as it is; counts the time of each element.");

constexpr OpFields kSetStatsAggregator = {
    .inputs =
        "input_dataset: variant, stats_aggregator: resource, tag: string, "
        "counter_prefix: string",
    .outputs = "handle: variant",
    .attrs = MR_ELEMENT_ATTRS,
    .flags = kStateful | kElementShapesUnread,
    .shape = shapes::Scalar,
    .doc = "The data set as it is; its figures go to an aggregator.",
};

constexpr OpFields kStatsAggregatorHandle = {
    .outputs = "handle: resource",
    .attrs = "container: string = ''; shared_name: string = ''",
    .flags = kStateful,
    .shape = shapes::Scalar,
    .doc = "A container for the figures of iterations.",
};

constexpr OpFields kStatsAggregatorSummary = {
    .inputs = "iterator: resource",
    .outputs = "summary: string",
    .flags = kStateful,
    .shape = shapes::Scalar,
    .doc = "The histograms of an aggregator as a serialized Summary.",
};

}  // namespace

MR_OP(BytesProducedStatsDataset)(kBytesProduced);

MR_OP(ExperimentalBytesProducedStatsDataset)(kBytesProduced);

MR_OP(LatencyStatsDataset)(kLatency);

MR_OP(ExperimentalLatencyStatsDataset)(kLatency);

MR_OP(SetStatsAggregatorDataset)(kSetStatsAggregator);

MR_OP(ExperimentalSetStatsAggregatorDataset)(kSetStatsAggregator);

MR_OP(StatsAggregatorHandle)(kStatsAggregatorHandle);

MR_OP(StatsAggregatorHandleV2)(kStatsAggregatorHandle);

MR_OP(ExperimentalStatsAggregatorHandle)(kStatsAggregatorHandle);

MR_OP(StatsAggregatorSetSummaryWriter){
    .inputs = "stats_aggregator: resource, summary: resource",
    .flags = kStateful,
    .shape = shapes::NoOutputs,
    .doc =
        "Sets the summary writer that gets the histograms of a "
        "StatsAggregatorHandleV2 as they change.",
};

MR_OP(StatsAggregatorSummary)(kStatsAggregatorSummary);

MR_OP(ExperimentalStatsAggregatorSummary)(kStatsAggregatorSummary);

}  // namespace millrace::ops
