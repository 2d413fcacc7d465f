#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

Status SamplerShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const int64_t sampled, c.Attr<int32_t>("num_sampled"));
  MR_ASSIGN_OR_RETURN(const int64_t num_true, c.Attr<int32_t>("num_true"));
  MR_ASSIGN_OR_RETURN(const PartialShape true_classes, c.WithRank(0, 2));
  c.set_output(0, PartialShape({sampled}));
  c.set_output(1, PartialShape({true_classes.dim(0), num_true}));
  c.set_output(2, PartialShape({sampled}));
  return OkStatus();
}

Status HitsShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const int64_t num_true, c.Attr<int32_t>("num_true"));
  MR_ASSIGN_OR_RETURN(const PartialShape true_classes, c.WithRank(0, 2));
  MR_RETURN_IF_ERROR(
      ShapeContext::WithValue(true_classes.dim(1), num_true).status());
  MR_RETURN_IF_ERROR(c.WithRank(1, 1).status());
  for (int i = 0; i < 3; ++i) c.set_output(i, PartialShape({kUnknownDim}));
  return OkStatus();
}

#define MR_SAMPLER_OUTPUTS                                  \
  "sampled_candidates: int64, true_expected_count: float, " \
  "sampled_expected_count: float"
#define MR_COUNTS "num_true: int >= 1; num_sampled: int >= 1; unique: bool; "
#define MR_SEEDS "seed: int = 0; seed2: int = 0"

// Returns the schema of a sampler of the classes [0, range_max).
consteval OpFields RangeSamplerOp(const char* doc) {
  return {
      .inputs = "true_classes: int64",
      .outputs = MR_SAMPLER_OUTPUTS,
      .attrs = MR_COUNTS "range_max: int >= 1; " MR_SEEDS,
      .flags = kStateful,
      .shape = SamplerShape,
      .doc = doc,
  };
}

}  // namespace

MR_OP(UniformCandidateSampler){RangeSamplerOp(
    "Draws classes evenly from [0, range_max); says how often these and the "
    "true ones are expected among them.")};
MR_OP(LogUniformCandidateSampler){RangeSamplerOp(
    "Draws classes from [0, range_max) with probabilities that fall off as "
    "1 / (class + 1), for words numbered by falling frequency.")};
MR_OP(LearnedUnigramCandidateSampler){RangeSamplerOp(
    "Draws classes by how often they were among the true classes of "
    "earlier runs, plus one.")};
MR_OP(ThreadUnsafeUnigramCandidateSampler){
    RangeSamplerOp("LearnedUnigramCandidateSampler under another name.")};
MR_OP(FixedUnigramCandidateSampler){
    .inputs = "true_classes: int64",
    .outputs = MR_SAMPLER_OUTPUTS,
    .attrs = MR_COUNTS
    "range_max: int >= 1; vocab_file: string = ''; distortion: float = 1.0; "
    "num_reserved_ids: int = 0; num_shards: int >= 1 = 1; shard: int >= 0 = 0; "
    "unigrams: list(float) = []; " MR_SEEDS,
    .flags = kStateful,
    .shape = SamplerShape,
    .doc =
        "Draws classes by weights to the power of `distortion`: the last "
        "columns of a CSV file, or a list. Reserved ids come first and are "
        "never drawn; a shard takes every num_shards-th id.",
};
MR_OP(AllCandidateSampler){
    .inputs = "true_classes: int64",
    .outputs = MR_SAMPLER_OUTPUTS,
    .attrs = MR_COUNTS MR_SEEDS,
    .flags = kStateful,
    .shape = SamplerShape,
    .doc = "All classes, in order, each expected once.",
};
MR_OP(ComputeAccidentalHits){
    .inputs = "true_classes: int64, sampled_candidates: int64",
    .outputs = "indices: int32, ids: int64, weights: float",
    .attrs = "num_true: int; " MR_SEEDS,
    .shape = HitsShape,
    .doc =
        "True classes that were sampled too: their row, the place among the "
        "candidates, and a weight that makes their logit vanish.",
};

}  // namespace millrace::ops
