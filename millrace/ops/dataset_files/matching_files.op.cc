#include "millrace/ops/data/element_shapes.op.h"

namespace millrace::ops {
namespace {

Status PatternsToDataset(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRankAtMost(0, 1).status());
  return shapes::Scalar(c);
}

constexpr OpFields kMatchingFiles = {
    .inputs = "patterns: string",
    .outputs = "handle: variant",
    .flags = kStateful,
    .shape = PatternsToDataset,
    .doc = "The names of the files that match patterns.",
};

}  // namespace

MR_OP(MatchingFilesDataset)(kMatchingFiles);

MR_OP(ExperimentalMatchingFilesDataset)(kMatchingFiles);

}  // namespace millrace::ops
