#include "millrace/ops/random/number_shapes.op.h"

namespace millrace::ops {

MR_OP(RandomGamma){
    .inputs = "shape: S, alpha: T",
    .outputs = "output: T",
    .attrs =
        "seed: int = 0; seed2: int = 0; S: {int32, int64}; T: {half, float, "
        "double}",
    .flags = kStateful,
    .shape = SamplesShape,
    .doc =
        "Numbers of gamma distributions of scale 1: `shape` many for each "
        "element of `alpha`, whose shape comes behind.",
};
MR_OP(RandomGammaGrad){
    .inputs = "alpha: T, sample: T",
    .outputs = "output: T",
    .attrs = "T: {float, double}",
    .shape = shapes::Broadcast,
    .doc =
        "Returns how a number of RandomGamma changes with alpha, at the same "
        "place of the distribution function.",
};

}  // namespace millrace::ops
