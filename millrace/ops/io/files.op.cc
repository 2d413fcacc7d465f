#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

Status ScalarName(ShapeContext& c) {
  for (int i = 0; i < c.num_inputs(); ++i) {
    MR_RETURN_IF_ERROR(c.WithRank(i, 0).status());
  }
  return shapes::Scalar(c);
}

Status MatchingShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRankAtMost(0, 1).status());
  return c.Return(PartialShape({kUnknownDim}));
}

}  // namespace

MR_OP(ReadFile){
    .inputs = "filename: string",
    .outputs = "contents: string",
    .shape = ScalarName,
    .doc = "The bytes of a file.",
};

MR_OP(WriteFile){
    .inputs = "filename: string, contents: string",
    .flags = kStateful,
    .shape = ScalarName,
    .doc = "Writes a file anew, and the directories above it.",
};

MR_OP(MatchingFiles){
    .inputs = "pattern: string",
    .outputs = "filenames: string",
    .shape = MatchingShape,
    .doc = "The files that match any of the patterns, sorted.",
};

}  // namespace millrace::ops
