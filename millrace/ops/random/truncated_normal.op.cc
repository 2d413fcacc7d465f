#include "millrace/ops/random/number_shapes.op.h"

namespace millrace::ops {
namespace {

Status TruncatedShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRank(0, 1).status());
  for (int i = 1; i <= 4; ++i) {
    MR_RETURN_IF_ERROR(c.WithRankAtMost(i, 1).status());
  }
  return NumbersShape(c);
}

}  // namespace

MR_OP(ParameterizedTruncatedNormal){
    .inputs =
        "shape: T, means: dtype, stdevs: dtype, minvals: dtype, maxvals: dtype",
    .outputs = "output: dtype",
    .attrs =
        "seed: int = 0; seed2: int = 0; dtype: {half, bfloat16, float, "
        "double}; T: {int32, int64}",
    .flags = kStateful,
    .shape = TruncatedShape,
    .doc =
        "Normal numbers between two limits, of which one may be infinite. Each "
        "parameter is one for all, or one for each row of the output.",
};

}  // namespace millrace::ops
