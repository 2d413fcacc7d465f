#include "millrace/ops/random/number_shapes.op.h"

namespace millrace::ops {
namespace {

Status BinomialShape(ShapeContext& c) { return AnyTypeNumbersShape(c, 2); }

}  // namespace

MR_OP(StatefulRandomBinomial){
    .inputs =
        "resource: resource, algorithm: int64, shape: S, counts: T, "
        "probs: T",
    .outputs = "output: dtype",
    .attrs =
        "S: {int32, int64}; T: {half, float, double, int32, int64} = 'double'; "
        "dtype: {half, float, double, int32, int64} = 'int64'",
    .flags = kStateful,
    .shape = BinomialShape,
    .doc =
        "How many of `counts` trials succeed, each with one of the "
        "probabilities `probs`: numbers from the generator in a variable. The "
        "shape ends with that to which counts and probabilities broadcast.",
};

}  // namespace millrace::ops
