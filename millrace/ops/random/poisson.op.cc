#include "millrace/ops/random/number_shapes.op.h"

namespace millrace::ops {

MR_OP(RandomPoisson){
    .inputs = "shape: S, rate: dtype",
    .outputs = "output: dtype",
    .attrs =
        "seed: int = 0; seed2: int = 0; S: {int32, int64}; dtype: {half, "
        "float, double}",
    .flags = kStateful,
    .shape = SamplesShape,
    .doc = "Replaced by RandomPoissonV2.",
    .deprecated_version = 25,
    .deprecated_hint = "Replaced by RandomPoissonV2",
};
MR_OP(RandomPoissonV2){
    .inputs = "shape: S, rate: R",
    .outputs = "output: dtype",
    .attrs =
        "seed: int = 0; seed2: int = 0; S: {int32, int64}; R: {half, float, "
        "double, int32, int64} = 'double'; "
        "dtype: {half, float, double, int32, int64} = 'int64'",
    .flags = kStateful,
    .shape = SamplesShape,
    .doc =
        "Numbers of Poisson distributions: `shape` many for each element of "
        "`rate`, whose shape comes behind.",
};

}  // namespace millrace::ops
