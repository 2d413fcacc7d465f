// Random numbers that depend on tensors of parameters.
#include "millrace/graph/shape_context.h"

namespace millrace {
namespace {

// The shape of input 0 with the parameters' behind it.
Status SamplesShape(ShapeContext& c) {
  MR_ASSIGN(const PartialShape shape, c.ShapeFromInput(0));
  return c.Return(shape.Concatenate(c.input(1)));
}

Status MultinomialShape(ShapeContext& c) {
  MR_ASSIGN(const PartialShape logits, c.WithRank(0, 2));
  MR_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  MR_ASSIGN(const int64_t samples, c.DimFromInput(1));
  return c.Return(PartialShape({logits.dim(0), samples}));
}

Status StatelessMultinomialShape(ShapeContext& c) {
  MR_ASSIGN(const PartialShape seed, c.WithRank(2, 1));
  MR_RETURN_IF_ERROR(ShapeContext::WithValue(seed.dim(0), 2).status());
  return MultinomialShape(c);
}

}  // namespace
}  // namespace millrace

namespace millrace::ops {

#define MR_SAMPLER_SEEDS "seed: int = 0; seed2: int = 0; "

MR_OP(RandomGamma){
    .inputs = "shape: S, alpha: T",
    .outputs = "output: T",
    .attrs = MR_SAMPLER_SEEDS "S: {int32, int64}; T: {half, float, double}",
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
        "How a number of RandomGamma changes with alpha, at the same place of "
        "the distribution function.",
};
MR_OP(RandomPoisson){
    .inputs = "shape: S, rate: dtype",
    .outputs = "output: dtype",
    .attrs = MR_SAMPLER_SEEDS "S: {int32, int64}; dtype: {half, float, double}",
    .flags = kStateful,
    .shape = SamplesShape,
    .doc = "Replaced by RandomPoissonV2.",
    .deprecated_version = 25,
    .deprecated_hint = "Replaced by RandomPoissonV2",
};
MR_OP(RandomPoissonV2){
    .inputs = "shape: S, rate: R",
    .outputs = "output: dtype",
    .attrs = MR_SAMPLER_SEEDS
    "S: {int32, int64}; R: {half, float, double, int32, int64} = 'double'; "
    "dtype: {half, float, double, int32, int64} = 'int64'",
    .flags = kStateful,
    .shape = SamplesShape,
    .doc =
        "Numbers of Poisson distributions: `shape` many for each element of "
        "`rate`, whose shape comes behind.",
};
MR_OP(Multinomial){
    .inputs = "logits: T, num_samples: int32",
    .outputs = "output: output_dtype",
    .attrs = MR_SAMPLER_SEEDS
    "T: realnumbertype; output_dtype: {int32, int64} = 'int64'",
    .flags = kStateful,
    .shape = MultinomialShape,
    .doc =
        "Classes drawn for each row of `logits`, each with a probability in "
        "proportion to exp(logit). Logits that are not finite are never drawn.",
};
MR_OP(StatelessMultinomial){
    .inputs = "logits: T, num_samples: int32, seed: Tseed",
    .outputs = "output: output_dtype",
    .attrs =
        "T: realnumbertype; Tseed: {int32, int64} = 'int64'; output_dtype: "
        "{int32, int64} = 'int64'",
    .shape = StatelessMultinomialShape,
    .doc = "Multinomial with numbers that depend on the seed alone.",
};

}  // namespace millrace::ops
